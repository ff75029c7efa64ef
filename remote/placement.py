"""Which node each task runs on and which GPUs it gets; part of :mod:`remote.plan`, pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from remote.errors import Fault, NodesUnfit, PlanError
from remote.facts import Gpu, NodeFacts
from remote.node import placement
from remote.profile import NodeConfig
from trainer.spec import TaskId, TrainingSpec


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
    """All tasks on their nodes; see :func:`remote.node.placement.place`, which jobs use as well.

    Raises:
        PlanError: they do not fit; says how many do.
    """
    wish = placement.Wish(
        workers=training.workers,
        ps=training.ps,
        ps_placement=training.ps_placement,
        worker_per=training.worker_per,
        backup_workers=training.backup_workers,
        single=training.is_single,
    )
    try:
        spots = placement.place([site.gpus for site in sites], wish)
    except placement.Misfit as error:
        raise PlanError(str(error)) from None
    return [Placed(TaskId.parse(spot.task), sites[spot.site], spot.gpus) for spot in spots]


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
