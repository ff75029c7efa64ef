"""How a job that waits is told: in words, and as JSON lines."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from remote.cli.jsonlines import dump, objects
from remote.cli.progress import RunProgress
from remote.cli.view import HumanView
from remote.updates import QueueUpdate, RunUpdate
from remote.wording import queue_text

RUN = "20261201-0300-ab12"


def waiting(**values: object) -> QueueUpdate:
    known = {"run_id": RUN, "job": "41", "cluster": "practice", "words": "other jobs come first"}
    return QueueUpdate(**{**known, **values})  # type: ignore[arg-type]


def test_the_json_line_has_all_that_is_known_of_the_job() -> None:
    (item,) = objects(waiting(position=3, will_start=True, start_at=1.5))
    assert json.loads(dump(item)) == {
        "type": "queue",
        "run": RUN,
        "job": "41",
        "cluster": "practice",
        "state": "waiting",
        "words": "other jobs come first",
        "will_start": True,
        "position": 3,
        "start_at": 1.5,
        "time_left_s": None,
    }


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (waiting(), "job 41 is waiting: other jobs come first"),
        (waiting(position=2), "job 41 is waiting: other jobs come first; place 2"),
        (waiting(job="", words=""), "the job is waiting"),
        (
            waiting(state="unknown", words="Slurm does not answer since 14:02."),
            "how job 41 stands is unknown: Slurm does not answer since 14:02",
        ),
    ],
)
def test_words_say_why_it_waits(update: QueueUpdate, words: str) -> None:
    assert queue_text(update) == words


def test_without_a_terminal_each_reason_is_one_line() -> None:
    out = io.StringIO()
    view = HumanView(RunProgress(), Console(file=out, force_terminal=False))
    view.update(RunUpdate(run_id=RUN, state="queued", detail="other jobs come first"))
    view.update(waiting(start_at=10.0))
    view.update(waiting(start_at=20.0))
    view.update(waiting(words="its place is reserved"))
    view.update(RunUpdate(run_id=RUN, state="starting"))
    assert out.getvalue().splitlines() == [
        "queued",
        "job 41 is waiting: other jobs come first",
        "job 41 is waiting: its place is reserved",
        "starting",
    ]


def test_the_line_of_a_queued_run_is_its_jobs_until_it_starts() -> None:
    progress = RunProgress()
    progress.update(RunUpdate(run_id=RUN, state="queued"))
    progress.update(waiting())
    assert progress.line() == "queued  job 41 is waiting: other jobs come first"
    progress.update(RunUpdate(run_id=RUN, state="starting"))
    assert progress.line().startswith("starting  step 0")
