"""A firewall of a test node, made of routing rules: a packet filter may be absent."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.sshd import SshdNode
from tests.support.waiting import PATIENCE_S

_PRIORITY = "10"


@contextmanager
def closed(node: SshdNode, ports: str) -> Iterator[None]:
    """Drop what comes from outside to these TCP ports (``2220-2300``) of a node of mode netns."""
    # The table of local addresses is asked first; a rule that is to come before it needs room.
    _ip(node, "rule", "add", "pref", "100", "lookup", "local", check=False)
    _ip(node, "rule", "del", "pref", "0", check=False)
    words = ("pref", _PRIORITY, "iif", "eth0", "ipproto", "tcp", "dport", ports, "blackhole")
    _ip(node, "rule", "add", *words)
    try:
        yield
    finally:
        _ip(node, "rule", "del", "pref", _PRIORITY)


@contextmanager
def no_route(node: SshdNode, address: str) -> Iterator[None]:
    """Let the node know no way to ``address``."""
    _ip(node, "route", "add", "unreachable", f"{address}/32")
    try:
        yield
    finally:
        _ip(node, "route", "del", "unreachable", f"{address}/32")


def _ip(node: SshdNode, *words: str, check: bool = True) -> None:
    if node.namespace is None:
        raise ValueError("only nodes of mode 'netns' have rules of their own")
    command = ["ip", "-n", node.namespace, *words]
    subprocess.run(command, check=check, capture_output=True, timeout=PATIENCE_S)
