"""Nodes that can be broken: switched off and on, cut off, filled up, their clocks moved.

Each has what a machine has of its own: processes, network, a small disk that outlives a reboot,
folders for temporary files, and a boot id that is new with every boot. The desktop has a network
of its own as well, so that its link can be cut.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import struct
import subprocess
import sys
import uuid
from pathlib import Path

from tests.support.node_processes import (
    command_of,
    inner_pid,
    is_sshd,
    pids_inside,
    wait_until_gone,
)
from tests.support.sshd import NodeOptions, SshdNode, SshdNodes

HERE = Path(__file__).resolve().parent
DISK = "48m"
_TEMPORARY = ("tmp", "var-tmp", "shm")
_QUEUE = {"slow": "300k", "lossy": "6k"}
"""What waits before the link drops packets: a long queue makes it slow, a short one lossy."""

# The first process of the node's own namespaces; every value arrives as an argument.
_INIT = r"""set -e
node="$1"; name="$2"; python="$3"; first="$4"
mount --make-rprivate /
mount -t proc proc /proc
hostname "$name"
mount --bind "$node/etc/passwd" /etc/passwd
mount --bind "$node/boot_id" /proc/sys/kernel/random/boot_id
mount --bind "$node/var-tmp" /var/tmp
mount --bind "$node/shm" /dev/shm
mkdir -p /run/sshd
cd /
exec "$python" -I -S "$first" "$node/etc/sshd_config"
"""


class ChaosNodes(SshdNodes):
    """``count`` nodes and a place for a desktop, for as long as the ``with`` block lasts.

    Args:
        folder: an empty folder; its path must not contain a blank.
    """

    def __init__(self, folder: Path, *, count: int) -> None:
        super().__init__(folder, count=count)
        self._clock = _clock_library(folder)
        self.desk = SshdNode(name="desk", ip="", port=0, folder=folder / "desk")
        self.off: set[int] = set()
        """Nodes that are switched off."""

    def __enter__(self) -> ChaosNodes:
        super().__enter__()
        return self

    @property
    def why_no_clock(self) -> str:
        """Why no clock can be moved here; empty: it can."""
        return "" if self._clock else "there is no C compiler, so clocks cannot be moved"

    def up(self) -> None:
        """Start all nodes and wait until each answers; give the desktop its network."""
        super().up()
        network = self.nodes[0].ip.rpartition(".")[0]
        self.desk.ip = f"{network}.200"
        self.desk_disk.mkdir(parents=True)
        _mount(self.desk_disk)
        self._add_namespace(self.desk, self._count)

    def down(self) -> None:
        for index in list(self.off):
            self.off.discard(index)
        super().down()
        if self.desk.namespace is not None:
            _quietly("ip", "netns", "delete", self.desk.namespace)
            self.desk.namespace = None
        for disk in (self.desk_disk, *(node.home for node in self.nodes)):
            _quietly("umount", "-l", str(disk))

    @property
    def desk_disk(self) -> Path:
        """A small disk for what the desktop keeps."""
        return self.desk.folder / "disk"

    def first_process(self, index: int) -> int:
        """The first process of a running node, as this machine numbers it."""
        children = Path(f"/proc/{self.nodes[index].pid}/task/{self.nodes[index].pid}/children")
        return int(children.read_text().split()[0])

    def programs(self, index: int) -> dict[int, tuple[str, ...]]:
        """What runs on a node besides its first process and sshd: pid and command line."""
        if index in self.off:
            return {}
        pids = [p for p in pids_inside(self.nodes[index].pid) if inner_pid(p) > 1]
        found = {pid: command_of(pid) for pid in pids if not is_sshd(pid)}
        return {pid: command for pid, command in found.items() if command}

    def temporary_files(self, index: int) -> list[Path]:
        """What lies in the node's folders for temporary files."""
        folder = self.nodes[index].folder
        return [path for name in _TEMPORARY for path in sorted((folder / name).rglob("*"))]

    def kill_sshd(self, index: int) -> int:
        """Kill the server and all its sessions; how many processes that were."""
        pids = [] if index in self.off else pids_inside(self.nodes[index].pid)
        servers = [pid for pid in pids if is_sshd(pid) and inner_pid(pid) > 1]
        for pid in servers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(servers)

    def start_sshd(self, index: int) -> None:
        if index not in self.off:
            os.kill(self.first_process(index), signal.SIGUSR1)

    def switch_off(self, index: int) -> None:
        """As if somebody pulled the plug: nothing of the node says good-bye to anybody."""
        if index in self.off:
            return
        node = self.nodes[index]
        self.cut_link(index)
        inside = pids_inside(node.pid)
        assert node.process is not None
        node.process.kill()
        node.process.wait()
        wait_until_gone(inside)
        self.off.add(index)
        _run("ip", "link", "delete", str(node.link))
        _run("ip", "netns", "delete", str(node.namespace))  # with its connections, without a word

    def switch_on(self, index: int) -> None:
        if index not in self.off:
            return
        self.off.discard(index)
        for name in _TEMPORARY:  # as a system clears them when it boots
            shutil.rmtree(self.nodes[index].folder / name)
        self._add_namespace(self.nodes[index], index)
        self._boot(self.nodes[index])

    def set_link(self, index: int | None, state: str) -> None:
        """``up`` or ``down``; None: the desktop's."""
        node = self.desk if index is None else self.nodes[index]
        if index not in self.off:
            _run("ip", "link", "set", str(node.link), state)

    def shape_link(self, index: int | None, mbit: float, kind: str) -> None:
        """Let a link carry so much each way, with a ``slow`` or a ``lossy`` queue before it."""
        node = self.desk if index is None else self.nodes[index]
        if index not in self.off:
            words = ("root", "tbf", "rate", f"{mbit}mbit", "burst", "4k", "limit", _QUEUE[kind])
            _run("tc", "qdisc", "replace", "dev", str(node.link), *words)
            _run("tc", "-n", str(node.namespace), "qdisc", "replace", "dev", "eth0", *words)

    def free_link(self, index: int | None) -> None:
        node = self.desk if index is None else self.nodes[index]
        if index not in self.off:
            _quietly("tc", "qdisc", "del", "dev", str(node.link), "root")
            _quietly("tc", "-n", str(node.namespace), "qdisc", "del", "dev", "eth0", "root")

    def fill_disk(self, index: int | None) -> None:
        """Leave no byte free; None: on the desktop's disk."""
        for size in (1 << 20, 4096, 1):
            with self._filler(index).open("ab", buffering=0) as file, contextlib.suppress(OSError):
                while file.write(b"\0" * size) == size:
                    pass

    def free_disk(self, index: int | None) -> None:
        self._filler(index).unlink(missing_ok=True)

    def jump_clock(self, index: int, seconds: float) -> None:
        """Move what the node's Python programs take for the time of day."""
        path = self.nodes[index].folder / "clock"
        (shift,) = struct.unpack("q", path.read_bytes())
        with path.open("r+b") as file:  # in place: running programs have it mapped
            file.write(struct.pack("q", shift + int(seconds * 1e9)))

    def _filler(self, index: int | None) -> Path:
        return (self.desk_disk if index is None else self.nodes[index].home) / "filler"

    def _own_options(self, index: int) -> NodeOptions:
        folder = self.folder / f"n{index + 1}"
        values = f"TMPDIR={folder}/tmp"
        if self._clock is not None:
            values += f" CHAOS_CLOCK={folder}/clock LD_PRELOAD={self._clock}"
        return NodeOptions(config=(f"SetEnv {values}", "ClientAliveInterval 5"))

    def _start(self, index: int, network: str) -> SshdNode:
        options = self._own_options(index)
        node = SshdNode(
            name=f"gpu{index + 1:03d}",
            ip=f"{network}.{10 + index}",
            port=22,
            folder=self.folder / f"n{index + 1}",
        )
        self._write_files(node, options)
        (node.folder / "clock").write_bytes(struct.pack("q", 0))
        _mount(node.home)
        self._add_namespace(node, index)
        self._boot(node)
        return node

    def _boot(self, node: SshdNode) -> None:
        (node.folder / "boot_id").write_text(f"{uuid.uuid4()}\n")
        for name in _TEMPORARY:
            (node.folder / name).mkdir(exist_ok=True)
        unshare = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child"]
        first = str(HERE / "first_process.py")
        script = ["bash", "-c", _INIT, "init", str(node.folder), node.name, sys.executable]
        assert node.namespace is not None
        with (node.folder / "sshd.log").open("ab") as log:
            node.process = subprocess.Popen(
                ["ip", "netns", "exec", node.namespace, *unshare, *script, first],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _add_namespace(self, node: SshdNode, index: int) -> None:
        super()._add_namespace(node, index)
        # The same card after a reboot: the others need not forget the address that they know.
        card = f"02:00:00:00:00:{index + 1:02x}"
        _run("ip", "-n", str(node.namespace), "link", "set", "eth0", "address", card)


def _clock_library(folder: Path) -> Path | None:
    """The library that moves clocks, compiled; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "shifted_clock.so"
    source = HERE / "shifted_clock.c"
    _run(compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl")
    return library


def _mount(folder: Path) -> None:
    _run("mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder))


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=90, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")


def _quietly(*words: str) -> None:
    subprocess.run(words, capture_output=True, timeout=90, check=False)
