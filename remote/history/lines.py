"""From the bytes of a task's files, in whatever pieces they come, to whole lines and events.

Bytes may arrive in any chunking, again (after a reconnect), or from the start (a file that was
truncated or replaced). Each event comes out exactly once: re-delivered bytes are recognised by
their offset, and events of a re-read file by ``(attempt, seq)``, which a task never uses twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from trainer.events import MAX_LINE_BYTES, Event, EventError, Steps, decode

_BARE = re.compile(rb"(?<=[:\[,])\s*([-+]?(?:nan|inf|infinity))(?=\s*[,\]}])", re.IGNORECASE)
_START = b'{"v":'


BEFORE_BYTES = 512
"""So many bytes before an offset tell whether a file is still the one that was read."""


class GapError(Exception):
    """Bytes between ``expected`` and the delivered offset are missing: ask again from there."""

    def __init__(self, expected: int) -> None:
        super().__init__(f"bytes from {expected} on are missing")
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line without its line end, and where it starts in the file."""

    offset: int
    text: bytes


class LineAssembler:
    """Splits one file's byte stream into lines; keeps the unfinished last line.

    Args:
        offset: where the stream goes on: the end of the last whole line that is already known.
        before: what is known of the bytes just before ``offset``.
    """

    def __init__(self, offset: int = 0, before: bytes = b"") -> None:
        self.before = before
        """The last bytes before ``committed``."""
        self.committed = offset
        """End of the last whole line: what may be stored, and where to go on after a crash."""
        self.too_long = 0
        """Lines longer than an event may be; they were skipped."""
        self._tail = bytearray()
        self._skipping = 0
        """Bytes of the present line that were dropped because it is too long."""
        self._skipped_end = b""

    @property
    def received(self) -> int:
        """Offset of the next byte that is new."""
        return self.committed + self._skipping + len(self._tail)

    def feed(self, offset: int, data: bytes, *, reset: bool = False) -> list[Line]:
        """Take the bytes that stand at ``offset`` in the file; give the lines that became whole.

        Raises:
            GapError: ``offset`` is beyond the next expected byte. Nothing was taken.
        """
        if reset:
            self.committed, self._skipping, self.before = offset, 0, b""
            self._tail.clear()
        if offset > self.received:
            raise GapError(self.received)
        self._tail += data[self.received - offset :]
        return self._whole_lines()

    def _whole_lines(self) -> list[Line]:
        lines: list[Line] = []
        end = self._tail.rfind(b"\n")
        if end >= 0:
            skipped = self._skipped_end if self._skipping else b""
            self.before = (self.before + skipped + self._tail[: end + 1])[-BEFORE_BYTES:]
            for text in bytes(self._tail[:end]).split(b"\n"):
                if self._skipping or len(text) > MAX_LINE_BYTES:
                    self.too_long += 1
                else:
                    lines.append(Line(self.committed, text))
                self.committed += self._skipping + len(text) + 1
                self._skipping = 0
            del self._tail[: end + 1]
        if len(self._tail) > MAX_LINE_BYTES:
            self._skipping += len(self._tail)
            self._skipped_end = bytes(self._tail[-BEFORE_BYTES:])
            self._tail.clear()
        return lines


@dataclass(frozen=True, slots=True)
class PlacedEvent:
    """An event, the bytes it was read from, and where they stand in the task's file."""

    offset: int
    raw: bytes
    event: Event


class EventAssembler:
    """Decodes one task's event file; counts what is no event instead of stopping at it.

    Args:
        offset: where to go on; see :class:`LineAssembler`.
        generation: how often the file has been replaced so far.
        seen: the greatest ``seq`` that is already known, per attempt.
        before: what is known of the bytes just before ``offset``.
    """

    def __init__(
        self,
        offset: int = 0,
        *,
        generation: int = 0,
        seen: Mapping[int, int] | None = None,
        before: bytes = b"",
    ) -> None:
        self._lines = LineAssembler(offset, before)
        self._seen = dict(seen or {})
        self._odd = 0
        self.generation = generation

    @property
    def committed(self) -> int:
        """End of the last whole line."""
        return self._lines.committed

    @property
    def before(self) -> bytes:
        """The bytes just before ``committed``, as far as they are known."""
        return self._lines.before

    @property
    def odd(self) -> int:
        """Lines so far that were torn, too long, or no events of this version."""
        return self._odd + self._lines.too_long

    def feed(self, offset: int, data: bytes, *, reset: bool = False) -> list[PlacedEvent]:
        """The events that these bytes complete and that were not given before. Raises GapError."""
        if reset:
            self.generation += 1
        placed = []
        for line in self._lines.feed(offset, data, reset=reset):
            event = self._decode(line.text)
            if event is not None and event.seq > self._seen.get(event.attempt, -1):
                self._seen[event.attempt] = event.seq
                placed.append(PlacedEvent(line.offset, line.text, event))
        return placed

    def _decode(self, line: bytes) -> Event | None:
        if not line.strip():
            return None
        try:
            return decode_line(line)
        except EventError:
            self._odd += 1
        try:
            return _behind_torn(line)
        except EventError:
            return None


def decode_stored(raw: bytes) -> Event:
    """The event of a line that is stored: it may stand behind a torn one. Raises EventError."""
    try:
        return decode_line(raw)
    except EventError:
        event = _behind_torn(raw)
    if event is None:
        raise EventError("no event")
    return event


def _behind_torn(line: bytes) -> Event | None:
    """The event at the end of a line that is none itself; None: there is none. Raises EventError.

    A process that was killed leaves half a line, a node that lost power a block of NULs; the next
    attempt's first event then stands behind it on the same line.
    """
    start = line.rfind(_START)
    return decode_line(line[start:]) if start > 0 else None


def decode_line(line: bytes) -> Event:
    """Read one line, with ``nan`` and ``inf`` allowed as C writes them (no JSON has them).

    Raises:
        EventError: it is no event.
    """
    try:
        event = decode(line)
    except EventError:
        repaired = _BARE.sub(rb'"\1"', line)
        if repaired == line:
            raise
        event = decode(repaired)
    if isinstance(event.body, Steps) and min(event.body.steps, default=0) < 0:
        raise EventError("a step below zero")
    return event
