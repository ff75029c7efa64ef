"""What is recorded on this node, and what of it really runs."""

import os
from typing import TYPE_CHECKING, Any, Dict, List

from remote.node import layout, record
from remote.node.latest import latest

if TYPE_CHECKING:
    from remote.node.agent import Agent

_MOST_TASKS = 2000
_LATEST_TASKS = 32
"""Of so many of the newest tasks, and of all that run, the newest events are told."""


def runs(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[Dict[str, Any]]:
    """Every task of this node, newest run first: its record, whether it runs, its newest events."""
    paths = layout.Layout(args["root"], agent.node)
    found: List[Dict[str, Any]] = []
    for _, task_dir in paths.all_tasks():
        seen = record.observe(task_dir)
        if seen is None or not _belongs(seen.record, task_dir, paths):
            continue
        wanted = seen.alive or len(found) < _LATEST_TASKS
        found.append(
            {
                "latest": latest(os.path.join(task_dir, layout.EVENTS)) if wanted else [],
                "run_id": seen.record["run_id"],
                "task": seen.record["task"],
                "state": seen.record,
                "alive": seen.alive,
                "task_alive": seen.task_alive,
                "supervisor_alive": seen.supervisor_alive,
            }
        )
        if len(found) >= _MOST_TASKS:
            break
    return found


def _belongs(known: record.Record, task_dir: str, paths: layout.Layout) -> bool:
    """A record that was copied elsewhere says nothing about the folder it lies in."""
    run_id, task = known.get("run_id"), known.get("task")
    if not isinstance(run_id, str) or not isinstance(task, str) or not run_id:
        return False
    return os.path.basename(task_dir) == task.replace(":", "-") and task_dir.startswith(
        paths.run(run_id) + os.sep
    )
