"""First calls to peers, bounded: TensorFlow itself waits without end for one that is silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from trainer.left_behind import begin
from trainer.net import answers
from trainer.roles.context import Context
from trainer.roles.waiting import Patience

UNSAID_S = 2.0
"""A first call takes about a tenth of a second; what takes longer is worth a word."""
CHECK_S = 0.2
LOOK_AGAIN_S = 3.0
T = TypeVar("T")
Peers = Mapping[str, str]
"""Names and addresses."""


@contextmanager
def opened(
    context: Context, patience: Patience, peers: Peers, session: Any, call: Callable[[], object]
) -> Iterator[Any]:
    """``session``, which ``call`` opens by being its first; closed at the end.

    Raises as :func:`first_answer`, and what opening it raises.
    """
    answer = begin(call)
    try:
        _wait_for(answer, context, patience, peers)
    except BaseException:
        if answer.done():  # closing it would wait for the call, and that without end
            session.close()
        raise
    with session:
        yield session


def first_answer(context: Context, patience: Patience, peers: Peers, call: Callable[[], T]) -> T:
    """What ``call``, the first of its session, returns, within the limits of ``patience``.

    It opens the session, for which TensorFlow has no limit: a program that takes connections and
    never answers, or a task that was stopped, would keep it for ever. After a while the peers
    that do not answer are told.

    Raises:
        LostPeer: nobody answered in time; the call is left behind.
        StopRequested: the task was asked to end.
    """
    return _wait_for(begin(call), context, patience, peers)


def _wait_for(answer: Future[T], context: Context, patience: Patience, peers: Peers) -> T:
    since = time.monotonic()
    while time.monotonic() - since < UNSAID_S:
        if wait([answer], timeout=CHECK_S).done:
            return answer.result()
        context.stop.check()
    whom, looked = _silent(peers), time.monotonic()
    while not answer.done():
        if time.monotonic() - looked > LOOK_AGAIN_S:
            whom, looked = _silent(peers), time.monotonic()
        patience.wait(whom)
    return answer.result()


def _silent(peers: Peers) -> str:
    """Those that do not answer, in words; all where each one does by now."""
    silent = [f"{name} at {address}" for name, address in peers.items() if not answers(address)]
    if not silent:
        return f"{' or '.join(peers)} to answer"
    one = len(silent) == 1
    state = "accepts connections and never answers" if one else "accept connections, never answer"
    return f"{' and '.join(silent)}, which {state}"
