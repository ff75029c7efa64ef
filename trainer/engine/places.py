"""Where things live: names of devices and of a run's shared resources."""

from __future__ import annotations

import hashlib

from trainer.spec import TaskSpec


def ps_device(index: int) -> str:
    """Variables stay on the CPU of a ps: it is given no GPU."""
    return f"/job:ps/task:{index}/device:CPU:0"


def worker_device(spec: TaskSpec, worker: int) -> str:
    """The process that computes for ``worker``; empty, this process, in a single one."""
    return "" if spec.training.is_single else f"/job:worker/task:{worker}"


def run_scope(run_id: str) -> str:
    """A name for this run's resources on a ps: two runs never meet in one variable."""
    return "run_" + hashlib.sha256(run_id.encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Homes:
    """Where the packed variables live: on the ps, or all in this process."""

    def __init__(self, spec: TaskSpec) -> None:
        self._single = spec.training.is_single
        self.count = 1 if self._single else len(spec.cluster.ps)
        self.scope = run_scope(spec.run_id)

    def device(self, ps: int) -> str:
        return "" if self._single else ps_device(ps)
