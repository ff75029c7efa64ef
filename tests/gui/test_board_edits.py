"""What can be done on the board makes plans, with the tasks in exactly these places."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.board_edits import Change, Refused, add, complete, move, place_for, remove
from gui.board_state import Board, Cell, make_board
from remote.errors import PlanError
from remote.facts import NodeFacts
from remote.placing import placement_of
from remote.plan import Plan, make_plan
from remote.profile import Profile, build
from tests.support.facts import cards, node_facts

machines = st.lists(st.integers(0, 3), min_size=1, max_size=4)
trainings = st.fixed_dictionaries(
    {},
    optional={
        "workers": st.integers(1, 4),
        "ps": st.integers(1, 3),
        "worker_per": st.sampled_from(["gpu", "node"]),
        "baseline": st.sampled_from(["none", "single"]),
        "ps_placement": st.sampled_from(["alongside", "dedicated"]),
    },
)
steps = st.lists(
    st.tuples(
        st.sampled_from(["move", "add worker", "add ps", "add here", "remove"]),
        st.integers(0, 99),
        st.integers(0, 99),
    ),
    max_size=8,
)


def board_of(profile: Profile, facts: dict[str, NodeFacts]) -> tuple[Board, Plan | PlanError]:
    try:
        result: Plan | PlanError = make_plan(profile, facts)
    except PlanError as error:
        result = error
    return make_board(profile, facts, {}, result), result


def free_cells(board: Board) -> list[Cell]:
    return [cell for card in board.cards for cell in card.cells if not cell.blocked]


def done(board: Board, profile: Profile, step: tuple[str, int, int]) -> Change:
    what, first, second = step
    training, tasks, cells = profile.training, sorted(board.placement or {}), free_cells(board)
    task, cell = tasks[first % len(tasks)], cells[second % len(cells)].key
    if what == "move":
        return move(board, training, task, cell)
    if what == "remove":
        return remove(board, training, task)
    role: Any = "ps" if what == "add ps" else "worker"
    return add(board, training, role, cell if what == "add here" else None)


@settings(max_examples=100, deadline=None)
@given(machines, trainings, steps)
def test_that_whatever_the_board_can_make_is_a_plan_with_these_places(
    gpus: list[int], training: dict[str, Any], actions: list[tuple[str, int, int]]
) -> None:
    facts = {f"n{i}": node_facts(f"n{i}", cards(f"n{i}", n)) for i, n in enumerate(gpus)}
    profile = build({"nodes": list(facts), "training": training})
    board, result = board_of(profile, facts)
    if isinstance(result, PlanError):
        assert board.placement == {}
        return
    for step in actions:
        try:
            change = done(board, profile, step)
        except Refused:
            continue
        update = {"training": change.training, "placement": change.placement}
        profile = profile.model_copy(update=update)
        board, result = board_of(profile, facts)
        assert isinstance(result, Plan), result
        wanted = change.placement
        if profile.training.is_single:
            wanted = {"worker:0": wanted["worker:0"]}
        assert placement_of(result.tasks, profile.training) == wanted
        shown = [task for card in board.cards for cell in card.cells for task in cell.tasks]
        assert sorted(shown) == sorted(wanted)
        assert build({"nodes": list(facts), "placement": change.placement})  # it can be saved


@settings(max_examples=60, deadline=None)
@given(machines, trainings)
def test_that_automatic_places_that_are_said_make_the_same_plan(
    gpus: list[int], training: dict[str, Any]
) -> None:
    facts = {f"n{i}": node_facts(f"n{i}", cards(f"n{i}", n)) for i, n in enumerate(gpus)}
    profile = build({"nodes": list(facts), "training": training})
    try:
        plan = make_plan(profile, facts)
    except PlanError:
        return
    said = placement_of(plan.tasks, profile.training)
    assert make_plan(profile.model_copy(update={"placement": said}), facts) == plan


FACTS = {name: node_facts(name, cards(name, 2)) for name in ("a", "b")}


def board(placement: dict[str, str], **training: Any) -> tuple[Board, Profile]:
    profile = build({"nodes": list(FACTS), "training": training, "placement": placement})
    return board_of(profile, FACTS)[0], profile


def cell(found: Board, title: str, node: str) -> Cell:
    cells = [c for card in found.cards if card.node == node for c in card.cells]
    return next(c for c in cells if c.title == title)


def test_that_a_worker_dropped_on_another_changes_places_with_it() -> None:
    found, profile = board({"worker:0": "a/0", "worker:1": "b/1", "ps:0": "a"})
    change = move(found, profile.training, "worker:0", cell(found, "GPU 1", "b").key)
    assert change.placement == {"ps:0": "a", "worker:0": "b/1", "worker:1": "a/0"}


def test_that_a_ps_goes_to_the_node_whatever_cell_it_is_dropped_on() -> None:
    found, profile = board({"worker:0": "a/0", "ps:0": "a"})
    change = move(found, profile.training, "ps:0", cell(found, "GPU 1", "b").key)
    assert change.placement["ps:0"] == "b"
    assert str(place_for("ps:0", cell(found, "GPU 1", "b").key, profile.training)) == "b"


def test_that_after_a_worker_that_was_removed_the_others_move_up() -> None:
    found, profile = board({"worker:0": "a/0", "worker:1": "b/1", "ps:0": "a"}, workers=2)
    change = remove(found, profile.training, "worker:0")
    assert change.placement == {"ps:0": "a", "worker:0": "b/1"}
    assert change.training.workers == 1
    found, profile = board(change.placement, workers=1)
    with pytest.raises(Refused, match="There must be a worker"):
        remove(found, profile.training, "worker:0")
    with pytest.raises(Refused, match="There must be a ps to train a model"):
        remove(found, profile.training, "ps:0")


def test_that_a_task_without_a_place_is_in_the_tray_and_can_be_placed() -> None:
    placement = {"worker:0": "a/0", "ps:0": "a"}
    found, profile = board(placement, workers=2)
    assert found.tray == ("worker:1",)
    assert found.task_faults is not None
    assert "worker:1 has no place" in found.task_faults["worker:1"]
    change = complete(found, profile.training)
    assert change.placement == {**placement, "worker:1": "a/1"}
    change = move(found, profile.training, "worker:1", cell(found, "GPU 1", "b").key)
    assert change.placement["worker:1"] == "b/1"
    with pytest.raises(Refused, match="worker:0 is there"):
        move(found, profile.training, "worker:1", cell(found, "GPU 0", "a").key)


def test_that_places_without_a_task_are_forgotten_when_the_rest_is_placed() -> None:
    found, profile = board({"worker:0": "a/0", "worker:5": "a/1", "ps:0": "a"}, workers=2)
    change = complete(found, profile.training)
    assert change.placement == {"worker:0": "a/0", "worker:1": "a/1", "ps:0": "a"}


def test_that_a_card_that_cannot_be_used_says_why() -> None:
    profile = build({"nodes": [{"host": "a", "gpus": [1]}, "b"]})
    found, _ = board_of(profile, FACTS)
    blocked = cell(found, "GPU 0", "a")
    assert blocked.blocked == "gpus of this node leaves it out"
    with pytest.raises(Refused, match="GPU 0 of a cannot be used: gpus of this node leaves it out"):
        move(found, profile.training, "worker:0", blocked.key)
