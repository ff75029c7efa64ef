"""From a profile and what its nodes have to tasks on nodes, with GPUs and ports.

A pure function: nothing is asked, opened or started here, and equal input gives an equal plan.

1. Every node of the profile must be there, usable, and have the same TensorFlow (major.minor).
2. Each node offers the GPUs that the profile allows (:func:`remote.placement.choose_gpus`).
3. Workers, then parameter servers, are placed (:func:`remote.placement.place`), or put where
   the profile says (:func:`remote.placing.place_as_told`).
4. Each task gets the node's address and a free port (:mod:`remote.listening`).
5. Each task gets its environment: a ps sees no GPU, a worker sees its own by UUID, because
   numbers mean different cards to CUDA, to ``nvidia-smi`` and to the kernel.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remote.errors import Fault, NodesUnfit, PlanError, sentence
from remote.facts import Gpu, NodeFacts, PortHolder
from remote.listening import assign_ports, bracketed, check_addresses
from remote.node.task_variables import OWN_VARIABLES, task_variables
from remote.placement import Placed, Site, choose_gpus, place
from remote.placing import place_as_told, placing_warnings
from remote.profile import Profile
from remote.profile.words import printable
from trainer.spec import ClusterSpec, TaskId


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedTask:
    """One task: where it runs, where it listens, which GPUs it gets, and its environment."""

    task: TaskId
    node: str
    """The node's name in the profile."""
    address: str
    """How the other nodes reach it; an IPv6 address has no brackets here."""
    port: int
    gpus: tuple[Gpu, ...]
    environment: dict[str, str]
    """The profile's variables and the plan's; without what only the node knows."""
    moved_from_port: PortHolder | None
    """Who held the port that this task would have had; None: nobody."""

    @property
    def target(self) -> str:
        """``address:port`` as in the cluster spec."""
        return bracketed(self.address, self.port)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """All tasks, ps first; ``warnings`` are sentences for the user before the launch."""

    cluster: ClusterSpec
    tasks: tuple[PlannedTask, ...]
    warnings: tuple[str, ...]

    def describe(self) -> str:
        """A line for each task: ``worker:0  gpu001  gpu001-ib0:2221  GPU 0 (A100)``."""
        rows = [
            (str(t.task), printable(t.node), printable(t.target), _devices(t.gpus))
            for t in self.tasks
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join(lines)


def make_plan(
    profile: Profile,
    facts: Mapping[str, NodeFacts],
    *,
    addresses: Mapping[str, str] | None = None,
    allow_mixed_tensorflow: bool = False,
) -> Plan:
    """Place all tasks of ``profile.training`` on ``profile.nodes``.

    Args:
        facts: what each node has, by the node's name in the profile.
        addresses: the name that a node's host stands for (an alias of the SSH configuration is
            known on this computer only), by the node's name; used where ``address`` is not set.
        allow_mixed_tensorflow: warn instead of raising when versions differ.

    Raises:
        PlanError: the tasks do not fit; one line for each reason, each with the node's name.
    """
    warnings = _check_nodes(profile, facts, allow_mixed_tensorflow)
    sites = choose_gpus(profile.nodes, facts)
    chosen = profile.placement
    placed = (
        place_as_told(sites, profile.training, chosen) if chosen else place(sites, profile.training)
    )
    used = [site for site in sites if any(item.site is site for item in placed)]
    warnings += check_addresses(used, addresses or {})
    endpoints, moved = assign_ports(placed, sites, profile.ports.first, addresses or {})
    warnings += moved + placing_warnings(profile.training, placed) if chosen else moved
    warnings += _load_warnings(sites, placed) + _variable_warnings(profile)
    targets = [bracketed(endpoint.address, endpoint.port) for endpoint in endpoints]
    cluster = ClusterSpec(
        ps=tuple(t for t, p in zip(targets, placed, strict=True) if p.task.role == "ps"),
        worker=tuple(t for t, p in zip(targets, placed, strict=True) if p.task.role == "worker"),
    )
    addresses_text = json.dumps(cluster.as_dict())  # once: it is in every task's TF_CONFIG
    tasks = tuple(
        PlannedTask(
            task=item.task,
            node=item.site.name,
            address=endpoint.address,
            port=endpoint.port,
            gpus=item.gpus,
            environment=_environment(profile, addresses_text, item),
            moved_from_port=endpoint.moved_from,
        )
        for item, endpoint in zip(placed, endpoints, strict=True)
    )
    return Plan(cluster=cluster, tasks=tasks, warnings=tuple(warnings))


def _check_nodes(profile: Profile, facts: Mapping[str, NodeFacts], mixed: bool) -> list[str]:
    if not profile.nodes:
        raise PlanError("there are no nodes. Add at least one to the profile")
    faults = []
    for node in profile.nodes:
        where, known = printable(node.name), facts.get(node.name)
        if known is None:
            what = f"{where}: not connected. Connect to it, or take it out of the profile"
            faults.append(Fault(what, node=node.name))
            continue
        fatal = [problem for problem in known.problems if problem.fatal]
        faults += [
            Fault(f"{where}: {sentence(problem.what, problem.remedy)}", node=node.name)
            for problem in fatal
        ]
        if not fatal and known.tensorflow_version is None and _needs_tensorflow(profile, known):
            what = f"{where}: there is no TensorFlow for {printable(known.python)}"
            remedy = "Set environment.python to a Python that has it"
            if known.environment:
                remedy = "Add it to environment.packages, like tensorflow==2.21.*"
            faults.append(Fault(f"{what}. {remedy}", node=node.name))
    if faults:
        raise NodesUnfit.of(faults)
    return _check_versions(profile, facts, mixed)


def _needs_tensorflow(profile: Profile, known: NodeFacts) -> bool:
    """An environment that is still to be made may get it; a command does without."""
    if not known.environment:
        return True
    return known.environment == "ready" and not profile.training.command


def _check_versions(profile: Profile, facts: Mapping[str, NodeFacts], mixed: bool) -> list[str]:
    known = {n.name: facts[n.name] for n in profile.nodes}
    versions = {
        name: one.tensorflow_version or "none"
        for name, one in known.items()
        if one.environment != "missing"
    }
    if len({tuple(v.split(".")[:2]) for v in versions.values()}) < 2:
        return []
    each = ", ".join(f"{printable(name)} has {printable(v)}" for name, v in versions.items())
    if not mixed:
        remedy = "Install one version on all nodes, or set environment.python to a common one"
        if any(one.environment for one in known.values()):
            remedy = "Name one version in environment.packages, like tensorflow==2.21.*"
        raise NodesUnfit(f"the nodes' TensorFlow versions differ: {each}. {remedy}")
    return [f"the nodes' TensorFlow versions differ: {each}"]


def _environment(profile: Profile, cluster: str, item: Placed) -> dict[str, str]:
    visible = [gpu.uuid or str(gpu.index) for gpu in item.gpus]
    return task_variables(profile.environment.variables, cluster, str(item.task), visible)


def _load_warnings(sites: Sequence[Site], placed: Sequence[Placed]) -> list[str]:
    workers = [item for item in placed if item.task.role == "worker"]
    warnings = []
    for site in sites:
        here = [item for item in workers if item.site is site]
        where = printable(site.name)
        if len(here) > site.facts.cpus > 0 and not site.gpus:
            warnings.append(f"{where}: {len(here)} workers share {site.facts.cpus} CPUs")
        bare = [str(item.task) for item in here if not item.gpus]
        if bare and any(item.gpus for item in workers):
            warnings.append(f"{where}: {', '.join(bare)} has no GPU and is slower than the others")
        if site.gpus and not any(item.site is site and item.gpus for item in placed):
            warnings.append(f"{where}: no task uses its {_devices(site.gpus)}")
    return warnings + _twins(sites)


def _twins(sites: Sequence[Site]) -> list[str]:
    counts = Counter(site.facts.boot_id for site in sites if site.facts.gpus)
    shared = [site for site in sites if site.facts.gpus and counts[site.facts.boot_id] > 1]
    lost = [site for site in shared if site.config.gpus != "none" and not site.gpus]
    return [
        f"{printable(s.name)}: its GPUs belong to a node that is the same machine" for s in lost
    ]


def _variable_warnings(profile: Profile) -> list[str]:
    own = [name for name in profile.environment.variables if name in OWN_VARIABLES]
    why = "is set by Clew itself; the profile's value is not used"
    return [f"environment.variables.{name} {why}" for name in own]


def _devices(gpus: Sequence[Gpu]) -> str:
    if not gpus:
        return "CPU"
    return ", ".join(f"GPU {gpu.index} ({printable(gpu.name)})" for gpu in gpus)
