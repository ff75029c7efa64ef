"""A job that Slurm begins again: its run goes on, maybe on other nodes, as new attempts.

The folder of a task moves to the node that has the task now, so that its events, its log and the
count of its attempts go on where they were: whoever follows them knows them by what they hold.
"""

import glob
import os
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from remote.node import files, layout, orders, record, texts

BY = "Slurm"
"""How orders begin that a keeper gives; they hold for one start of the job."""
CHIEF = "worker:0"


def why_over(paths: layout.Layout, run_id: str) -> str:
    """Why a job that is begun again has nothing to do; empty: its run is to go on."""
    order = orders.read(paths.run(run_id))
    if order is not None and not order.by.startswith(BY):
        return "the run was stopped" + (" by %s" % order.by if order.by else "")
    for known in _records(paths, run_id, CHIEF):
        if known["state"] == "finished":
            return "the run is finished"
        if known["state"] == "failed":
            return "the run has failed: %s" % known["reason"]
    return ""


def lift_order(paths: layout.Layout, run_id: str) -> None:
    """What Slurm's last word to the run was does not hold for this start."""
    _lift(paths.run(run_id))


def take_up(paths: layout.Layout, run_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
    """Bring the folders of ``tasks`` to where they run now.

    Raises:
        OSError: a folder cannot be moved.
    """
    for task in tasks:
        here = layout.Layout(paths.root, task["node"]).task(run_id, task["task"])
        there = _newest(paths, run_id, task["task"])
        if there is None:
            continue
        if there != here:
            os.makedirs(os.path.dirname(here), mode=0o700, exist_ok=True)
            if os.path.isdir(here):
                os.rename(here, "%s.%d" % (here, time.time()))
            os.rename(there, here)
        for other in _folders(paths, run_id, task["task"]):
            if other != here:
                os.rename(other, "%s.%d" % (other, time.time()))
        _lift(here)
        _begin_anew(here)


def _begin_anew(folder: str) -> None:
    """What a task was when its node was taken away is not its end."""
    known = record.load(folder)
    if known is None:
        return
    now = time.time()
    attempts: List[Dict[str, Any]] = [
        each if each.get("ended_at") is not None else dict(each, ended_at=now)
        for each in known["attempts"]
    ]
    changed = dict(
        known, state="restarting", reason="Slurm began the job again", attempts=attempts,
        supervisor=None,
    )  # fmt: skip
    files.publish(os.path.join(folder, layout.STATE), texts.dumps(changed))


def _lift(folder: str) -> None:
    order = orders.read(folder)
    if order is not None and order.by.startswith(BY):
        files.remove_quietly(os.path.join(folder, layout.STOP_ORDER))


def _newest(paths: layout.Layout, run_id: str, task: str) -> Optional[str]:
    """The folder in which most attempts were made."""
    best, most = None, -1
    for folder in _folders(paths, run_id, task):
        known = record.load(folder)
        count = len(known["attempts"]) if known else 0
        if count > most:
            best, most = folder, count
    return best


def _records(paths: layout.Layout, run_id: str, task: str) -> Iterator[record.Record]:
    for folder in _folders(paths, run_id, task):
        known = record.load(folder)
        if known is not None:
            yield known


def _folders(paths: layout.Layout, run_id: str, task: str) -> List[str]:
    name = task.replace(":", "-")
    return sorted(glob.glob(os.path.join(glob.escape(paths.run(run_id)), "*", name)))
