"""The operation that tells what the job of a run was given, and where its tasks are there."""

import os
from typing import TYPE_CHECKING, Any, Dict

from remote.node import files, layout
from remote.node.slurm import lot

if TYPE_CHECKING:
    from remote.node.agent import Agent

_NODE_KEYS = ("node", "hostname", "address", "cpus", "gpus", "boot_id")


def slurm_allocation(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> Dict[str, Any]:
    """The newest start of the job: its nodes, its plan, or why there is none."""
    folder = lot.of_run(layout.Layout(args["root"], agent.node), args["run_id"])
    noted = files.document(os.path.join(folder, lot.JOB), lot.MOST_BYTES)
    start = lot.newest(folder)
    told: Dict[str, Any] = {
        "job": str(noted.get("job") or (start.job if start else "")),
        "cluster": str(noted.get("cluster") or ""),
        "restart": start.restart if start else 0,
        "nodes": [],
        "plan": None,
        "failed": None,
    }
    if start is not None:
        told["nodes"] = [{key: each.get(key) for key in _NODE_KEYS} for each in start.nodes()]
        told["plan"], told["failed"] = start.plan(), start.failed()
    return told
