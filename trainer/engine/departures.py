"""Which workers are done with the ps, and when a ps may go. No TensorFlow."""

from __future__ import annotations

from typing import NamedTuple

CHIEF_SAVED = -1
"""In place of a worker's index: the chief was stopped and needs the ps no more."""
CHIEF_SEEN = -2
"""The chief, which is done, has seen that all ps know it."""
SEEN_S = 5.0
"""How long a ps that could go stays for this word: the chief must not find it gone."""
STRAGGLERS_S = 60.0
"""How long a ps stays for other workers after the chief is done: every step is taken by then."""


class Word(NamedTuple):
    """Worker ``worker`` is done, or ``CHIEF_SAVED``; ``step`` is the global step it saw last."""

    worker: int
    step: int


class Departures:
    """Which workers are done, and whether the ps may go. Times are seconds of any one clock."""

    def __init__(self, workers: int, stay_s: float = STRAGGLERS_S) -> None:
        self._workers = workers
        self._stay_s = stay_s
        self._done: set[int] = set()
        self._chief_done_at: float | None = None
        self._chief_has_seen = False
        self.step = 0

    def note(self, word: Word, now: float) -> None:
        """Take one word of a worker; the same one twice counts once."""
        self.step = max(self.step, word.step)
        if 0 <= word.worker < self._workers:
            self._done.add(word.worker)
        if word.worker == CHIEF_SEEN:
            self._chief_has_seen = True
        if word.worker == 0 and self._chief_done_at is None:
            self._chief_done_at = now

    @property
    def missing(self) -> list[int]:
        return sorted(set(range(self._workers)) - self._done)

    @property
    def chief_is_done(self) -> bool:
        return self._chief_done_at is not None

    def may_go(self, now: float) -> bool:
        """All are done, or the chief is and the rest had their time."""
        if self._chief_done_at is None:
            return False
        since = now - self._chief_done_at
        if not self.missing:
            return self._chief_has_seen or since >= SEEN_S
        return since >= self._stay_s
