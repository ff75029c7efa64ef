"""Waiting for descriptors; ``select`` itself refuses numbers from 1024 on."""

import select
from typing import Sequence, Set


def wait(readable: Sequence[int], writable: Sequence[int], limit_s: float) -> Set[int]:
    """Those on which a read, or a write, would not block now; waits ``limit_s`` at most.

    One whose other end is gone is ready, too: the call tells.
    """
    poll = select.poll()
    for fd in readable:
        poll.register(fd, select.POLLIN)
    for fd in writable:
        poll.register(fd, select.POLLOUT)
    return {fd for fd, _ in poll.poll(limit_s * 1000)}
