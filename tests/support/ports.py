"""Ports for tests, from where no program's outgoing connection takes one by chance."""

from __future__ import annotations

import contextlib
import itertools
import random
import socket

_FIRST, _END = 10_000, 32_000
"""Below the kernel's ephemeral ports (from 32,768): a client may not be given one of these between
the look and the use, and a connection to one that nobody listens on cannot meet itself."""
_next = itertools.count(
    random.randrange(_FIRST, _END)
)  # other suites on this machine begin elsewhere


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now, on any address, and that are not given out again soon."""
    found: list[int] = []
    while len(found) < count:
        port = _FIRST + next(_next) % (_END - _FIRST)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("", port))
            found.append(port)
    return found


def free_port() -> int:
    """One of ``free_ports``."""
    (port,) = free_ports(1)
    return port
