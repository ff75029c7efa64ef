"""Tasks where the user wants them; part of :mod:`remote.plan`, pure.

With ``worker_per: gpu`` a worker's place is one GPU (``gpu001/0``) or a node's CPU (``gpu001``);
with ``worker_per: node`` it is a node, with all GPUs that it may use. A ps' place is a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from remote.errors import Fault, PlanError
from remote.facts import Gpu
from remote.placement import Placed, Site
from remote.profile import Profile
from remote.profile.places import Place
from remote.profile.words import printable
from trainer.spec import CHIEF, TaskId, TrainingSpec, too_many_backups

Places = Mapping[str, str] | None
"""Tasks like ``worker:0`` to places like ``gpu001/0``; empty: automatic. None: not said."""


def with_choices(profile: Profile, training: TrainingSpec | None, placement: Places) -> Profile:
    """``profile`` with another training or other places, where they are said."""
    given = {"training": training, "placement": placement}
    changes = {key: value for key, value in given.items() if value is not None}
    return profile.model_copy(update=changes)


def place_as_told(
    sites: Sequence[Site], training: TrainingSpec, placement: Mapping[str, str]
) -> list[Placed]:
    """All tasks where ``placement`` has them, ps first, in index order.

    ``workers: auto`` means as many as have a place; ``ps_placement`` is not used. A single
    process goes where the chief's place is; the other places wait for another baseline.

    Raises:
        PlanError: a task has no place or one that it cannot have; each with where that is.
    """
    by_name = {site.name: site for site in sites}
    tasks = wanted_tasks(training, placement)
    faults = _missing(tasks, placement) + _too_many(tasks, training, placement)
    placed: list[Placed] = []
    for task in tasks:
        if str(task) not in placement:
            continue
        place = Place.parse(placement[str(task)])
        site = by_name.get(place.node)
        if site is None:
            what = f"{task}: there is no node {printable(place.node)}. Place it on another"
            faults.append(Fault(what, task=str(task)))
        elif fault := _misplaced(task, place, site, sites, training):
            faults.append(fault)
        else:
            placed.append(Placed(task, site, _gpus(task, place, site, training)))
    faults += _crowded(placed, training) + _backups(tasks, training)
    if faults:
        raise PlanError.of(faults)
    return placed


def wanted_tasks(training: TrainingSpec, placement: Mapping[str, str]) -> list[TaskId]:
    """The tasks that a training has: with ``workers: auto``, the workers that have a place."""
    if training.is_single:
        return [CHIEF]
    workers = training.workers
    if workers is None:
        workers = max(1, sum(TaskId.parse(name).role == "worker" for name in placement))
    servers = [TaskId("ps", index) for index in range(training.ps)]
    return servers + [TaskId("worker", index) for index in range(workers)]


class OnNode(Protocol):
    """A task of a plan."""

    @property
    def task(self) -> TaskId: ...
    @property
    def node(self) -> str: ...
    @property
    def gpus(self) -> tuple[Gpu, ...]: ...


def placement_of(tasks: Iterable[OnNode], training: TrainingSpec) -> dict[str, str]:
    """A plan's places as a profile has them: given back, they make the same plan."""
    found = {}
    for item in tasks:
        alone = item.gpus and training.worker_per == "gpu"
        found[str(item.task)] = str(Place(item.node, item.gpus[0].index if alone else None))
    return found


def placing_warnings(training: TrainingSpec, placed: Sequence[Placed]) -> list[str]:
    """What the places leave of ``ps_placement``."""
    if training.ps_placement != "dedicated":
        return []
    busy = {item.site.name: item.task for item in placed if item.task.role == "worker"}
    return [
        f"{printable(item.site.name)}: {item.task} shares it with {busy[item.site.name]}, "
        "though ps_placement is dedicated"
        for item in placed
        if item.task.role == "ps" and item.site.name in busy
    ]


