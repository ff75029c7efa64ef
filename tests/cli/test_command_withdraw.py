"""``clew stop --withdraw``: said by the user, or not done."""

from __future__ import annotations

from pathlib import Path

from remote.history import History
from tests.remote.session.test_withdrawing import put_stopped_run
from tests.support.commands import clew, objects
from tests.support.played_nodes import RUN


def test_that_a_node_is_given_up_only_when_somebody_says_so(weird_path: Path) -> None:
    history = History(weird_path / "history.db")
    put_stopped_run(history)
    shown = clew("runs", data=weird_path).stdout
    assert "stopped; stops when gpu 2 ü and gpu003 are heard again" in shown
    unsaid = clew("stop", "last", "--withdraw", "gpu003", data=weird_path)
    assert unsaid.returncode == 1
    assert "Say it with --yes." in unsaid.stderr
    assert len(history.stop_orders.waiting()) == 2
    said = clew("stop", "last", "--withdraw", "gpu003", "--yes", "--json", data=weird_path)
    assert said.returncode == 0, said.stderr
    end = objects(said.stdout)[-1]
    assert (end["run"], end["withdrawn"]) == (RUN, ["gpu003"])
    assert "gpu003: given up: the order to stop it there was withdrawn" in end["left_behind"]
    assert [o.node for o in history.stop_orders.waiting()] == ["gpu 2 ü"]
    again = clew("stop", "last", "--withdraw", "gpu003", "--yes", data=weird_path)
    assert again.returncode == 1
    assert f"nothing of run {RUN} waits for gpu003" in again.stderr
    history.close()
