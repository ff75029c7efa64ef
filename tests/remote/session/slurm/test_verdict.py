"""What becomes of a run is told by what became of its tasks and of its job together."""

from __future__ import annotations

import pytest

from remote.link import SlurmJob
from remote.session.slurm.verdict import again_command, unseen, verdict
from remote.updates import RunState

AGAIN = "clew run lab.yaml --set training.resume_from=r"


def job(state: str, words: str = "") -> SlurmJob:
    return SlurmJob(job="41", state=state, words=words)


@pytest.mark.parametrize(
    ("tasks", "ended", "told"),
    [
        (("finished", ""), job("cancelled"), ("finished", "")),
        (("failed", "worker:0 failed"), job("failed"), ("failed", "worker:0 failed")),
        (
            ("stopped", "stopped from elsewhere"),
            job("cancelled"),
            ("stopped", "job 41 was cancelled from outside"),
        ),
        (
            ("failed", "its supervisor is gone"),
            job("cancelled", "cancelled by bo, other words"),
            ("stopped", "job 41 was cancelled from outside (cancelled by bo)"),
        ),
        (
            ("stopped", "stopped from elsewhere"),
            job("time limit reached"),
            ("stopped", f"job 41 reached its time limit; it goes on in a new job with: {AGAIN}"),
        ),
        (
            ("stopped", "the job's time limit was near"),
            job("finished"),
            ("stopped", f"the job's time limit was near; it goes on in a new job with: {AGAIN}"),
        ),
        (
            ("failed", "its supervisor is gone"),
            job("out of memory"),
            ("failed", "job 41 was ended because memory ran out"),
        ),
        (
            ("failed", "its supervisor is gone"),
            job("node failed", "gpu002 does not answer"),
            ("failed", "job 41 was ended because a node failed: gpu002 does not answer"),
        ),
    ],
)
def test_that_a_job_that_was_ended_is_shown_as_what_it_is(
    tasks: tuple[RunState, str], ended: SlurmJob, told: tuple[RunState, str]
) -> None:
    assert verdict(*tasks, ended, by_us=False, again=AGAIN) == told


def test_that_a_job_cancelled_by_a_stop_is_not_cancelled_from_outside() -> None:
    stopped: tuple[RunState, str] = ("stopped", "stopped by the user")
    assert verdict(*stopped, job("cancelled"), by_us=True, again=AGAIN) == stopped


@pytest.mark.parametrize(
    ("ended", "state", "words"),
    [
        ("cancelled", "stopped", "job 41 was cancelled while it waited"),
        ("none", "failed", "job 41 is gone: Slurm does not know it any more"),
        ("failed", "failed", "job 41 ended before any task was started"),
        ("node failed", "failed", "was ended because a node failed before any task was started"),
    ],
)
def test_that_a_job_without_tasks_says_why(ended: str, state: str, words: str) -> None:
    told, why = unseen(job(ended))
    assert told == state
    assert words in why


def test_that_the_command_for_going_on_is_one_that_a_shell_takes() -> None:
    assert again_command("r", "my lab's.yaml") == (
        "clew run 'my lab'\"'\"'s.yaml' --set training.resume_from=r"
    )
    assert again_command("r", "").startswith("clew run PROFILE ")
