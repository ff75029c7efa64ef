"""States of jobs and nodes in any of Slurm's words; one that is not known ends nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.node.slurm import states
from tests.support.slurm_tables import rows

JOBS = rows("states.tsv", 2)
NODES = rows("node-states.tsv", 2)


@pytest.mark.parametrize(("text", "expected"), JOBS, ids=[row[0] for row in JOBS])
def test_that_job_states_have_their_meaning(text: str, expected: str) -> None:
    assert states.in_words(states.job_state(text)) == expected


@pytest.mark.parametrize(("text", "expected"), NODES, ids=[row[0] for row in NODES])
def test_that_node_states_say_what_can_be_used(text: str, expected: str) -> None:
    found = states.node_state(text)
    use, _, why = expected.rstrip(")").partition(" (")
    assert found.use == use
    if why:
        assert found.why == why


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("PD", "waiting"), ("R", "running"), ("CG", "ending"), ("CD", "finished"),
        ("F", "failed"), ("TO", "time limit reached"), ("OOM", "out of memory"),
        ("NF", "node failed"), ("PR", "preempted"), ("S", "paused"), ("RH", "held"),
        ("running", "running"), ("COMPLETI", "ending"), ("COMPLET+", "ending"),
        ("COMPLETE", "finished"), ("CANCELLE+", "cancelled"), ("NODE_F+", "node failed"),
        ("RESV_DEL_HOLD", "held"), ("STAGE_OUT", "ending"), ("SIGNALING", "running"),
        ("COMPLETED,COMPLETING", "ending"), ("PENDING,REQUEUED", "waiting"),
        ("RUNNING,RESIZING", "running"), ("PENDING|REQUEUE_HOLD", "held"),
        ("RE+", "unknown"), ("", "unknown"), ("FOO,COMPLETED", "unknown"), ("(null)", "unknown"),
    ],
)  # fmt: skip
def test_that_short_cut_and_combined_words_are_known(text: str, state: str) -> None:
    assert states.job_state(text).state == state


def test_that_who_cancelled_is_kept() -> None:
    assert states.job_state("CANCELLED by 1234").by == "1234"
    assert states.job_state("CANCELLED").by == ""
    assert states.job_state("CANCELLED by 1234").final


@pytest.mark.parametrize("text", ["PREEMPTED", "NODE_FAIL", "COMPLETING", "REQUEUED", "BOOT_FAIL"])
def test_that_a_job_that_may_run_again_has_not_ended(text: str) -> None:
    assert not states.job_state(text).final


def test_that_a_preempted_job_runs_again_as_the_same() -> None:
    seen = [states.job_state(t) for t in ("PENDING", "RUNNING", "PREEMPTED", "PENDING", "RUNNING")]
    assert [word.state for word in seen] == [
        "waiting", "running", "preempted", "waiting", "running",
    ]  # fmt: skip
    assert not any(word.final for word in seen)


@given(st.from_regex(r"X[A-Z_]{3,20}[+*~]?", fullmatch=True))
def test_that_new_words_are_unknown_and_never_final(text: str) -> None:
    assert states.job_state(text)[:2] == ("unknown", False)
    assert states.node_state(text).use == "no"


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("idle", "yes"), ("IDLE", "yes"), ("IDLE+CLOUD", "yes"), ("IDLE+DYNAMIC_NORM", "yes"),
        ("mix", "partly"), ("mixed@", "partly"), ("MIXED+COMPLETING", "partly"),
        ("IDLE+COMPLETING", "no"), ("comp", "no"), ("comp*", "no"), ("alloc+", "no"),
        ("allocated#", "no"), ("idle@", "no"), ("idle!", "no"), ("idle%", "no"),
        ("IDLE+CLOUD+POWERED_DOWN", "starts on demand"), ("IDLE+CLOUD+POWER", "starts on demand"),
        ("IDLE+POWERING_UP", "starting"), ("mix#", "starting"), ("idle*~", "no"), ("idle~*", "no"),
        ("DOWN+DRAIN+NOT_RESPONDING", "no"), ("drng", "no"), ("maint", "no"), ("resv", "no"),
        ("fail", "no"), ("unk*", "no"), ("futr", "no"), ("MIXED+DRAIN", "no"), ("IDLE+FAIL", "no"),
        ("IDLE+REBOOT_ISSUED", "no"), ("IDLE+INVALID_REG", "no"), ("IDLE+BLOCKED", "no"),
        ("IDLE+DRAI+", "no"), ("IDLE+MAINT+", "no"), ("", "no"), ("*", "no"),
    ],
)  # fmt: skip
def test_that_any_flag_against_it_makes_a_node_unusable(text: str, use: str) -> None:
    assert states.node_state(text).use == use
