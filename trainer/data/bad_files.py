"""Keeps count of image files that cannot be used: up to a bound they are skipped."""

from __future__ import annotations

import threading
from collections.abc import Callable

from trainer.failures import BadData


class BadFiles:
    """The bad files of one process. Thread-safe; a file that comes again counts once.

    Each is listed in the log (standard output). The user is told of the first, then whenever their
    number has doubled, and by :meth:`sum_up` of the rest.
    """

    def __init__(self, limit: int, tell: Callable[[str], None]) -> None:
        self._limit = limit
        self._tell = tell
        self._lock = threading.Lock()
        self._seen: set[str] = set()
        self._first = ""
        self._told = 0

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, file: str, why: str) -> None:
        """Count one. Raises ``BadData`` when it is one too many."""
        with self._lock:
            if file in self._seen:
                return
            self._seen.add(file)
            count = len(self._seen)
            self._first = self._first or f"{file} ({why})"
            print(f"skipped {file}: {why}", flush=True)
            if count > self._limit:
                raise BadData(
                    f"{file} cannot be used ({why}), and it is bad file number {count}: more than "
                    f"the {self._limit} that dataset.max_bad_files allows; the first was "
                    f"{self._first}; mend the data set or allow more"
                )
            if count == 1 or count >= 2 * self._told:
                self._tell_now(count)

    def sum_up(self) -> None:
        """Tell the user the number, if it has changed since they were told."""
        with self._lock:
            if len(self._seen) > self._told:
                self._tell_now(len(self._seen))

    def _tell_now(self, count: int) -> None:
        self._told = count
        if count == 1:
            text = f"skipped a file that cannot be used: {self._first}"
        else:
            text = f"skipped {count} files that cannot be used, the first {self._first}"
        self._tell(f"{text}; up to {self._limit} are allowed, the log lists each")
