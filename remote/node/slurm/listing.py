"""The runs that were handed in to Slurm, as the disk has them that all nodes share."""

import os
from typing import TYPE_CHECKING, Any, Dict, List, Set

from remote.node import files, layout, runs, storage
from remote.node.slurm import lot

if TYPE_CHECKING:
    from remote.node.agent import Agent

_MOST_RUNS = 500
_LATEST_RUNS = 16
"""Of so many of the newest runs the newest events are told."""
_MOST_TASKS = 2000
_MOST_BYTES = 1024 * 1024


def slurm_runs(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> List[Dict[str, Any]]:
    """Every run with an order, the newest first: its name, its job, its tasks on all nodes."""
    found: List[Dict[str, Any]] = []
    for root in storage.roots_in_use(args["root"], args.get("wanted", args["root"])):
        folder = layout.Layout(root, agent.node).runs
        for path in sorted(_folders(folder), key=layout.modified, reverse=True):
            order = files.document(os.path.join(path, lot.FOLDER, lot.ORDER), _MOST_BYTES)
            if len(found) < _MOST_RUNS and isinstance(order.get("run_id"), str):
                found.append(_run(root, path, order, len(found) < _LATEST_RUNS))
    return found


def _run(root: str, path: str, order: Dict[str, Any], new: bool) -> Dict[str, Any]:
    job = files.document(os.path.join(path, lot.FOLDER, lot.JOB), _MOST_BYTES)
    name, submitted_at = order.get("name"), job.get("submitted_at")
    return {
        "run_id": order["run_id"],
        "root": root,
        "name": name if isinstance(name, str) else "",
        "training": order.get("training"),
        "job": str(job.get("job") or ""),
        "cluster": str(job.get("cluster") or ""),
        "submitted_at": submitted_at if isinstance(submitted_at, (int, float)) else None,
        "tasks": _tasks(root, path, new),
    }


def _tasks(root: str, path: str, new: bool) -> List[Dict[str, Any]]:
    """The tasks on every node that has a folder there."""
    found: List[Dict[str, Any]] = []
    named: Set[str] = set()
    for folder in sorted(_folders(path)):
        node = os.path.basename(folder)
        for task_dir in sorted(_folders(folder)):
            if len(found) < _MOST_TASKS:
                told = runs.entry(layout.Layout(root, node), task_dir, named, new)
                if told is not None:
                    found.append(dict(told, node=str(told["state"].get("node") or node)))
    return found


def _folders(path: str) -> List[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
