"""What a user does on the placement board, as pure functions of places. No Qt.

Each returns a :class:`Change`, or raises :class:`Refused` with a sentence.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from gui.board_state import Board, CellKey
from gui.language import tr
from remote.placement import Site
from remote.placing import wanted_tasks, why_not
from remote.profile.places import Place
from trainer.spec import Role, TaskId, TrainingSpec


class Refused(ValueError):
    """It cannot be done; says why and what to do instead."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """Where the tasks are from now on, and the training with its number of tasks."""

    placement: dict[str, str]
    training: TrainingSpec
    what: str
    """The change in two or three words, for undo."""


def place_for(task: str, cell: CellKey, training: TrainingSpec) -> Place:
    """The place that a task gets in a cell: a ps and a worker per node have the node."""
    alone = task.startswith("worker:") and training.worker_per == "gpu"
    return Place(cell.node, cell.gpu if alone else None)


def move(board: Board, training: TrainingSpec, task: str, cell: CellKey) -> Change:
    """Put ``task`` into ``cell``; a worker that has that place changes places with it."""
    site = _site(board, cell.node)
    place = place_for(task, cell, training)
    _check_gpu(board, site, place)
    placement = dict(board.placement or {})
    before = placement.get(task)
    other = _owner(placement, task, place, site, training)
    if other is not None:
        if before is None or Place.parse(before).node not in {s.name for s in board.sites}:
            raise Refused(tr("{other} is there. Move it first.", other=other))
        placement[other] = before
    placement[task] = str(place)
    return Change(_ordered(placement), training, f"move {task}")


def add(board: Board, training: TrainingSpec, role: Role, cell: CellKey | None = None) -> Change:
    """One more worker or ps: in ``cell``, or where there is room."""
    if training.is_single:
        raise Refused(tr("baseline is single: one process does it all. Set it to none first."))
    placement = dict(board.placement or {})
    tasks = wanted_tasks(training, placement)
    count = sum(task.role == role for task in tasks)
    task = str(TaskId(role, count))
    if cell is None:
        place = free_place(board.sites, placement, role, training)
    else:
        site, place = _site(board, cell.node), place_for(task, cell, training)
        _check_gpu(board, site, place)
        other = _owner(placement, task, place, site, training)
        if other is not None:
            raise Refused(tr("{other} is there. Choose a free place.", other=other))
    placement[task] = str(place)
    return Change(_ordered(placement), with_count(training, role, count + 1), f"add {task}")


def remove(board: Board, training: TrainingSpec, task: str) -> Change:
    """Take a task away; those after it move up by one, so the next worker may become chief."""
    if training.is_single:
        raise Refused(tr("baseline is single: one process does it all. Set it to none first."))
    gone = TaskId.parse(task)
    placement = dict(board.placement or {})
    count = sum(one.role == gone.role for one in wanted_tasks(training, placement))
    if gone.role == "worker" and count < 2:
        raise Refused(tr("There must be a worker. Move it instead."))
    if gone.role == "ps" and count < 2 and not training.command:
        raise Refused(tr("There must be a ps to train a model. Move it instead."))
    placement.pop(task, None)
    kept: dict[str, str] = {}
    for name, text in placement.items():
        one = TaskId.parse(name)
        shift = one.role == gone.role and one.index > gone.index
        kept[str(TaskId(one.role, one.index - shift))] = text
    # A task beyond the number that the training names is no task: it only loses its place.
    changed = with_count(training, gone.role, count - (gone.index < count))
    return Change(_ordered(kept), changed, f"remove {task}")


def with_count(training: TrainingSpec, role: Role, count: int) -> TrainingSpec:
    """``training`` with so many workers or ps."""
    if role == "ps":
        return dataclasses.replace(training, ps=count)
    return dataclasses.replace(training, workers=count)


def complete(board: Board, training: TrainingSpec) -> Change:
    """Give every task that has no place one where there is room; forget places without a task."""
    known = {site.name for site in board.sites}
    placement = {
        name: text
        for name, text in (board.placement or {}).items()
        if Place.parse(text).node in known
    }
    tasks = wanted_tasks(training, board.placement or {})
    wanted = {str(task) for task in tasks}
    kept = placement if training.is_single else {k: v for k, v in placement.items() if k in wanted}
    for task in tasks:
        if str(task) not in kept:
            kept[str(task)] = str(free_place(board.sites, kept, task.role, training))
    return Change(_ordered(kept), training, "place the rest")


def free_place(
    sites: Sequence[Site], placement: Mapping[str, str], role: Role, training: TrainingSpec
) -> Place:
    """The first place with room, in the order in which Clew itself fills them."""
    if not sites:
        raise Refused(tr("No node is connected."))
    taken = {Place.parse(t) for name, t in placement.items() if name.startswith("worker:")}
    tasks = Counter(Place.parse(text).node for text in placement.values())
    fewest = min(sites, key=lambda site: tasks[site.name])
    if role == "ps":
        return Place(fewest.name)
    if training.worker_per == "node":
        rooms = [Place(site.name) for site in sites]
    else:
        rooms = [Place(site.name, gpu.index) for site in sites for gpu in site.gpus]
        rooms += [Place(site.name) for site in sites if not site.gpus]
        if not any(site.gpus for site in sites):
            rooms.append(Place(fewest.name))  # workers share CPUs where there is no GPU at all
            taken.discard(rooms[-1])
    room = next((place for place in rooms if place not in taken), None)
    if room is None:
        each = "GPU" if training.worker_per == "gpu" else "node"
        raise Refused(
            tr("Every {each} has its worker. Connect more nodes, or move a worker away.", each=each)
        )
    return room


def _site(board: Board, node: str) -> Site:
    for site in board.sites:
        if site.name == node:
            return site
    raise Refused(tr("{node} is not connected.", node=node))


def _check_gpu(board: Board, site: Site, place: Place) -> None:
    if place.gpu is None or any(gpu.index == place.gpu for gpu in site.gpus):
        return
    raise Refused(
        tr(
            "GPU {gpu} of {name} cannot be used: {why_not}.",
            gpu=place.gpu,
            name=site.name,
            why_not=why_not(site, place.gpu, board.sites) or tr("it is not there"),
        )
    )


def _owner(
    placement: Mapping[str, str], task: str, place: Place, site: Site, training: TrainingSpec
) -> str | None:
    """The other worker that has that place, where only one can have it."""
    alone = place.gpu is not None or training.worker_per == "node"
    if task.startswith("ps:") or not alone:
        return None
    text = str(place)
    others = (name for name, at in placement.items() if at == text and name != task)
    return next((name for name in others if name.startswith("worker:")), None)


def _ordered(placement: Mapping[str, str]) -> dict[str, str]:
    return {str(task): placement[str(task)] for task in sorted(map(TaskId.parse, placement))}
