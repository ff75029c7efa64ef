"""A task whose supervisor is gone is judged before what followed from it ends the run."""

from __future__ import annotations

from remote.session.ending import Ending
from remote.session.tasks import GONE_S
from tests.remote.session.test_evidence import PS, W0, attempt, picture, record, tell


def test_that_a_failure_waits_for_the_task_that_may_have_caused_it() -> None:
    p = picture()
    p.record(W0, record("running", attempt()), False, now=1010.0, tick=100.0)
    reason = "ended because worker:0 had ended for good: it was cut off"
    tell(p, PS, "failed", attempt(ended_at=1.0, signal=15, ended_by_us=True), reason=reason)
    ending = Ending.of(p, 100.0)
    assert ending is not None
    assert not ending.is_due(p, 100.0 + GONE_S), "the chief's supervisor may have a last word"
    p.tick(100.0 + GONE_S)
    assert p.tasks[W0].lost
    assert ending.is_due(p, 100.0 + GONE_S)


def test_that_a_task_that_ended_because_of_another_is_not_the_cause() -> None:
    p = picture()
    reason = "ended because worker:0 had ended for good: it was cut off"
    tell(p, PS, "failed", attempt(ended_at=1.0, signal=15, ended_by_us=True), reason=reason)
    gone = "it ended without a last word: its supervisor was killed"
    p.record(W0, record("failed", attempt(), reason=gone), False, now=1020.0, tick=20.0)
    assert p.cause() == f"worker:0 on gpu002: {gone}"
