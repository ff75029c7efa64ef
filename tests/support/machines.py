"""Machines of a small cluster: each in its own network, with its own host name and processes.

Needs root. All see the same disk. Nothing of a machine survives whoever started it, even killed:
its first process dies with the starting thread, and its network has no name that could stay.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.support.node_processes import command_of, pids_inside, wait_until_gone
from tests.support.waiting import PATIENCE_S, until

# The first process of a machine. It also waits for whoever lost its parent, as init does.
_INIT = r"""set -e
name="$1"; shift
mount --make-rprivate /
mount -t proc proc /proc
hostname "$name"
opened="$1"; shift
for each in $opened; do
  closed=${each%%:*}; inner=${each#*:}
  aside=$(mktemp -d)
  mount --bind "$inner" "$aside"
  case " $seen " in
    *" $closed "*) ;;
    *) mount -t tmpfs -o mode=755 tmpfs "$closed"; seen="$seen $closed" ;;
  esac
  mkdir -p "$inner"
  mount --bind "$aside" "$inner"
  umount "$aside"; rmdir "$aside"
done
while [ $# -gt 1 ]; do mount --bind "$1" "$2"; shift 2; done
mkdir -p /run/sshd
cd /
while :; do sleep 1000 & wait; done
"""
_DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


@dataclass
class Machine:
    """One machine.

    ``binds``: file or folder here -> the path that it stands for there. ``opened``: folders that
    every account can reach there, whatever the folders above them allow; of what else is beside
    them nothing is seen.
    """

    name: str
    ip: str
    folder: Path
    binds: Mapping[Path, str] = field(default_factory=dict)
    opened: Sequence[Path] = ()
    link: str = ""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _helpers: list[subprocess.Popen[bytes]] = field(default_factory=list, repr=False)

    @property
    def up(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its first process, as numbered here."""
        assert self._process is not None, f"{self.name} is off"
        path = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return int(path.read_text().split()[0])

    def start(self, bridge: str) -> None:
        """Switch it on and put it on the network."""
        self.folder.mkdir(parents=True, exist_ok=True)
        words = [str(word) for bind in self.binds.items() for word in bind]
        spaces = ["--mount", "--uts", "--pid", "--net", "--fork", "--kill-child"]
        with self._log("init") as log:
            self._process = subprocess.Popen(
                [
                    *_DIES_WITH_US,
                    "unshare",
                    *spaces,
                    "bash",
                    "-c",
                    _INIT,
                    "init",
                    self.name,
                    " ".join(_behind_closed(self.opened)),
                    *words,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until(self._is_apart, what=lambda: (self.folder / "init.log").read_text())
        self.link = f"cs{secrets.token_hex(4)}"
        ends = ("type", "veth", "peer", "name", "eth0", "netns", str(self.pid))
        ip("link", "add", self.link, *ends)
        ip("link", "set", self.link, "master", bridge, "up")
        inside = ["nsenter", "-t", str(self.pid), "-n", "ip"]
        for command in (
            ["link", "set", "lo", "up"],
            ["addr", "add", f"{self.ip}/24", "dev", "eth0"],
            ["link", "set", "eth0", "up"],
        ):
            subprocess.run([*inside, *command], check=True, capture_output=True, timeout=PATIENCE_S)
        until(self._is_ready, what=lambda: (self.folder / "init.log").read_text())

    def _is_apart(self) -> bool:
        with contextlib.suppress(OSError, IndexError):
            return os.readlink(f"/proc/{self.pid}/ns/net") != os.readlink("/proc/self/ns/net")
        assert self.up, (self.folder / "init.log").read_text()
        return False

    def _is_ready(self) -> bool:
        """Whether its first process has set all up and sleeps."""
        path = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return any(command_of(int(pid))[:1] == ("sleep",) for pid in path.read_text().split())

    def entering(self, user: tuple[int, str, Path] | None = None) -> list[str]:
        """Words in front of a command that make it run there; as root, or as that account."""
        enter = ["nsenter", "-t", str(self.pid), "-m", "-u", "-n", "-p", "--wd=/"]
        if user is None:
            return enter
        uid, name, home = user
        names = [f"HOME={home}", f"USER={name}", f"LOGNAME={name}"]
        who = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        return [*enter, *who, "env", "-C", str(home), *names]

    def spawn(self, name: str, argv: Sequence[str]) -> None:
        """Start a daemon that stays in the foreground; its output goes to ``<name>.log``."""
        with self._log(name) as log:
            self._helpers.append(
                subprocess.Popen(
                    [*_DIES_WITH_US, *self.entering(), *argv],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def pids(self, program: str = "") -> list[int]:
        """Processes there by the name of their program, as numbered here; without: all."""
        if not self.up:
            return []
        assert self._process is not None
        found = []
        for pid in pids_inside(self._process.pid):
            with contextlib.suppress(OSError):
                if program in ("", Path(f"/proc/{pid}/comm").read_text().strip()):
                    found.append(pid)
        return found

    def commands(self) -> list[str]:
        """Command lines of everything there."""
        return [" ".join(words) for pid in self.pids() if (words := command_of(pid))]

    def signal(self, program: str, number: signal.Signals) -> int:
        """Send a signal to every process of that name; how many there are."""
        pids = self.pids(program)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(pids)

    def kill(self, program: str) -> None:
        """End a program there at once, and wait until it is gone."""
        pids = self.pids(program)
        self.signal(program, signal.SIGKILL)
        wait_until_gone(pids)

    def cut(self) -> None:
        """Let nothing through to it or back, without anybody being told."""
        ip("link", "set", self.link, "down")

    def restore(self) -> None:
        ip("link", "set", self.link, "up")

    def stop(self) -> None:
        """Switch it off as a power cut would; does nothing when it is off."""
        process, self._process = self._process, None
        if process is None:
            return
        inside = pids_inside(process.pid)
        process.kill()  # unshare ignores SIGTERM
        process.wait(PATIENCE_S)
        wait_until_gone(inside)
        helpers, self._helpers = self._helpers, []
        for helper in helpers:
            helper.kill()
            helper.wait(PATIENCE_S)

    def _log(self, name: str) -> IO[bytes]:
        return (self.folder / f"{name}.log").open("ab")


class Bridge:
    """The network that machines are put on; addresses ``<network>.N``."""

    def __init__(self) -> None:
        taken = ip("-4", "-o", "addr").stdout
        free = [n for n in range(1, 255) if f" 10.78.{n}." not in taken]
        self.network = f"10.78.{secrets.choice(free)}"
        self.name = f"cs{secrets.token_hex(3)}"
        ip("link", "add", self.name, "type", "bridge")
        ip("addr", "add", f"{self.network}.1/24", "dev", self.name)
        ip("link", "set", self.name, "up")

    def remove(self) -> None:
        ip("link", "delete", self.name, check=False)


def ip(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run ``ip``. Raises RuntimeError with what it says."""
    done = subprocess.run(
        ["ip", *words], text=True, capture_output=True, check=False, timeout=PATIENCE_S
    )
    if check and done.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done


def _behind_closed(folders: Sequence[Path]) -> list[str]:
    """``<closed folder>:<folder below it>`` for each that an ordinary account cannot reach."""
    found = []
    for folder in folders:
        above = [*reversed(folder.parents)]
        closed = next((each for each in above if not each.stat().st_mode & stat.S_IXOTH), None)
        if closed is not None:
            found.append(f"{closed}:{folder}")
    return found
