"""A real Slurm: munge, a controller on a login node with sshd, and nodes with GPUs.

Needs root, and Slurm's programs. One logs in as the ordinary account ``ana``, whose home all nodes
share. GPUs are device files without a driver: Slurm hands them out and sets
``CUDA_VISIBLE_DEVICES``.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from tests.support.machines import Bridge, Machine
from tests.support.slurm_conf import SlurmOptions, gres_conf, slurm_conf, sshd_conf
from tests.support.sshd import DEFAULT_PATH, SSHD, SshdNode, make_key
from tests.support.waiting import PATIENCE_S, until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
ACCOUNT, UID = "ana", 20007
_PYTHON = sorted({Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()})
"""Where the Python of the tests, and its TensorFlow, are: the account runs tasks with it."""
_PREFIX = "clew-cluster-"
_TOOLS = ("unshare", "nsenter", "setpriv", "ip", "ssh-keygen", "mknod")


def why_no_slurm() -> str | None:
    """Why no Slurm can be started here; None when it can."""
    if sys.platform != "linux":
        return "a Slurm needs Linux namespaces"
    if os.geteuid() != 0:
        return "a Slurm needs root, to make namespaces"
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    missing = [name for name in (*PROGRAMS, *_TOOLS) if not shutil.which(name, path=path)]
    if not os.path.exists(SSHD):
        missing.append(SSHD)
    return f"a Slurm needs {', '.join(missing)}" if missing else None


def _remove_left() -> None:
    """Remove folders of clusters whose starter was killed: nobody holds them any more."""
    for folder in Path("/run").glob(f"{_PREFIX}*"):
        try:
            fd = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between its making and its holding one is empty.
            if next(folder.iterdir(), None) is not None:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # it is held
        finally:
            os.close(fd)


class SlurmCluster:
    """A login node and compute nodes for as long as the ``with`` block lasts."""

    def __init__(self, options: SlurmOptions | None = None) -> None:
        self.options = options or SlurmOptions()
        # munge's socket needs a short path whose folders nobody else may write to, and the account
        # must be able to enter them all.
        _remove_left()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir="/run"))
        self._held = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self._held, fcntl.LOCK_EX)
        self.folder.chmod(0o755)
        self.home = self.folder / "home" / ACCOUNT
        """The account's home, the same path here, at the login and on every node."""
        self.client_key = self.folder / "client_key"
        self.known_hosts = self.folder / "known_hosts"
        self.log = self.folder / "log"
        self.login: Machine
        self.nodes: dict[str, Machine] = {}
        self._bridge: Bridge | None = None
        self._munge: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> SlurmCluster:
        try:
            self.up()
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()

    def up(self) -> None:
        """Start everything and wait until all nodes are idle and the login answers."""
        self._bridge = Bridge()
        network = self._bridge.network
        addresses = {n: f"{network}.{20 + i}" for i, n in enumerate(self.options.names)}
        self._write_files(addresses)
        self._start_munge()
        self.login = self._machine("login1", f"{network}.10")
        self.start_controller()
        self.login.spawn("sshd", [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")])
        for name, address in addresses.items():
            self.nodes[name] = self._machine(name, address)
            self._start_slurmd(name)
        key = Path(f"{self.folder / 'host_key'}.pub").read_text().split()[:2]
        self.known_hosts.write_text(f"{self.login.ip} {' '.join(key)}\n")
        until(self._login_answers)
        self.wait_idle()

    def down(self) -> None:
        """End everything that was started; does nothing the second time."""
        for machine in [*self.nodes.values(), *([self.login] if hasattr(self, "login") else [])]:
            machine.stop()
        if self._munge is not None:
            self._munge.kill()
            self._munge.wait(PATIENCE_S)
            self._munge = None
        if self._bridge is not None:
            self._bridge.remove()
            self._bridge = None
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    @property
    def login_node(self) -> SshdNode:
        """The login as the helpers for SSH nodes take it."""
        return SshdNode(name="login1", ip=self.login.ip, port=22, folder=self.folder, user=ACCOUNT)

    def call(
        self, *argv: str, user: str = ACCOUNT, check: bool = True, stdin: str | None = None
    ) -> str:
        """Standard output of a command at the login; ``user``: the account's name, or root."""
        who = None if user == "root" else (UID, ACCOUNT, self.home)
        done = subprocess.run(
            [*self.login.entering(who), *argv],
            input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env={"PATH": self._path(), "LC_ALL": "C.UTF-8"},
        )
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip()}")
        return done.stdout

    def submit(self, script: str, *options: str) -> str:
        """The id of a new job of the account that runs ``script``."""
        text = f"#!/bin/sh\n{script}\n"
        return self.call("sbatch", "--parsable", *options, stdin=text).strip().partition(";")[0]

    def state(self, job: str) -> str:
        """RUNNING, PENDING and so on; empty: Slurm knows no such job."""
        shown = self.call("scontrol", "-o", "show", "job", job, check=False)
        return shown.partition("JobState=")[2].partition(" ")[0]

    def wait_for(self, job: str, *states: str) -> str:
        """The first of these states that the job comes into."""
        until(lambda: self.state(job) in states, what=lambda: f"{job}: {self.state(job)}")
        return self.state(job)

    def requeue(self, job: str) -> None:
        """End the job's tasks and begin it again at once, as after the loss of a node."""
        self.call("scontrol", "requeue", job, user="root")

        def waits() -> bool:
            self.call(
                "scontrol", "update", f"jobid={job}", "starttime=now", user="root", check=False
            )
            return self.state(job) in ("RUNNING", "COMPLETED", "FAILED")

        until(lambda: self.state(job) != "RUNNING")
        until(waits, pause_s=0.3)

    def node_states(self) -> dict[str, str]:
        """Each node's state in the short form of sinfo."""
        shown = self.call("sinfo", "-h", "-p", "gpu", "-N", "-o", "%N %t", check=False)
        return dict(line.split()[:2] for line in shown.splitlines() if len(line.split()) > 1)

    def wait_idle(self) -> None:
        wanted = dict.fromkeys(self.options.names, "idle")
        until(lambda: self.node_states() == wanted, what=lambda: f"{self.node_states()}")

    def clear(self) -> None:
        """End all jobs and wait until every node is free."""
        self.call("scancel", "--user", ACCOUNT, user="root", check=False)
        until(lambda: not self.call("squeue", "-h", check=False).strip())
        self.wait_idle()

    def start_controller(self) -> None:
        self.login.spawn("slurmctld", ["slurmctld", "-D"])

    def stop_controller(self) -> None:
        """End the controller: its clients find nobody. What it knows of jobs it keeps on disk."""
        self.login.signal("slurmctld", signal.SIGTERM)
        until(lambda: not self.login.pids("slurmctld"))

    def pause_controller(self) -> None:
        """The controller takes connections and does not answer."""
        self.login.signal("slurmctld", signal.SIGSTOP)

    def resume_controller(self) -> None:
        self.login.signal("slurmctld", signal.SIGCONT)

    def fail_node(self, name: str) -> None:
        """Switch a node off, and have Slurm know at once, as a site's watchdog would."""
        self.nodes[name].stop()
        self.call("scontrol", "update", f"nodename={name}", "state=down", "reason=off", user="root")

    def mend_node(self, name: str) -> None:
        """Switch a node on again, and wait until Slurm has it back."""
        assert self._bridge is not None
        if not self.nodes[name].up:
            self.nodes[name].start(self._bridge.name)
        if not self.nodes[name].pids("slurmd"):
            self._start_slurmd(name)
        resume = ("scontrol", "update", f"nodename={name}", "state=resume")

        def is_back() -> bool:
            self.call(*resume, user="root", check=False)
            return self.node_states().get(name) in ("idle", "mix", "alloc")

        until(is_back, pause_s=0.2)

    def _machine(self, name: str, address: str) -> Machine:
        etc = self.folder / "etc"
        binds: Mapping[Path, str] = {
            etc / "passwd": "/etc/passwd",
            etc / "group": "/etc/group",
            etc / "hosts": "/etc/hosts",
            self.folder / "conf": "/etc/slurm",
        }
        machine = Machine(name, address, self.log / name, binds, opened=_PYTHON)
        assert self._bridge is not None
        machine.start(self._bridge.name)
        return machine

    def _start_slurmd(self, name: str) -> None:
        self.nodes[name].spawn("slurmd", ["slurmd", "-D", "-N", name])

    def _start_munge(self) -> None:
        munge = self.folder / "munge"
        options = {"socket": "socket", "key-file": "key", "log-file": "log"}
        options |= {"pid-file": "pid", "seed-file": "seed"}
        words = [f"--{key}={munge / name}" for key, name in options.items()]
        with (self.log / "munged.log").open("ab") as log:
            self._munge = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "munged", "--force", "--foreground", *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "PATH": self._path()},
            )
        until((munge / "socket").exists, what=lambda: (self.log / "munged.log").read_text())

    def _login_answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection((self.login.ip, 22), 1) as s:
            return s.recv(4) == b"SSH-"
        return False

    def _path(self) -> str:
        return f"{self.folder / 'bin'}:{DEFAULT_PATH}"

    def _write_files(self, addresses: Mapping[str, str]) -> None:
        for name in ("etc", "conf", "state", "spool", "dev", "log", "munge", "bin"):
            (self.folder / name).mkdir()
        self.home.mkdir(parents=True)
        os.chown(self.home, UID, UID)
        self.home.chmod(0o700)
        for index in range(self.options.gpus):
            device = self.folder / "dev" / f"nvidia{index}"
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(195, index))
        (self.folder / "munge" / "key").write_bytes(os.urandom(1024))
        (self.folder / "munge" / "key").chmod(0o400)
        assert self._bridge is not None
        login = ("login1", f"{self._bridge.network}.10")
        conf = self.folder / "conf"
        conf.joinpath("slurm.conf").write_text(
            slurm_conf(self.options, self.folder, login, addresses)
        )
        conf.joinpath("gres.conf").write_text(gres_conf(self.options, self.folder / "dev"))
        conf.joinpath("cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        if self.options.nvidia_smi is not None:
            tool = self.folder / "bin" / "nvidia-smi"
            tool.write_text(self.options.nvidia_smi)
            tool.chmod(0o755)
        self._write_accounts(dict([login]) | dict(addresses))
        self._write_sshd(login[1])

    def _write_accounts(self, addresses: Mapping[str, str]) -> None:
        etc = self.folder / "etc"
        account = f"{ACCOUNT}:*:{UID}:{UID}:Ana:{self.home}:/bin/bash\n"
        (etc / "passwd").write_text(Path("/etc/passwd").read_text() + account)
        (etc / "group").write_text(Path("/etc/group").read_text() + f"{ACCOUNT}:x:{UID}:\n")
        hosts = [f"{address} {name} {name}-ib0" for name, address in addresses.items()]
        (etc / "hosts").write_text("\n".join(["127.0.0.1 localhost", *hosts, ""]))

    def _write_sshd(self, ip: str) -> None:
        make_key(self.client_key)
        make_key(self.folder / "host_key")
        authorized = self.folder / "authorized_keys"
        authorized.write_text(Path(f"{self.client_key}.pub").read_text())
        text = sshd_conf(ip, self.folder / "host_key", authorized, self._path())
        (self.folder / "sshd_config").write_text(text)
