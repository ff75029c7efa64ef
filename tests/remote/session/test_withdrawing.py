"""A node that is gone for good is given up: nothing waits for it, and nobody says it was clean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import Gap, History, StopOrder
from remote.session.withdrawing import GIVEN_UP, awaited, withdraw
from remote.updates import Leftover, ResultUpdate
from tests.support.played_nodes import ROOT, RUN, add_run
from trainer.spec import TaskId

AWAY = ("gpu 2 ü", "gpu003")


def put_stopped_run(history: History) -> ResultUpdate:
    """A run that was stopped while two of its nodes were away; of one more the rest is missing."""
    add_run(history, {TaskId("worker", i): n for i, n in enumerate(("gpu001", *AWAY))})
    places = {name: f"ana@{name}:22" for name in ("gpu001", *AWAY)}
    history.stop_orders.place(
        StopOrder(
            run_id=RUN, node=n, place=places[n], root=ROOT, depth="now", ordered_at=40.0
        )
        for n in AWAY
    )  # fmt: skip
    left = tuple(Leftover(node=n, what=f"not reachable; it stops when {n} is heard") for n in AWAY)
    result = ResultUpdate(
        run_id=RUN,
        state="stopped",
        global_step=4,
        final_loss=0.2,
        accuracy=None,
        examples=320,
        examples_per_second=640.0,
        time_to_first_step_s=0.0,
        left_behind=left,
    )
    gaps = [Gap(run_id=RUN, node=n, place=places[n], root=ROOT) for n in ("gpu001", *AWAY)]
    history.finish(result, 50.0, gaps)
    return result


@pytest.fixture
def history(weird_path: Path) -> Iterator[History]:
    found = History(weird_path / "history.db")
    yield found
    found.close()


def test_that_nothing_waits_for_a_node_that_was_given_up(history: History) -> None:
    result = put_stopped_run(history)
    assert awaited(history, RUN) == [*AWAY, "gpu001"]
    withdraw(history, RUN, ["gpu 2 ü"])
    assert awaited(history, RUN) == ["gpu003", "gpu001"]
    recorded = history.find(RUN).result
    assert recorded is not None
    assert recorded.left_behind == (result.left_behind[1], Leftover(node="gpu 2 ü", what=GIVEN_UP))
    withdraw(history, RUN, ["gpu001"])
    assert history.find(RUN).result == recorded, "nothing was ever left there"
    (row,) = history.overview()
    assert (row.waits_for, row.lacks_from) == (("gpu003",), ("gpu003",))


def test_that_a_node_that_nothing_waits_for_is_named(history: History) -> None:
    put_stopped_run(history)
    with pytest.raises(HistoryError, match="waits for gpu009") as caught:
        withdraw(history, RUN, ["gpu003", "gpu009"])
    assert "gpu 2 ü, gpu003, gpu001" in caught.value.remedy
    assert awaited(history, RUN) == [*AWAY, "gpu001"], "all of it or nothing"
