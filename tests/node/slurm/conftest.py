"""A small real Slurm on loopback: munge, a controller, two nodes with four GPUs each."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ports import free_ports
from tests.support.waiting import PATIENCE_S, until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel")
_CONF = """\
ClusterName=clewtest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
MessageTimeout=100
KillWait=2
{nodes}
PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP DefMemPerCPU=100
PartitionName=debug Nodes=gpu01 MaxTime=1-12:00:00 State=UP DefMemPerCPU=100
"""


class SmallSlurm:
    """The daemons; the clients find them by ``SLURM_CONF``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.conf = folder / "slurm.conf"
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        ports = free_ports(3)
        host = socket.gethostname().partition(".")[0]
        nodes = [
            f"NodeName=gpu0{i} NodeHostname={host} NodeAddr=127.0.0.{20 + i} Port={ports[i]} "
            "CPUs=8 RealMemory=16000 Gres=gpu:a100:4 State=UNKNOWN"
            for i in (1, 2)
        ]
        text = _CONF.format(host=host, port=ports[0], folder=folder, nodes="\n".join(nodes))
        self.conf.write_text(text)
        for i in range(4):
            subprocess.run(["mknod", folder / f"nvidia{i}", "c", "195", str(i)], check=True)
        (folder / "gres.conf").write_text(
            f"AutoDetect=off\nNodeName=gpu0[1-2] Name=gpu Type=a100 File={folder}/nvidia[0-3]\n"
        )
        (folder / "key").write_bytes(os.urandom(1024))
        (folder / "key").chmod(0o400)
        (folder / "state").mkdir()

    def start(self) -> None:
        at = self.folder
        options = {"socket": "munge.socket", "key-file": "key", "log-file": "munged.log"}
        options |= {"pid-file": "munged.pid", "seed-file": "seed"}
        paths = [f"--{key}={at / name}" for key, name in options.items()]
        self._run("munged", ["munged", "--force", "--foreground", *paths])
        until((at / "munge.socket").exists)
        self.start_controller()
        for node in ("gpu01", "gpu02"):
            self._run(node, ["slurmd", "-D", "-N", node, "-f", str(self.conf)])
        self.wait_idle()

    def start_controller(self) -> None:
        self._run("slurmctld", ["slurmctld", "-D", "-f", str(self.conf)])

    def stop_controller(self) -> None:
        """It writes down what it knows; what was killed has forgotten the last seconds."""
        child = self._children.pop("slurmctld")
        child.terminate()
        child.wait()

    def pause_controller(self) -> None:
        self._children["slurmctld"].send_signal(signal.SIGSTOP)

    def resume_controller(self) -> None:
        self._children["slurmctld"].send_signal(signal.SIGCONT)

    def call(self, *argv: str) -> str:
        """Standard output of a client."""
        done = subprocess.run(
            argv, env=self.env(), capture_output=True, text=True, timeout=PATIENCE_S
        )
        return done.stdout

    def env(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self.conf), "LC_ALL": "C"}

    def jobs(self, name: str = "") -> list[str]:
        """The ids of all jobs that are not over."""
        only = ["-n", name] if name else []
        return self.call("squeue", "-h", "-o", "%i", *only).split()

    def wait_idle(self) -> None:
        until(
            lambda: self.call("sinfo", "-h", "-p", "gpu", "-N", "-o", "%T").split() == ["idle"] * 2
        )

    def clear(self) -> None:
        """End all jobs, and wait until the nodes are free."""
        self.call("scancel", "-u", "root")
        until(lambda: not self.jobs())
        self.wait_idle()

    def stop(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired, AssertionError):
            self.clear()
        for child in reversed(self._children.values()):
            child.kill()
            child.wait()

    def _run(self, name: str, argv: list[str]) -> None:
        with open(self.folder / f"{name}.out", "ab") as out:
            self._children[name] = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env()
            )


@pytest.fixture(scope="package")
def daemons() -> Iterator[SmallSlurm]:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"Slurm needs root and {', '.join(missing) or 'its programs'}")
    # munge's socket needs a short path whose folders nobody else may write to.
    folder = Path(tempfile.mkdtemp(prefix="clew-slurm-", dir="/run"))
    made = SmallSlurm(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def slurm(daemons: SmallSlurm, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallSlurm]:
    """The Slurm with an empty queue, and clients that find it."""
    monkeypatch.setenv("SLURM_CONF", str(daemons.conf))
    daemons.clear()
    yield daemons
    daemons.clear()
