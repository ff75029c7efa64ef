"""How a worker waits for the ps and for the chief: bounded, and saying for whom."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NoReturn

from trainer.engine.board import Board
from trainer.failures import LostPeer, RunIsOver, Unavailable
from trainer.net import is_listening
from trainer.roles.context import Context
from trainer.runtime import patience_s

LOOK_EVERY_S = 0.1
GONE_S = 5.0
"""A task that had finished before it was killed waits so long for peers that may have left."""
LEFT_ALONE_S = 60.0
"""A task that has only to say goodbye leaves when whom it would say it to is away for so long."""


class Patience:
    """A time limit on a wait; it starts anew after every step of progress."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._whom = ""
        self._limit_s = patience_s()
        self._since: float | None = None
        self.all_taken = False
        """Whether this task has nothing left to do but to leave."""

    def renew(self) -> None:
        """There was progress."""
        self._since = None
        self._whom = ""

    @property
    def waiting(self) -> bool:
        """Whether there was a wait since the last progress."""
        return bool(self._whom)

    @property
    def waited_s(self) -> float:
        """Seconds since the wait began."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    def wait(self, whom: str, seconds: float = LOOK_EVERY_S) -> None:
        """Wait a little for ``whom``. Raises ``LostPeer`` at the limit, ``StopRequested``."""
        if self._since is None:
            self._since = time.monotonic()
        if whom != self._whom:
            self._whom = whom
            self._context.phase("waiting", f"waiting for {whom}")
        if self.waited_s > self._limit_s:
            self.use_up(whom)
        self._context.stop.sleep(seconds)

    def use_up(self, whom: str) -> NoReturn:
        """The limit is reached. Raises ``LostPeer``."""
        raise LostPeer(
            f"gave up after waiting {self._limit_s:.0f} s for {whom}; "
            "see that task's log and whether this node can reach that address"
        )


def wait_for_servers(context: Context, patience: Patience, peers: Mapping[str, str]) -> None:
    """Wait until every peer, named and with its address, accepts connections.

    Raises ``RunIsOver`` when this task has done its work and the peers have left as well.
    """
    for name, address in peers.items():
        while not is_listening(address):
            patience.wait(f"{name} at {address}")
            if context.earlier.finished and patience.waited_s > GONE_S:
                raise RunIsOver
            if patience.all_taken and patience.waited_s > LEFT_ALONE_S:
                _leave_if_alone(context)


def _leave_if_alone(context: Context) -> None:
    """All steps are taken, and no ps is there to say that the chief is done as well.

    The chief has saved and evaluated all when it comes here.
    """
    if context.spec.task.is_chief or not is_listening(context.spec.cluster.worker[0]):
        raise RunIsOver


def wait_for_ps(context: Context, patience: Patience, board: Board, session: Any) -> None:
    """Wait until every ps says that it serves this run: another run's ps may hold the port."""
    while True:
        unmarked = [k for k, flags in board.flags(session).items() if not flags.marked]
        if not unmarked:
            return
        address = context.spec.cluster.ps[unmarked[0]]
        patience.wait(f"ps:{unmarked[0]} of this run at {address}, where another program answers")


def wait_for_variables(context: Context, patience: Patience, board: Board, session: Any) -> None:
    """Wait until the chief has given all variables their values, and the ps average if they must.

    Raises ``Unavailable`` when the chief has ended the run, ``RunIsOver`` when it is done.
    """
    while True:
        flags = board.flags(session)
        for k, flag in flags.items():
            if flag.failed:
                raise Unavailable(f"worker:0 ended the run: {board.failure(session, k)}")
        if flags and all(flag.over for flag in flags.values()):
            raise RunIsOver
        if not all(flag.ready for flag in flags.values()):
            patience.wait("worker:0 to set up the variables")
        elif context.spec.training.is_sync and not board.is_served(session):
            patience.wait("the ps to begin with the averages")
        else:
            return
