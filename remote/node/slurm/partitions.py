"""What there is to ask for: the partitions, their limits, and what of their nodes is free."""

from typing import Any, Dict, List, Sequence

from remote.node.refused import Refused
from remote.node.slurm import commands, gres, states, times
from remote.node.slurm.commands import Silent

_FIELDS = ("%R", "%P", "%a", "%l", "%N", "%T", "%c", "%m", "%G", "%L")
_FEWER = ("%R", "%P", "%a", "%l", "%N", "%T")
_NAME_WIDTH, _GRES_WIDTH = 256, 4000
"""``-O`` has no separator in older versions: columns that are wider than any content."""


def partitions(setup: Sequence[str] = ()) -> List[Dict[str, Any]]:
    """Every partition, the default one first. Raises Refused, and Silent."""
    rows = _rows(setup)
    used = _used(setup)
    found: Dict[str, Dict[str, Any]] = {}
    for row in rows:
        name, starred, up, limit, node, state = row[:6]
        partition = found.setdefault(name, _blank(name, starred.endswith("*"), up, limit))
        if node:
            _add(partition, state, row[6:], used.get(node))
    return sorted(found.values(), key=lambda p: (not p["default"], p["name"]))


def _blank(name: str, is_default: bool, up: str, limit: str) -> Dict[str, Any]:
    return {
        "name": name,
        "default": is_default,
        "up": up.lower() == "up",
        "time_limit_s": times.duration_s(limit),
        "default_time_s": None,
        "nodes": 0,
        "nodes_usable": 0,
        "nodes_free": 0,
        "cpus_per_node": 0,
        "memory_mb": 0,
        "gpus": {},
        "gpus_per_node": {},
        "gpus_free": {},
    }


def _add(partition: Dict[str, Any], state: str, sizes: List[str], used: Any) -> None:
    """Count one node. The sizes per node are those of the largest."""
    use = states.node_state(state).use
    partition["nodes"] += 1
    partition["nodes_free"] += use == states.YES
    partition["nodes_usable"] += use in (states.YES, states.PARTLY, states.ON_DEMAND)
    if len(sizes) < 4:
        return
    partition["default_time_s"] = times.duration_s(sizes[3])
    partition["cpus_per_node"] = max(partition["cpus_per_node"], _whole(sizes[0]))
    partition["memory_mb"] = max(partition["memory_mb"], _whole(sizes[1]))
    there = gres.parse(sizes[2])
    partition["gpus"] = gres.added(partition["gpus"], there)
    most = partition["gpus_per_node"]
    for kind, count in there.items():
        most[kind] = max(most.get(kind, 0), count)
    if use == states.YES or (use == states.PARTLY and used is not None):
        free = gres.subtracted(there, used or {})
        partition["gpus_free"] = gres.added(partition["gpus_free"], free)


def _rows(setup: Sequence[str]) -> List[List[str]]:
    """One row for each node of each partition; partitions without nodes have one, too."""
    for letters in (_FIELDS, _FEWER):
        try:
            answer = commands.run(["sinfo", "-h", "-N", "-o", commands.form(*letters)], setup=setup)
        except (Silent, commands.NoClient):
            raise
        except Refused:
            if letters is _FEWER:
                raise
            continue
        rows = commands.fields(answer, len(letters))
        return [[value.strip() for value in row] for row in rows]
    return []


def _used(setup: Sequence[str]) -> Dict[str, Dict[str, int]]:
    """The GPUs of each node that jobs have; empty where this sinfo cannot say it."""
    columns = "NodeList:%d,GresUsed:%d" % (_NAME_WIDTH, _GRES_WIDTH)
    try:
        answer = commands.run(["sinfo", "-h", "-N", "-O", columns], setup=setup)
    except Refused:
        return {}
    found = {}
    for line in answer.splitlines():
        found[line[:_NAME_WIDTH].strip()] = gres.parse(line[_NAME_WIDTH:])
    return found


def _whole(text: str) -> int:
    """``32``, and ``32+`` where nodes differ."""
    digits = text.strip().rstrip("+")
    return int(digits) if digits.isdigit() else 0
