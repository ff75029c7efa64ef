"""Machines in network namespaces, each on a link of a given rate to one switch."""

from __future__ import annotations

import os
import subprocess
from types import TracebackType

QUEUE_BYTES = 8 << 20
"""What waits before a link drops packets: TCP is to see a slow link, not a bad one."""


def why_no_links() -> str | None:
    """Why no such link can be made here; None: it can."""
    try:
        with ShapedLinks(1, gbit=1):
            return None
    except (OSError, subprocess.CalledProcessError) as error:
        text = getattr(error, "stderr", None) or str(error)
        return f"no shaped link can be made: {text.strip()}"


class ShapedLinks:
    """``count`` namespaces whose links carry ``gbit`` Gbit/s each way. Use as a context manager."""

    def __init__(self, count: int, *, gbit: float) -> None:
        self._count = count
        self._gbit = gbit
        self._tag = f"{os.getpid() % 100000}"
        self._bridge = f"bb{self._tag}"
        self._names = [f"bench-{self._tag}-{i}" for i in range(count)]

    def __enter__(self) -> ShapedLinks:
        try:
            _run("ip", "link", "add", self._bridge, "type", "bridge")
            _run("ip", "link", "set", self._bridge, "up")
            for i in range(self._count):
                self._add(i)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def address(self, index: int) -> str:
        """The IPv4 address of a machine."""
        return f"10.78.0.{10 + index}"

    def enter(self, index: int) -> list[str]:
        """Words before a command that is to run on a machine."""
        return ["ip", "netns", "exec", self._names[index]]

    def _add(self, index: int) -> None:
        name, link = self._names[index], f"bl{self._tag}{index}"
        inside = ("ip", "netns", "exec", name)
        _run("ip", "netns", "add", name)
        _run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        _run("ip", "link", "set", link, "master", self._bridge, "up")
        _run(*inside, "ip", "link", "set", "lo", "up")
        _run(*inside, "ip", "addr", "add", f"{self.address(index)}/24", "dev", "eth0")
        _run(*inside, "ip", "link", "set", "eth0", "up")
        self._shape(link)
        self._shape("eth0", *inside)

    def _shape(self, device: str, *inside: str) -> None:
        burst = max(128 << 10, int(self._gbit * 1e9 / 8 / 1000))  # a millisecond's worth
        words = ("rate", f"{self._gbit}gbit", "burst", str(burst), "limit", str(QUEUE_BYTES))
        _run(*inside, "tc", "qdisc", "add", "dev", device, "root", "tbf", *words)

    def _remove(self) -> None:
        for name in self._names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        subprocess.run(["ip", "link", "del", self._bridge], capture_output=True)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=20)
