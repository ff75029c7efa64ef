"""What the placement board shows: nodes as cards, their devices as cells, tasks in them. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from gui.language import plural, tr
from remote.errors import Fault, PlanError
from remote.placement import Site, choose_gpus
from remote.placing import placement_of, wanted_tasks, why_not
from remote.profile.places import Place
from trainer.spec import TaskId

if TYPE_CHECKING:
    from remote.facts import Gpu, NodeFacts
    from remote.plan import Plan
    from remote.profile import Profile

CellKind = Literal["cpu", "gpu", "all", "tray"]
"""``all``: every GPU of a node, for one worker; ``tray``: tasks that have no place."""


class CellKey(NamedTuple):
    """Which cell of the board: of a node, and for ``gpu`` which one."""

    node: str
    kind: CellKind
    gpu: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A device, or the CPU strip, with the tasks in it."""

    key: CellKey
    title: str
    detail: str = ""
    tasks: tuple[str, ...] = ()
    blocked: str = ""
    """Why no task can go there; empty: one can."""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A node. ``facts`` is a phrase about CPU and memory."""

    node: str
    address: str
    facts: str
    cells: tuple[Cell, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """All cards; ``tray`` has tasks without a place, ``reasons`` what has no place of its own."""

    cards: tuple[Card, ...] = ()
    tray: tuple[str, ...] = ()
    placement: Mapping[str, str] | None = None
    """Where each task is, by the user's wish or by itself."""
    automatic: bool = True
    sites: tuple[Site, ...] = ()
    reasons: tuple[str, ...] = ()
    task_faults: Mapping[str, str] | None = None

    def place_of(self, task: str) -> str:
        return (self.placement or {}).get(task, "")


def make_board(
    profile: Profile,
    facts: Mapping[str, NodeFacts],
    addresses: Mapping[str, str],
    result: Plan | PlanError,
    states: Mapping[str, str] | None = None,
    troubles: Mapping[str, str] | None = None,
) -> Board:
    """The board of ``profile``'s nodes.

    Args:
        facts: what the nodes have that are connected, by their names.
        addresses: what each node's host is known as, by its name.
        result: the plan, or why there is none.
        states: what each node is doing; one that has not answered yet is not at fault.
        troubles: what nodes that cannot take part say of it themselves.
    """
    training = profile.training
    faults = result.faults if isinstance(result, PlanError) else ()
    waiting = {n: s for n, s in (states or {}).items() if s in ("connecting", "checking")}
    faults = _in_own_words((f for f in faults if f.node not in waiting), troubles or {})
    if isinstance(result, PlanError):
        placement = dict(profile.placement)
        tray = [str(t) for t in wanted_tasks(training, placement) if str(t) not in placement]
        tray += [name for name, text in placement.items() if Place.parse(text).node not in facts]
    else:
        placement, tray = placement_of(result.tasks, training), []
    sites = sites_of(profile, facts)
    by_node: dict[str, dict[str, str]] = {}
    for name, text in placement.items():
        if not training.is_single or name == "worker:0":
            by_node.setdefault(Place.parse(text).node, {})[name] = text
    known = {site.name: site for site in sites}
    cards = [
        _card(
            node.name,
            node.address or addresses.get(node.name) or node.host,
            known.get(node.name),
            sites,
            by_node.get(node.name, {}),
            faults,
            per_node=training.worker_per == "node",
            state=waiting.get(node.name, tr("not connected")),
        )
        for node in profile.nodes
    ]
    return Board(
        cards=tuple(cards),
        tray=tuple(tray) if profile.placement else (),
        placement=placement,
        automatic=not profile.placement,
        sites=tuple(sites),
        reasons=_reasons(result, faults),
        task_faults={fault.task: fault.message for fault in faults if fault.task},
    )


def sites_of(profile: Profile, facts: Mapping[str, NodeFacts]) -> list[Site]:
    """The connected nodes with the GPUs that tasks may use, as far as they can be chosen."""
    there = [node for node in profile.nodes if node.name in facts]
    try:
        return choose_gpus(there, facts)
    except PlanError as error:  # a list that names what is not there: the plan says so
        wrong = {fault.node for fault in error.faults}
        good = {s.name: s for s in choose_gpus([n for n in there if n.name not in wrong], facts)}
        return [good.get(node.name) or Site(node, facts[node.name], ()) for node in there]


