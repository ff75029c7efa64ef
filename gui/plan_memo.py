"""Why the tasks do not fit on the nodes: asked for at every tick, planned far less often."""

from __future__ import annotations

import time
from collections.abc import Callable

from remote.errors import PlanError

GOOD_S = 1.0
"""So long an answer is good while nothing has changed."""


class PlanMemo:
    """Remembers the last answer.

    Args:
        plan: makes the plan. Raises PlanError.
    """

    def __init__(self, plan: Callable[[], object]) -> None:
        self._plan = plan
        self._at = -GOOD_S
        self._about: tuple[object, ...] = ()
        self._problem = ""

    def problem(self, *about: object) -> str:
        """Why there is no plan; empty: there is one. ``about``: what it is made from."""
        now = time.monotonic()
        same = len(about) == len(self._about) and all(
            one is other for one, other in zip(about, self._about, strict=True)
        )
        if now - self._at < GOOD_S and same:
            return self._problem
        try:
            self._plan()
            self._problem = ""
        except PlanError as error:
            self._problem = str(error)
        self._at, self._about = now, about
        return self._problem

    def forget(self) -> None:
        """Something else has changed: ask anew."""
        self._at = -GOOD_S
