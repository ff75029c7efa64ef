"""What one node of a job has, for the plan that its keepers make."""

import os
import re
import socket
from typing import Any, Dict, List, Mapping, Optional

from remote.node import machine, ports, procs
from remote.node.agent import network_namespace
from remote.node.refused import Refused
from remote.node.slurm import commands

PORTS = 1024
"""How many ports from the first one are looked at."""
_NONE = frozenset(("", "-1", "none", "void", "nodevfiles"))
_ADDRESS = re.compile(r"\bNodeAddr=(\S+)")


def facts(order: Mapping[str, Any], env: Mapping[str, str]) -> Dict[str, Any]:
    """The calling keeper's node; ``env`` is what Slurm gave its step."""
    node = env.get("SLURMD_NODENAME") or os.uname().nodename
    first = int(order["ports_first"])
    held = ports.taken(first, min(65535, first + PORTS - 1))
    return {
        "node": node,
        "rank": int(env.get("SLURM_NODEID") or 0),
        "hostname": os.uname().nodename,
        "address": address(node, str(order.get("address") or ""), env),
        "cpus": machine.cpus(),
        "gpus": gpus(env),
        "boot_id": procs.boot_id(),
        "network": network_namespace(),
        "held": [holder.port for holder in held],
    }


def gpus(env: Mapping[str, str]) -> List[str]:
    """The GPUs that Slurm gave, in the very words of ``CUDA_VISIBLE_DEVICES``; never more."""
    given = env.get("CUDA_VISIBLE_DEVICES", "")
    words = [word.strip() for word in given.split(",")]
    return [] if given.strip().lower() in _NONE else [word for word in words if word]


def address(node: str, wanted: str, env: Mapping[str, str]) -> str:
    """How the other nodes reach this one.

    Args:
        wanted: a suffix (``-ib0``), a pattern with ``{host}``, or nothing: then the node's name if
            that is known to the resolver, what Slurm has as its address, or whatever this
            machine uses to reach the node that the job was started from.
    """
    if wanted:
        return wanted.replace("{host}", node) if "{host}" in wanted else node + wanted
    if _resolves(node):
        return node
    return _of_slurm(node) or _own_address(env) or node


def _resolves(name: str) -> bool:
    try:
        return bool(socket.getaddrinfo(name, None))
    except OSError:
        return False


def _of_slurm(node: str) -> str:
    """NodeAddr, unless that is a name that nobody knows."""
    try:
        said = commands.run(["scontrol", "show", "node", node], 10.0)
    except Refused:  # that Slurm is silent, too
        return ""
    match = _ADDRESS.search(said)
    return match.group(1) if match and _resolves(match.group(1)) else ""


def _own_address(env: Mapping[str, str]) -> Optional[str]:
    there = env.get("SLURM_LAUNCH_NODE_IPADDR", "")
    try:
        family = socket.AF_INET6 if ":" in there else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((there, 9))  # sends nothing: it chooses the way
            return str(probe.getsockname()[0])
    except OSError:
        return None
