"""Which node each task runs on and which GPUs it gets. Pure; the desktop and a job's nodes use it.

A *slot* is room for one worker: one GPU (``worker_per: gpu``), all GPUs of a node
(``worker_per: node``), or the CPU of a node that has no GPU to give.
"""

from collections import Counter
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

Gpus = Tuple[Any, ...]


class Misfit(Exception):
    """The tasks do not fit: one sentence that says how many do, and what to do."""


class Wish(NamedTuple):
    """What of a training says how many tasks there are; ``workers`` None: as many as fit."""

    workers: Optional[int]
    ps: int
    ps_placement: str
    worker_per: str
    backup_workers: int
    single: bool


class Spot(NamedTuple):
    """A task, the number of its site, and its GPUs."""

    task: str
    site: int
    gpus: Gpus


def place(sites: Sequence[Gpus], wish: Wish) -> List[Spot]:
    """All tasks on their nodes, ps first, in index order. ``sites`` are the GPUs of each node.

    Workers: GPU slots are taken before CPU slots and nodes in turn, so that fewer workers than
    slots are spread. On a cluster without any GPU, more workers than nodes share the nodes in
    turn. Indices follow the order of nodes. Parameter servers: ``dedicated`` takes one node each,
    those with the fewest GPUs and then the last ones; ``alongside`` takes, one ps after another,
    the node with the fewest tasks, then the fewest ps, then the first.

    Raises:
        Misfit: they do not fit.
    """
    everywhere = list(range(len(sites)))
    if wish.single:
        site, gpus = _workers(sites, everywhere, wish._replace(workers=1))[0]
        return [Spot("worker:0", site, gpus)]
    servers: List[int] = []
    if wish.ps_placement == "dedicated":
        servers = _dedicated(sites, wish.ps)
    hosts = [at for at in everywhere if at not in servers]
    workers = _workers(sites, hosts, wish)
    if wish.backup_workers >= len(workers):
        raise Misfit(_too_many_backups(wish.backup_workers, len(workers)))
    if wish.ps_placement == "alongside":
        servers = _alongside(len(sites), wish.ps, [site for site, _ in workers])
    placed = [Spot("ps:%d" % i, site, ()) for i, site in enumerate(servers)]
    return placed + [Spot("worker:%d" % i, *slot) for i, slot in enumerate(workers)]


Slot = Tuple[int, Gpus]


def _slots(at: int, gpus: Gpus, wish: Wish) -> List[Slot]:
    if not gpus:
        return [(at, ())]
    if wish.worker_per == "node":
        return [(at, gpus)]
    return [(at, (gpu,)) for gpu in gpus]


def _workers(sites: Sequence[Gpus], hosts: Sequence[int], wish: Wish) -> List[Slot]:
    rows = [_slots(at, sites[at], wish) for at in hosts]
    turns = [(turn, slot[0], slot) for row in rows for turn, slot in enumerate(row)]
    in_order = sorted(turns, key=lambda item: (not item[2][1], item[0], item[1]))
    count = wish.workers or len(turns)
    may_share = wish.worker_per == "gpu" and not any(sites[at] for at in hosts)
    if count > len(turns) and not may_share:
        raise Misfit(_too_many([sites[at] for at in hosts], wish, count, len(turns)))
    chosen = [
        (turn + again * len(turns), at, slot)
        for again in range(-(-count // len(turns)))
        for turn, at, slot in in_order
    ][:count]
    return [slot for turn, at, slot in sorted(chosen, key=lambda item: (item[1], item[0]))]


def _too_many(sites: Sequence[Gpus], wish: Wish, count: int, fit: int) -> str:
    cards = sum(map(len, sites))
    bare = sum(not gpus for gpus in sites)
    room = "one for each node"
    if wish.worker_per == "gpu":
        room = "one for each of %d GPUs" % cards if cards else ""
        room += " and %d nodes without a GPU" % bare if bare else ""
    what = "%d workers do not fit: there is room for %d (%s)" % (count, fit, room)
    return "%s. Set workers to %d or auto, or add nodes" % (what, fit)


def _too_many_backups(backups: int, workers: int) -> str:
    what = "backup_workers must be below the number of workers"
    return "%s: %d of %d would leave none to wait for. Set it lower or add nodes" % (
        what, backups, workers,
    )  # fmt: skip


def _dedicated(sites: Sequence[Gpus], count: int) -> List[int]:
    if len(sites) < count + 1:
        need = "%d dedicated ps need %d nodes of their own and one more for workers"
        there = "there is 1" if len(sites) == 1 else "there are %d" % len(sites)
        what = "%s; %s" % (need % (count, count), there)
        raise Misfit(what + ". Add nodes, set ps lower, or set ps_placement to alongside")
    order = sorted(range(len(sites)), key=lambda at: (len(sites[at]), -at))
    return sorted(order[:count])


def _alongside(sites: int, count: int, workers: Sequence[int]) -> List[int]:
    tasks: Dict[int, int] = Counter(workers)
    servers: Dict[int, int] = Counter()
    chosen = []
    for _ in range(count):
        site = min(range(sites), key=lambda at: (tasks[at], servers[at]))  # min keeps the first
        tasks[site] += 1
        servers[site] += 1
        chosen.append(site)
    return chosen
