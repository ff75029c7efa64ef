"""The suite's Slurm, for clients that this process itself starts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.slurm import SlurmCluster
from tests.support.waiting import PATIENCE_S, until


class OwnSlurm:
    """Commands of this account, as the operations under test run them."""

    def __init__(self, cluster: SlurmCluster) -> None:
        self.cluster = cluster
        self.conf = str(cluster.folder / "conf" / "slurm.conf")

    def call(self, *argv: str) -> str:
        """Standard output of a client."""
        env = {**os.environ, "SLURM_CONF": self.conf, "LC_ALL": "C"}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
        return done.stdout

    def jobs(self, name: str = "") -> list[str]:
        """The ids of all jobs that are not over."""
        only = ["-n", name] if name else []
        return self.call("squeue", "-h", "-o", "%i", *only).split()

    def clear(self) -> None:
        """End all jobs."""
        self.call("scancel", "-u", "root")
        until(lambda: not self.jobs())


@pytest.fixture
def slurm(slurm_cluster: SlurmCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnSlurm]:
    """A Slurm without jobs, and clients that find it."""
    own = OwnSlurm(slurm_cluster)
    monkeypatch.setenv("SLURM_CONF", own.conf)
    yield own
    own.clear()
