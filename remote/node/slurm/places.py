"""Where the tasks of a job go: nodes, GPUs, ports, environments. Pure."""

import json
from typing import Any, Dict, Mapping, Sequence, Set, Tuple

from remote.node import placement
from remote.node.refused import Refused
from remote.node.task_variables import task_variables

_LAST_PORT = 65535
_SPREAD, _BLOCK = 8, 64
"""Jobs that share a node begin to count ports at one of eight places, each with room for 64."""


def make_plan(
    order: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]], job: str
) -> Dict[str, Any]:
    """``{"cluster": {"ps", "worker"}, "tasks": [{"task", "node", "address", "port", "gpus"}]}``.

    Args:
        nodes: the facts of each, in Slurm's order; see :mod:`remote.node.slurm.lent`.
        job: its id, from which follows where ports are counted from.

    Raises:
        Refused: the tasks do not fit on these nodes.
    """
    training = order["training"]
    wish = placement.Wish(
        workers=training.get("workers"),
        ps=int(training.get("ps", 1)),
        ps_placement=training.get("ps_placement", "alongside"),
        worker_per=training.get("worker_per", "gpu"),
        backup_workers=int(training.get("backup_workers", 0)),
        single=training.get("baseline") == "single",
    )
    try:
        spots = placement.place([tuple(node["gpus"]) for node in nodes], wish)
    except placement.Misfit as error:
        remedy = "Change the numbers of tasks, or ask for other nodes in cluster.slurm."
        raise Refused("the tasks do not fit on the nodes that Slurm gave: %s" % error, remedy)
    first = int(order["ports_first"]) + (int(job) % _SPREAD) * _BLOCK
    ports = _Ports(first if first < _LAST_PORT - _BLOCK else int(order["ports_first"]))
    tasks = []
    for spot in spots:
        node = nodes[spot.site]
        tasks.append(
            {
                "task": spot.task,
                "node": node["node"],
                "address": node["address"],
                "port": ports.next(node),
                "gpus": list(spot.gpus),
            }
        )
    cluster = {
        role: [_target(each) for each in tasks if each["task"].startswith(role + ":")]
        for role in ("ps", "worker")
    }
    return {"cluster": cluster, "tasks": tasks}


def environment(
    order: Mapping[str, Any], plan: Mapping[str, Any], task: Mapping[str, Any]
) -> Dict[str, str]:
    """The variables of one task: the profile's, and those that say what it may see and reach."""
    cluster = json.dumps(plan["cluster"])
    return task_variables(order["variables"], cluster, task["task"], task["gpus"])


class _Ports:
    """Gives ports upward from the first, once for each machine, and none that is held."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._given: Set[Tuple[str, str, int]] = set()

    def next(self, node: Mapping[str, Any]) -> int:
        machine = str(node.get("boot_id") or ""), str(node.get("network") or "")
        held = set(node.get("held") or ())
        for port in range(self._first, _LAST_PORT + 1):
            if port not in held and (*machine, port) not in self._given:
                self._given.add((*machine, port))
                return port
        what = "%s: no port from %d on is free" % (node["node"], self._first)
        raise Refused(what, "Set ports.first lower in the profile.")


def _target(task: Mapping[str, Any]) -> str:
    host = str(task["address"])
    return ("[%s]:%d" if ":" in host else "%s:%d") % (host, task["port"])
