"""A task's log as a terminal would show it, as lines of text.

A carriage return starts the line again (progress bars), escape sequences are dropped, bytes that
are not UTF-8 are replaced, a character split over two pieces is joined, and a line that is too
long is cut with a note.
"""

from __future__ import annotations

import codecs
import re
from collections import deque

MAX_LINE = 8192
"""Characters of a line that are kept."""
CUT = " … (line cut)"

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor movements
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # titles and other strings
    r"|\x1b[ -/]*[0-~]"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x9c]{0,4096}\x1b?|[ -/]*)\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class LogText:
    """Takes pieces of a log's bytes, gives its lines.

    Args:
        limit: how many of the newest lines are kept; None: all.
    """

    def __init__(self, limit: int | None = 10_000) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines: deque[str] = deque(maxlen=limit)
        self._pending = ""
        self._line = ""

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the log."""
        text = self._pending + self._decoder.decode(data)
        unfinished = _UNFINISHED.search(text)
        self._pending = text[unfinished.start() :] if unfinished else ""
        text = _ESCAPE.sub("", text[: len(text) - len(self._pending)])
        *whole, rest = text.split("\n")
        for part in whole:
            self._overwrite(part)
            self._lines.append(_shown(self._line))
            self._line = ""
        self._overwrite(rest)

    def lines(self) -> list[str]:
        """The lines so far; the last may still be growing."""
        last = _shown(self._line)
        return [*self._lines, last] if last else list(self._lines)

    def _overwrite(self, part: str) -> None:
        # "\r" at the end of what is known so far may belong to "\r\n": it acts on what follows.
        line = self._line + part
        ended = line.endswith("\r")
        newest = line.rstrip("\r").rpartition("\r")[2]
        self._line = newest[: MAX_LINE + 1] + ("\r" if ended else "")


def _shown(line: str) -> str:
    text = _CONTROL.sub("", line.rstrip("\r"))
    return text if len(text) <= MAX_LINE else text[:MAX_LINE] + CUT
