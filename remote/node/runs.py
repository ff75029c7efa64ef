"""What is recorded on this node, and what of it really runs."""

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set

from remote.node import files, layout, record, storage
from remote.node.latest import latest

if TYPE_CHECKING:
    from remote.node.agent import Agent

_MOST_TASKS = 2000
_LATEST_TASKS = 32
"""Of so many of the newest tasks, and of all that run, the newest events are told."""
_MAX_TOLD_BYTES = 1024 * 1024


def runs(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[Dict[str, Any]]:
    """Every task of this node: its record, whether it runs, its newest events.

    The newest run first, for each root that runs of this account may have been given.
    """
    found: List[Dict[str, Any]] = []
    for root in storage.roots_in_use(args["root"], args.get("wanted", args["root"])):
        found += _below(layout.Layout(root, agent.node), _MOST_TASKS - len(found))
    return found


def _below(paths: layout.Layout, most: int) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    named: Set[str] = set()
    for _, task_dir in paths.all_tasks():
        if len(found) >= most:
            break
        told = entry(paths, task_dir, named, len(found) < _LATEST_TASKS)
        if told is not None:
            found.append(told)
    return found


def entry(
    paths: layout.Layout, task_dir: str, named: Set[str], new: bool
) -> Optional[Dict[str, Any]]:
    """What is told of the task in ``task_dir``; None: there is no record that belongs there.

    ``named``: the runs whose name and training were told by now. ``new``: its newest events are
    told though nothing of it runs.
    """
    seen = record.observe(task_dir)
    if seen is None or not _belongs(seen.record, task_dir, paths):
        return None
    run_id = seen.record["run_id"]
    told = {} if run_id in named else _told(task_dir)
    if told:
        named.add(run_id)
    return {
        "latest": latest(os.path.join(task_dir, layout.EVENTS)) if seen.alive or new else [],
        "run_id": run_id,
        "root": paths.root,
        "told": told,
        "task": seen.record["task"],
        "state": seen.record,
        "alive": seen.alive,
        "task_alive": seen.task_alive,
        "supervisor_alive": seen.supervisor_alive,
    }


def _belongs(known: record.Record, task_dir: str, paths: layout.Layout) -> bool:
    """A record that was copied elsewhere says nothing about the folder it lies in."""
    run_id, task = known.get("run_id"), known.get("task")
    if not isinstance(run_id, str) or not isinstance(task, str) or not run_id:
        return False
    return os.path.basename(task_dir) == task.replace(":", "-") and task_dir.startswith(
        paths.run(run_id) + os.sep
    )


def _told(task_dir: str) -> Dict[str, Any]:
    """What the run was told when it was launched: its name and its training; empty: not readable.

    Whoever finds the run later has a profile of its own, which may say something else.
    """
    spec = files.document(os.path.join(task_dir, layout.SPEC), _MAX_TOLD_BYTES)
    if not isinstance(spec.get("training"), dict):
        return {}
    name = files.document(os.path.join(task_dir, layout.LAUNCH), _MAX_TOLD_BYTES).get("name")
    return {"name": name if isinstance(name, str) else "", "training": spec["training"]}
