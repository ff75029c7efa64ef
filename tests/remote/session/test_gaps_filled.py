"""What the history lacks of a run that has ended is fetched as soon as its node is heard again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.history import Gap, History, StopOrder
from remote.session.filling import Fillings
from remote.session.ordering import Ordering
from remote.updates import Leftover, NoticeUpdate, ResultUpdate
from tests.support.played_nodes import ROOT, RUN, PlayedHome, PlayedNode, add_run, lines
from tests.support.sessions import recorded
from tests.support.waiting import until
from trainer.spec import TaskId

W0, W1 = TaskId("worker", 0), TaskId("worker", 1)
RESULT = ResultUpdate(
    run_id=RUN,
    state="stopped",
    global_step=4,
    final_loss=0.2,
    accuracy=None,
    examples=5 * 64,
    examples_per_second=640.0,
    time_to_first_step_s=0.0,
)


class Home(PlayedHome):
    """A session without runs: what nodes send goes to the fillings."""

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.fillings = Fillings(history)

    def give_back(self, run_id: str) -> list[Leftover]:
        return []

    def give(self, name: str, item: object) -> None:
        self.fillings.put(name, item)  # type: ignore[arg-type]


@pytest.fixture
def home(weird_path: Path) -> Iterator[Home]:
    history = History(weird_path / "history.db")
    home = Home(history)
    node = home.add("gpu 2 ü", W1)
    node.events, node.log = lines(0, 9), b"the end\n"
    add_run(history, {W0: "gpu001", W1: "gpu 2 ü"})
    history.finish(RESULT, 50.0, [gap_on(node)])
    yield home
    history.close()


def gap_on(node: PlayedNode) -> Gap:
    return Gap(run_id=RUN, node=node.name, place=node.place, root=ROOT)


def only(home: Home) -> PlayedNode:
    node: PlayedNode = home.nodes["gpu 2 ü"]
    return node


def is_idle(ordering: Ordering, node: PlayedNode) -> bool:
    return not ordering.busy(node)  # type: ignore[arg-type]


def test_that_contact_fills_a_gap_and_corrects_the_numbers(home: Home) -> None:
    node, ordering = only(home), Ordering(home)
    assert ordering.busy(node)  # type: ignore[arg-type]
    ordering.contact(node)  # type: ignore[arg-type]
    until(lambda: is_idle(ordering, node))
    assert recorded(home.history, RUN, "worker:1") == node.events
    assert home.history.log_bytes(RUN, W1) == (0, node.log)
    assert home.history.gaps.waiting() == []
    record = home.history.find(RUN)
    assert record.result is not None
    assert (record.result.global_step, record.result.examples) == (9, 640)
    assert record.result.final_loss == pytest.approx(0.1)
    assert (record.state, record.ended_at) == ("stopped", 50.0)
    told = [u.text for u in home.told if isinstance(u, NoticeUpdate)]
    assert told == [f"what gpu 2 ü had of run {RUN} is recorded here now"]
    assert node.let_go == 1
    ordering.again(node)  # type: ignore[arg-type]
    until(lambda: is_idle(ordering, node))
    assert len(node.asked) == 1, "nothing is fetched twice"


def test_that_a_gap_stays_while_the_node_breaks_off(home: Home) -> None:
    node, ordering = only(home), Ordering(home)
    node.keeps_back = 1
    ordering.contact(node)  # type: ignore[arg-type]
    until(lambda: bool(node.asked))
    node.connected = False
    ordering.lost(node.name)
    until(lambda: node.let_go)
    assert home.history.gaps.waiting() == [gap_on(node)]
    node.connected = True
    ordering.contact(node)  # type: ignore[arg-type]
    until(lambda: not home.history.gaps.waiting())
    assert recorded(home.history, RUN, "worker:1") == node.events


def test_that_a_node_that_still_works_for_the_run_leaves_the_gap(home: Home) -> None:
    """An order was withdrawn, and the machine came back after all."""
    node = only(home)
    node.state, node.alive = "running", True
    assert not home.fillings.fill(node, RUN, ROOT)  # type: ignore[arg-type]
    assert recorded(home.history, RUN, "worker:1") == node.events
    assert home.history.gaps.waiting() == [gap_on(node)]
    node.state, node.alive, node.events = "finished", False, lines(0, 11)
    assert home.fillings.fill(node, RUN, ROOT)  # type: ignore[arg-type]
    assert node.asked == [0, len(lines(0, 9))]
    assert home.history.gaps.waiting() == []


def test_that_a_node_of_the_same_name_elsewhere_is_not_asked(home: Home) -> None:
    node, ordering = only(home), Ordering(home)
    away = Gap(run_id=RUN, node=node.name, place="ana@gpu 2 ü:2222", root=ROOT)
    home.history.finish(RESULT, 50.0, [away])
    assert is_idle(ordering, node)
    ordering.contact(node)  # type: ignore[arg-type]
    assert node.asked == []


def test_that_an_order_is_carried_out_first_and_then_the_rest_is_fetched(home: Home) -> None:
    node, ordering = only(home), Ordering(home)
    home.history.stop_orders.place(
        [
            StopOrder(
                run_id=RUN,
                node=node.name,
                place=node.place,
                root=ROOT,
                depth="now",
                ordered_at=40.0,
            )
        ]
    )
    ordering.contact(node)  # type: ignore[arg-type]
    until(lambda: is_idle(ordering, node))
    assert (node.stopped, len(node.asked)) == (1, 1)
    assert home.history.stop_orders.waiting() == []
    assert home.history.gaps.waiting() == []
    assert recorded(home.history, RUN, "worker:1") == node.events


def test_that_a_run_which_is_followed_here_is_not_fetched_beside_that(home: Home) -> None:
    node, ordering = only(home), Ordering(home)
    home.follows = lambda run_id: True  # type: ignore[method-assign]
    ordering.contact(node)  # type: ignore[arg-type]
    until(lambda: is_idle(ordering, node))
    assert node.asked == [], "its own thread would lose what another asks for"
    home.follows = lambda run_id: False  # type: ignore[method-assign]
    ordering.again(node)  # type: ignore[arg-type]
    until(lambda: not home.history.gaps.waiting())


def test_that_gaps_go_with_their_run_and_survive_all_else(home: Home, weird_path: Path) -> None:
    home.history.finish(RESULT, 60.0)
    again = History(weird_path / "history.db")
    assert again.gaps.of_run(RUN) == again.gaps.waiting() == [gap_on(only(home))]
    again.delete(RUN)
    assert again.gaps.waiting() == []
    again.close()


def test_that_an_empty_history_has_no_gaps(tmp_path: Path) -> None:
    history = History(tmp_path / "history.db")
    assert history.gaps.waiting() == history.gaps.of_run(RUN) == []
    history.gaps.remove(RUN, "gpu001")
    history.close()
