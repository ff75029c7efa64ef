"""Options of sbatch: those that an order asks for, and the user's own besides.

Every option is one argument, ``--key=value``, so that a value never becomes an option of its own.
"""

import re
from typing import Any, Dict, List

from remote.node.refused import Refused

INSTEAD = {
    "account": "account", "constraint": "constraint", "cpus-per-task": "cpus_per_task",
    "gpus": "gpus_per_node", "gpus-per-node": "gpus_per_node", "gpus-per-task": "gpus_per_node",
    "gpus-per-socket": "gpus_per_node", "mem": "memory", "nodes": "nodes",
    "partition": "partition", "qos": "qos", "reservation": "reservation", "time": "time",
}  # fmt: skip
"""Options that Clew sets, by the profile's key for them."""
OWN = frozenset([
    "array", "chdir", "comment", "error", "export", "export-file", "get-user-env", "gid", "help",
    "input", "job-name", "kill-on-invalid-dep", "no-kill", "no-requeue", "ntasks",
    "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node", "ntasks-per-socket", "open-mode",
    "output", "parsable", "quiet", "requeue", "signal", "test-only", "uid", "usage", "verbose",
    "version", "wait", "wrap",
])  # fmt: skip
"""Options whose meaning Clew relies on, or that would make sbatch do something else."""
_OPTION = re.compile(r"--([a-z][a-z0-9-]*)(?:=(.*))?", re.ASCII)
MAX_EXTRA = 64


def objection(option: str, has_gpus: bool = True) -> str:
    """Why a user's own ``option`` cannot be taken, as the end of a sentence; empty: it can.

    sbatch takes every unambiguous beginning of an option for it, so beginnings are refused, too.
    """
    match = _OPTION.fullmatch(option)
    if match is None or not option.isprintable() or len(option) > 1000:
        return "must be one option of sbatch like --exclusive or --mail-type=END"
    name = match.group(1)
    if "gres".startswith(name) and has_gpus:
        return "is set by Clew from gpus_per_node: leave one of them out"
    for own in sorted(INSTEAD):
        if own.startswith(name):
            return "is set by Clew: use the key %s" % INSTEAD[own]
    if any(own.startswith(name) for own in OWN):
        return "is set by Clew, or would keep it from following the job: leave it out"
    return ""


def arguments(slurm: Dict[str, Any]) -> List[str]:
    """The options of sbatch for the ``slurm`` part of an order. Raises Refused."""
    found = ["--nodes=%d" % int(slurm.get("nodes") or 1), "--ntasks-per-node=1"]
    for key, option in _TEXTS:
        value = slurm.get(key)
        if value not in (None, ""):
            found.append("--%s=%s" % (option, _checked(key, str(value))))
    gpus = int(slurm.get("gpus_per_node") or 0)
    if gpus:
        kind = slurm.get("gpu_type")
        found.append("--gres=gpu:%s%d" % (_checked("gpu_type", kind) + ":" if kind else "", gpus))
    for option in slurm.get("extra") or ():
        why = objection(option, bool(gpus))
        if why:
            raise Refused("%s %s" % (option, why), "Correct cluster.slurm.extra in the profile.")
        found.append(option)
    return found


_TEXTS = (
    ("partition", "partition"), ("account", "account"), ("qos", "qos"),
    ("reservation", "reservation"), ("constraint", "constraint"),
    ("cpus_per_task", "cpus-per-task"), ("memory", "mem"), ("time", "time"),
)  # fmt: skip


def _checked(key: str, value: str) -> str:
    if not value.isprintable():
        remedy = "Correct cluster.slurm.%s in the profile." % key
        raise Refused("cluster.slurm.%s holds a control character" % key, remedy)
    return value