def _missing(tasks: Sequence[TaskId], placement: Mapping[str, str]) -> list[Fault]:
    return [
        Fault(f"{task} has no place. Give it one, or place all tasks automatically", task=str(task))
        for task in tasks
        if str(task) not in placement
    ]


def _too_many(
    tasks: Sequence[TaskId], training: TrainingSpec, placement: Mapping[str, str]
) -> list[Fault]:
    if training.is_single:
        return []
    known = {str(task) for task in tasks}
    faults = []
    for name in placement:
        if name not in known:
            key = "ps" if name.startswith("ps:") else "workers"
            count = sum(task.role == name.partition(":")[0] for task in tasks)
            what = f"{name} has a place, but {key} is {count}. Set {key} higher, or take it out"
            faults.append(Fault(what, node=Place.parse(placement[name]).node, task=name))
    return faults


def _misplaced(
    task: TaskId, place: Place, site: Site, sites: Sequence[Site], training: TrainingSpec
) -> Fault | None:
    """Why this worker cannot have that GPU; None: it can."""
    if task.role == "ps" or place.gpu is None:
        return None
    where = printable(site.name)
    if training.worker_per == "node":
        what = f"{task} is to have GPU {place.gpu} of {where}, but worker_per is node"
        remedy = f"Write {where} for all its GPUs, or set worker_per to gpu"
    elif any(gpu.index == place.gpu for gpu in site.gpus):
        return None
    else:
        what = f"{task} cannot have GPU {place.gpu} of {where}: {why_not(site, place.gpu, sites)}"
        has = ", ".join(str(gpu.index) for gpu in site.gpus)
        remedy = f"Choose one of {has}" if has else "Choose another node"
    return Fault(f"{what}. {remedy}", node=site.name, gpu=place.gpu, task=str(task))


def why_not(site: Site, index: int, sites: Sequence[Site]) -> str:
    """Why tasks may not use that GPU of ``site``, in words; empty: they may."""
    if any(gpu.index == index for gpu in site.gpus):
        return ""
    gpu = next((gpu for gpu in site.facts.gpus if gpu.index == index), None)
    if gpu is None:
        return "there is none of that number"
    if gpu.lost:
        return "its system has lost it"
    chosen = site.config.gpus
    if chosen == "none" or (chosen != "all" and index not in chosen):
        return "gpus of this node leaves it out"
    twins = [one for one in sites if one.facts.boot_id == site.facts.boot_id and one is not site]
    owner = next((one for one in twins if any(g.uuid == gpu.uuid for g in one.gpus)), None)
    return f"it is {printable(owner.name)}'s, on the same machine" if owner else "it is not free"


def _gpus(task: TaskId, place: Place, site: Site, training: TrainingSpec) -> tuple[Gpu, ...]:
    if task.role == "ps":
        return ()
    if training.worker_per == "node":
        return site.gpus
    return tuple(gpu for gpu in site.gpus if gpu.index == place.gpu)


def _crowded(placed: Sequence[Placed], training: TrainingSpec) -> list[Fault]:
    """Workers that would share what only one can have."""
    owners: dict[tuple[str, int | None], TaskId] = {}
    faults = []
    for task, site, gpus in placed:
        if task.role == "ps" or (training.worker_per == "gpu" and not gpus):
            continue
        index = gpus[0].index if training.worker_per == "gpu" else None
        owner = owners.setdefault((site.name, index), task)
        if owner != task:
            what = f"GPU {index} of " if index is not None else ""
            what = f"{owner} and {task} are both on {what}{printable(site.name)}"
            why = ". Move one" if index is not None else ", and worker_per is node. Move one"
            faults.append(Fault(f"{what}{why}", node=site.name, gpu=index, task=str(task)))
    return faults


def _backups(tasks: Sequence[TaskId], training: TrainingSpec) -> list[Fault]:
    workers = sum(task.role == "worker" for task in tasks)
    if training.is_single or not training.backup_workers or training.backup_workers < workers:
        return []
    reason = too_many_backups(training, workers)
    return [Fault(f"backup_workers {reason}. Set it lower or add workers")]
