"""Calls that may never return, on threads that do not keep the process."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_begun: list[Future[Any]] = []


def begin(call: Callable[[], T]) -> Future[T]:
    """Run ``call`` on a thread of its own, which the end of the process does not wait for."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # for whoever waits for the answer
            answer.set_exception(error)

    _begun[:] = [each for each in _begun if not each.done()]
    _begun.append(answer)
    threading.Thread(target=run, name="first-call", daemon=True).start()
    return answer


def end_with(status: int) -> int:
    """``status``; but if a call is still under way, the process ends with it here and now.

    The interpreter's own way out would unwind that thread inside TensorFlow, which aborts.
    """
    if all(each.done() for each in _begun):
        return status
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
