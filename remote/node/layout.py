"""Every path that Clew uses on a node.

    <root>/app/<digest>/                     deployed trainer
    <root>/data/<name>-<digest>/             staged data
    <root>/env/<key>/                        an environment that was made here
    <root>/runs/<run>/checkpoints/
    <root>/runs/<run>/stop.json              a stop order for every task that sees it
    <root>/runs/<run>/<node>/<task>/         one task: the files named below
    <root>/runs/<run>/<node>/samples.jsonl   the node's CPU, memory and GPUs meanwhile
    <root>/runs/<run>/<node>/control.json    which desktop controls the run, on the chief's node
    <root>/sampler/<node>/                   the supervisors that the node is sampled for

Run ids, node names and data set names may be any text; each becomes one safe path component.
"""

import hashlib
import os
import re
from typing import Iterator, List, Tuple

from remote.node.refused import Refused

SPEC, LAUNCH, STATE = "spec.json", "launch.json", "state.json"
EVENTS, LOG = "events.jsonl", "log.txt"
STOP_ORDER, SUPERVISOR_LOG, START_LOCK = "stop.json", "supervisor.log", "start.lock"
SAMPLES, CONTROL = "samples.jsonl", "control.json"
STREAMS = {"events": EVENTS, "log": LOG}
"""The files of a task that can be followed."""
PART_PREFIX = ".part-"
"""Unfinished uploads; ``<prefix><digest>``, beside the folder they become."""
MANIFEST, JOURNAL = ".clew-tree.json", ".clew-journal"
ENVIRONMENT = ".clew-env.json"
"""Written last into an environment: without it, it is none."""

_MAX_COMPONENT = 150
_TASK = re.compile(r"(ps|worker):(0|[1-9][0-9]{0,5})")
_KEY = re.compile(r"[0-9a-f]{32}(-[A-Za-z0-9_.%-]{1,250})?")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


def component(text: str) -> str:
    """``text`` as one path component: safe ASCII stays, other bytes become ``%XX``.

    Different texts give different components; very long ones end in a hash.
    """
    raw = text.encode("utf-8", "surrogateescape")
    if not raw:
        raise Refused("an empty name cannot be a folder on the node", "Give it a name.")
    first_dot = raw[:1] == b"."
    safe = "".join(
        chr(byte) if byte in _SAFE and not (i == 0 and first_dot) else "%%%02X" % byte
        for i, byte in enumerate(raw)
    )
    if len(safe) <= _MAX_COMPONENT:
        return safe
    return "%s%%%s" % (safe[:_MAX_COMPONENT], hashlib.sha256(raw).hexdigest()[:24])


class Layout:
    """The paths under one storage root, for one node."""

    def __init__(self, root: str, node: str) -> None:
        if not os.path.isabs(root):
            what = "the storage root %r is not an absolute path" % root
            raise Refused(what, "Correct storage.root in the profile.")
        self.root = root
        self.node = node

    @property
    def runs(self) -> str:
        return os.path.join(self.root, "runs")

    def tree(self, kind: str, name: str, digest: str) -> str:
        """Where the tree lives: ``kind`` is ``app`` or ``data``."""
        if not _DIGEST.fullmatch(digest) or kind not in ("app", "data"):
            raise Refused("%r is not the name of a tree" % (kind + "/" + digest))
        if kind == "app":
            return os.path.join(self.root, "app", digest)
        return os.path.join(self.root, "data", "%s-%s" % (component(name), digest))

    @property
    def environments(self) -> str:
        return os.path.join(self.root, "env")

    def environment(self, key: str) -> str:
        """The folder of an environment."""
        if not _KEY.fullmatch(key):
            raise Refused("%r is not the name of an environment" % key)
        return os.path.join(self.environments, key)

    def run(self, run_id: str) -> str:
        return os.path.join(self.runs, component(run_id))

    def checkpoints(self, run_id: str) -> str:
        return os.path.join(self.run(run_id), "checkpoints")

    def tasks(self, run_id: str) -> str:
        """The folder that holds this node's tasks of a run."""
        return os.path.join(self.run(run_id), component(self.node))

    @property
    def sampler(self) -> str:
        """Where the sampler of this node finds whom it samples for."""
        return sampler_folder(self.root, component(self.node))

    def task(self, run_id: str, task: str) -> str:
        if not _TASK.fullmatch(task):
            raise Refused("%r is not a task" % task)
        return os.path.join(self.tasks(run_id), task.replace(":", "-"))

    def run_stop_order(self, run_id: str) -> str:
        """The stop order for all tasks of a run; on a shared home it reaches every node."""
        return os.path.join(self.run(run_id), STOP_ORDER)

    def stop_order(self, run_id: str, task: str) -> str:
        """The stop order for one task."""
        return os.path.join(self.task(run_id, task), STOP_ORDER)

    def task_names(self, run_id: str) -> List[str]:
        """The tasks of a run that have a folder on this node, in name order."""
        names = [entry.replace("-", ":", 1) for entry in listing(self.tasks(run_id))]
        return [name for name in names if _TASK.fullmatch(name)]

    def all_tasks(self) -> Iterator[Tuple[str, str]]:
        """``(run folder, task folder)`` of every task of this node, newest run first."""
        own = component(self.node)
        folders = [os.path.join(self.runs, name) for name in listing(self.runs)]
        for run in sorted(folders, key=modified, reverse=True):
            for task in listing(os.path.join(run, own)):
                yield run, os.path.join(run, own, task)


def sampler_folder(root: str, node: str) -> str:
    """``node``: the component that stands for it in paths."""
    return os.path.join(root, "sampler", node)


def listing(folder: str) -> List[str]:
    """The names in a folder, in order; none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def modified(path: str) -> float:
    """When a file was last written to, by its own disk; 0: it is not there."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
