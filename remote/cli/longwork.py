"""A line about work on this computer that may take a while: only where somebody watches."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from remote.cli.environment import Environment
from remote.cli.text import plain

_FIRST_S = 0.7
"""Work that ends before this says nothing."""
_EVERY_S = 0.2


class LongWork:
    """Use as a context; hand :meth:`progress` to the work."""

    def __init__(self, env: Environment, what: str) -> None:
        self._what = plain(what)
        self._shown = False
        self._next = time.monotonic() + _FIRST_S
        self._quiet = env.json or not sys.stderr.isatty()

    def progress(self, done: int, total: int) -> None:
        """So much of it is done."""
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        self._next, self._shown = now + _EVERY_S, True
        sys.stderr.write(f"\r{self._what} … {done / total:4.0%}")
        sys.stderr.flush()

    def __enter__(self) -> LongWork:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
