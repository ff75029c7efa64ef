"""Which node each task runs on and which GPUs it gets; part of :mod:`remote.plan`, pure.

A *slot* is room for one worker: one GPU (``worker_per: gpu``), all GPUs of a node
(``worker_per: node``), or the CPU of a node that has no GPU to give.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from remote.errors import Fault, NodesUnfit, PlanError
from remote.facts import Gpu, NodeFacts
from remote.profile import NodeConfig
from trainer.spec import CHIEF, TaskId, TrainingSpec, too_many_backups


@dataclass(frozen=True, slots=True)
class Site:
    """A node of the profile with what it has; ``gpus`` are those that tasks may use."""

    config: NodeConfig
    facts: NodeFacts
    gpus: tuple[Gpu, ...]

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def machine(self) -> tuple[str, str]:
        """Sites with equal machines share their ports and their loopback."""
        return self.facts.boot_id, self.facts.network_namespace


class Placed(NamedTuple):
    """A task on a node, before it has a port."""

    task: TaskId
    site: Site
    gpus: tuple[Gpu, ...]


def choose_gpus(nodes: Sequence[NodeConfig], facts: Mapping[str, NodeFacts]) -> list[Site]:
    """A site for each node with its GPUs by ``gpus: all | none | [numbers]``.

    A card belongs to one site: where two nodes are the same machine, the first has it. One that
    its system has lost is never given to a task.

    Raises:
        PlanError: a node does not have a GPU that its list names.
        NodesUnfit: it has lost it.
    """
    sites, taken = [], set[tuple[str, str]]()
    faults, lost = list[Fault](), list[Fault]()
    for node in nodes:
        there = {gpu.index: gpu for gpu in facts[node.name].gpus}
        if isinstance(node.gpus, str):
            wanted = sorted(i for i, gpu in there.items() if not gpu.lost)
            wanted = wanted if node.gpus == "all" else []
        else:
            wanted = list(node.gpus)
            faults += _missing_gpus(node.name, wanted, there, facts[node.name].gpu_note)
            lost += _lost_gpus(node.name, [there[i] for i in wanted if i in there])
        boot = facts[node.name].boot_id
        own = [there[i] for i in wanted if i in there and (boot, _uuid(there[i])) not in taken]
        taken |= {(boot, _uuid(gpu)) for gpu in own}
        sites.append(Site(node, facts[node.name], tuple(own)))
    if faults or lost:
        raise (PlanError if faults else NodesUnfit).of([*faults, *lost])
    return sites


def place(sites: Sequence[Site], training: TrainingSpec) -> list[Placed]:
    """All tasks on their nodes, ps first, in index order.

    Workers: GPU slots are taken before CPU slots and nodes in turn, so that fewer workers than
    slots are spread. On a cluster without any GPU, more workers than nodes share the nodes in
    turn. Indices follow the profile's order of nodes. Parameter servers: ``dedicated`` takes one
    node each, those with the fewest GPUs and then the last ones; ``alongside`` takes, one ps after
    another, the node with the fewest tasks, then the fewest ps, then the first.

    Raises:
        PlanError: they do not fit; says how many do.
    """
    if training.is_single:
        slot = _workers(sites, dataclasses.replace(training, workers=1))[0]
        return [Placed(CHIEF, *slot)]
    servers: list[Site] = []
    hosts = list(sites)
    if training.ps_placement == "dedicated":
        servers = _dedicated(sites, training.ps)
        hosts = [site for site in sites if site not in servers]
    workers = _workers(hosts, training)
    if training.backup_workers >= len(workers):
        reason = too_many_backups(training, len(workers))
        raise PlanError(f"backup_workers {reason}. Set it lower or add nodes")
    if training.ps_placement == "alongside":
        servers = _alongside(sites, training.ps, [site for site, _ in workers])
    placed = [Placed(TaskId("ps", i), site, ()) for i, site in enumerate(servers)]
    return placed + [Placed(TaskId("worker", i), *slot) for i, slot in enumerate(workers)]


def _uuid(gpu: Gpu) -> str:
    return gpu.uuid or str(gpu.index)


def _missing_gpus(
    name: str, wanted: Sequence[int], there: Mapping[int, Gpu], note: str
) -> list[Fault]:
    missing = [str(index) for index in wanted if index not in there]
    if not missing:
        return []
    has = f"it has {', '.join(map(str, sorted(there)))}" if there else "it has none"
    if not there and note:
        has += f" ({note})"
    what = f"{name}: there is no GPU {', '.join(missing)}: {has}. Change gpus of this node"
    return [Fault(what, node=name)]


def _lost_gpus(name: str, wanted: Sequence[Gpu]) -> list[Fault]:
    return [
        Fault(
            f"{name}: GPU {gpu.index} is lost ({gpu.warning or 'it does not answer'}). "
            "Reboot the node, or take it out of gpus of this node",
            node=name,
            gpu=gpu.index,
        )
        for gpu in wanted
        if gpu.lost
    ]


Slot = tuple[Site, tuple[Gpu, ...]]


def _slots(site: Site, training: TrainingSpec) -> list[Slot]:
    if not site.gpus:
        return [(site, ())]
    if training.worker_per == "node":
        return [(site, site.gpus)]
    return [(site, (gpu,)) for gpu in site.gpus]


def _workers(sites: Sequence[Site], training: TrainingSpec) -> list[Slot]:
    rows = [_slots(site, training) for site in sites]
    turns = [(turn, at, slot) for at, row in enumerate(rows) for turn, slot in enumerate(row)]
    in_order = sorted(turns, key=lambda item: (not item[2][1], item[0], item[1]))
    count = training.workers or len(turns)
    may_share = training.worker_per == "gpu" and not any(site.gpus for site in sites)
    if count > len(turns) and not may_share:
        raise PlanError(_too_many(sites, training, count, len(turns)))
    chosen = [
        (turn + again * len(turns), at, slot)
        for again in range(-(-count // len(turns)))
        for turn, at, slot in in_order
    ][:count]
    return [slot for turn, at, slot in sorted(chosen, key=lambda item: (item[1], item[0]))]


def _too_many(sites: Sequence[Site], training: TrainingSpec, count: int, fit: int) -> str:
    cards = sum(len(site.gpus) for site in sites)
    bare = sum(not site.gpus for site in sites)
    room = "one for each node"
    if training.worker_per == "gpu":
        room = f"one for each of {cards} GPUs" if cards else ""
        room += f" and {bare} nodes without a GPU" if bare else ""
    what = f"{count} workers do not fit: there is room for {fit} ({room})"
    return f"{what}. Set workers to {fit} or auto, or add nodes"


def _dedicated(sites: Sequence[Site], count: int) -> list[Site]:
    if len(sites) < count + 1:
        need = f"{count} dedicated ps need {count} nodes of their own and one more for workers"
        what = f"{need}; there {'is' if len(sites) == 1 else 'are'} {len(sites)}"
        raise PlanError(f"{what}. Add nodes, set ps lower, or set ps_placement to alongside")
    order = sorted(range(len(sites)), key=lambda at: (len(sites[at].gpus), -at))
    return [sites[at] for at in sorted(order[:count])]


def _alongside(sites: Sequence[Site], count: int, workers: Sequence[Site]) -> list[Site]:
    tasks, servers = Counter(site.name for site in workers), Counter[str]()
    chosen = []
    for _ in range(count):
        site = min(sites, key=lambda s: (tasks[s.name], servers[s.name]))  # min keeps the first
        tasks[site.name] += 1
        servers[site.name] += 1
        chosen.append(site)
    return chosen
