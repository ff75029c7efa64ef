"""Orders for nodes that could not be asked: kept, deepened, and known to be another machine's."""

from __future__ import annotations

from pathlib import Path

from remote.history import History, StopOrder
from remote.updates import StopDepth


def order(node: str, depth: StopDepth = "now", at: float = 100.0) -> StopOrder:
    return StopOrder(
        run_id="20261130-1502-k3f9",
        node=node,
        place=f"ana@{node}:22",
        root="/home/ana's ü/.clew",
        depth=depth,
        ordered_at=at,
    )


def test_that_orders_survive_until_they_are_carried_out(weird_path: Path) -> None:
    first = History(weird_path / "history.db")
    assert first.stop_orders.waiting() == []
    first.stop_orders.place([order("gpu001"), order("gpu002", at=90.0)])
    first.close()
    again = History(weird_path / "history.db")
    assert again.stop_orders.waiting() == [order("gpu002", at=90.0), order("gpu001")]
    again.stop_orders.remove("20261130-1502-k3f9", ["gpu002"])
    again.stop_orders.remove("20261130-1502-k3f9", [])
    assert again.stop_orders.of_run("20261130-1502-k3f9") == [order("gpu001")]
    assert again.stop_orders.of_run("another") == []
    again.delete("20261130-1502-k3f9")
    assert again.stop_orders.waiting() == [order("gpu001")], "its processes are still there"
    again.close()


def test_that_an_order_only_gets_deeper_unless_it_is_given_anew(weird_path: Path) -> None:
    history = History(weird_path / "history.db")
    history.stop_orders.place([order("gpu001", "checkpoint"), order("gpu002", "force")])
    history.stop_orders.deepen("20261130-1502-k3f9", "now")
    depths = {o.node: o.depth for o in history.stop_orders.waiting()}
    assert depths == {"gpu001": "now", "gpu002": "force"}
    history.stop_orders.place([order("gpu001", "force", at=500.0)])
    (found,) = [o for o in history.stop_orders.waiting() if o.node == "gpu001"]
    assert (found.depth, found.ordered_at) == ("force", 100.0)
    history.close()