def _in_own_words(faults: Iterable[Fault], troubles: Mapping[str, str]) -> tuple[Fault, ...]:
    """A node that says why it cannot take part is not called "not connected" as well."""
    return tuple(
        fault._replace(message=f"{fault.node}: {troubles[fault.node]}")
        if fault.node in troubles and not fault.task
        else fault
        for fault in faults
    )


def _reasons(result: Plan | PlanError, faults: Sequence[Fault]) -> tuple[str, ...]:
    if not isinstance(result, PlanError):
        return ()
    if not result.faults:
        return tuple(str(result).split("\n"))
    return tuple(dict.fromkeys(fault.message for fault in faults))


def _card(
    node: str,
    address: str,
    site: Site | None,
    sites: Sequence[Site],
    tasks: Mapping[str, str],
    faults: Sequence[Fault],
    *,
    per_node: bool,
    state: str,
) -> Card:
    own = [fault for fault in faults if fault.node == node]
    fault = next((f.message for f in own if f.gpu is None and not f.task), "")
    fault = fault.removeprefix(f"{node}: ")
    if site is None:
        return Card(node, address, state, (), fault)
    in_cells: dict[CellKey, list[str]] = {}
    for name, text in tasks.items():
        in_cells.setdefault(cell_of(name, text, site, per_node=per_node), []).append(name)
    cells = [_cpu_cell(node, site, in_cells)]
    if per_node and site.gpus:
        key = CellKey(node, "all")
        cells.append(Cell(key, "GPUs", "", tuple(in_cells.get(key, ()))))
    gpus = [_gpu_cell(node, gpu, site, sites, in_cells, own) for gpu in site.facts.gpus]
    return Card(node, address, _facts_words(site), (*cells, *gpus), fault)


def cell_of(task: str, text: str, site: Site, *, per_node: bool) -> CellKey:
    """The cell of ``site`` that shows a task with that place."""
    place = Place.parse(text)
    if place.gpu is not None and any(gpu.index == place.gpu for gpu in site.facts.gpus):
        return CellKey(site.name, "gpu", place.gpu)
    if per_node and task.startswith("worker:") and site.gpus:
        return CellKey(site.name, "all")
    return CellKey(site.name, "cpu")


def _cpu_cell(node: str, site: Site, in_cells: Mapping[CellKey, Sequence[str]]) -> Cell:
    key = CellKey(node, "cpu")
    return Cell(key, "CPU", site.facts.gpu_note, tuple(in_cells.get(key, ())))


def _gpu_cell(
    node: str,
    gpu: Gpu,
    site: Site,
    sites: Sequence[Site],
    in_cells: Mapping[CellKey, Sequence[str]],
    faults: Sequence[Fault],
) -> Cell:
    key = CellKey(node, "gpu", gpu.index)
    memory = f"{gpu.memory_total_bytes / 2**30:.0f} GiB" if gpu.memory_total_bytes else ""
    words = [part for part in (gpu.name.removeprefix("NVIDIA "), memory) if part]
    return Cell(
        key,
        f"GPU {gpu.index}",
        " · ".join(words),
        tuple(in_cells.get(key, ())),
        why_not(site, gpu.index, sites),
        next((fault.message for fault in faults if fault.gpu == gpu.index), ""),
    )


def _facts_words(site: Site) -> str:
    cpus, memory = site.facts.cpus, site.facts.memory_bytes
    words = [plural("{n} CPU", "{n} CPUs", cpus) if cpus else ""]
    words.append(f"{memory / 2**30:.0f} GiB" if memory else "")
    return " · ".join(word for word in words if word)


def is_chief(task: str) -> bool:
    return task == "worker:0"


def sorted_tasks(tasks: Sequence[str]) -> list[str]:
    """Parameter servers first, each by its number."""
    found = [TaskId.parse(task) for task in tasks]
    return [str(task) for task in sorted(found)]
