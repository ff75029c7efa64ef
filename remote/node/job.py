"""What a supervisor knows of its run: the tasks, where they listen, which of them it needs."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from remote.node import layout, record, texts
from remote.node.files import read

CHIEF = "worker:0"
_PATIENCE_VARIABLE = "CLEW_PATIENCE_S"
_PATIENCE_S = 300.0
"""As long as tasks wait for each other, where ``CLEW_PATIENCE_S`` does not say otherwise."""


class Job(NamedTuple):
    """``addresses`` are ``host:port`` by task; ``needed``: the run cannot do without these."""

    run_id: str
    node: str
    task: str
    addresses: Dict[str, str]
    needed: Tuple[str, ...]
    is_command: bool
    """Whether its tasks run a program of the user's, which knows nothing of the others' ends."""
    patience_s: float

    @classmethod
    def read(cls, task_dir: str, launch: Dict[str, Any]) -> "Job":
        """From the task's ``spec.json``; one that cannot be understood leaves the task alone."""
        data = read(os.path.join(task_dir, layout.SPEC), record.MAX_STATE_BYTES)
        try:
            spec = texts.loads(data or b"")
            training = spec["training"]
            addresses = _addresses(spec["cluster"])
            needed = _needed(training, list(addresses))
            is_command = bool(training.get("command"))
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            addresses, needed, is_command = {}, (), False
        return cls(
            launch["run_id"],
            launch["node"],
            launch["task"],
            addresses,
            needed,
            is_command,
            _patience_s(launch.get("env") or {}),
        )

    @property
    def watched(self) -> List[str]:
        """Needed tasks whose port this one looks at: all the chief, workers also the ps."""
        own_is_ps = self.task.startswith("ps:")
        return [
            task
            for task in self.needed
            if task != self.task and (task == CHIEF or (task.startswith("ps:") and not own_is_ps))
        ]

    @property
    def needs_last_words(self) -> bool:
        """Whether only its supervisor can tell other nodes that this task has ended."""
        return self.is_command and self.task in self.needed and len(self.addresses) > 1

    def port(self) -> Optional[int]:
        """Where this task listens."""
        port = self.addresses.get(self.task, "").rpartition(":")[2]
        return int(port) if port.isdigit() else None


def split(address: str) -> Optional[Tuple[str, int]]:
    """Host and port of ``host:port`` or ``[host]:port``; None: it is neither."""
    host, _, port = address.rpartition(":")
    return (host.strip("[]"), int(port)) if host and port.isdigit() else None


def _addresses(cluster: Dict[str, Any]) -> Dict[str, str]:
    return {
        "%s:%d" % (role, index): str(address)
        for role in ("ps", "worker")
        for index, address in enumerate(cluster.get(role) or ())
    }


def _needed(training: Dict[str, Any], tasks: List[str]) -> Tuple[str, ...]:
    """The chief and the ps; of models of ours also all workers that no step does without."""
    if training.get("baseline") == "single" and not training.get("command"):
        return ()
    in_graph = training.get("replication") == "in-graph"
    in_step = training.get("update") == "sync" and not training.get("backup_workers")
    all_workers = (in_graph or in_step) and not training.get("command")
    return tuple(t for t in tasks if t == CHIEF or t.startswith("ps:") or all_workers)


def _patience_s(variables: Dict[str, str]) -> float:
    try:
        wanted = float(variables.get(_PATIENCE_VARIABLE, ""))
    except ValueError:
        return _PATIENCE_S
    return wanted if 0 < wanted < 86400 else _PATIENCE_S
