"""What a terminal would leave on the screen: log bytes as lines of plain text.

A small state machine that keeps its state between chunks, so that any way of cutting the stream
gives the same lines. A carriage return starts the line over, escape sequences (CSI, OSC and their
kin, ECMA-48) are removed and never obeyed, control characters are dropped, and lines are cut.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator

MAX_LINE = 8192
"""Characters of a line that are kept."""
MAX_ESCAPE = 4096
"""A longer escape sequence is broken: what follows is text again."""
CUT_NOTE = " … [line cut]"
TAB = 8

_PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_FINAL = range(0x40, 0x7F)
_STRINGS = "]PX^_"
"""After ESC: operating system command, device control, start of string, privacy, application."""


class LogLines:
    """Complete lines in ``lines`` (bounded) and the unfinished one in ``current``."""

    def __init__(self, limit: int = 20_000) -> None:
        self.lines: deque[str] = deque(maxlen=limit)
        self.added = 0
        """How many lines were ever completed."""
        self.version = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._state = "text"
        self._escape = 0
        self._line: list[str] = []
        self._length = 0
        self._cut = False
        self._return = False

    @property
    def current(self) -> str:
        """The line that is not ended yet, as it stands."""
        return "".join(self._line) + (CUT_NOTE if self._cut else "")

    def feed(self, data: bytes) -> None:
        """Take raw bytes; those that are not UTF-8 become replacement marks."""
        self.feed_text(self._decoder.decode(data))

    def feed_text(self, text: str) -> None:
        """Take decoded text."""
        position, end = 0, len(text)
        while position < end:
            if self._state == "text":
                run = _PLAIN.match(text, position)
                if run:
                    self._put(run[0])
                    position = run.end()
                    continue
                self._control(text[position])
            else:
                self._in_escape(text[position])
            position += 1
        self.version += 1

    def all(self) -> Iterator[str]:
        """Every kept line, and the unfinished one if there is something in it."""
        yield from self.lines
        if self._line:
            yield self.current

    def _put(self, text: str) -> None:
        if self._return:
            self._start_over()
        room = MAX_LINE - self._length
        if len(text) > room:
            text, self._cut = text[:room], True
        if text:
            self._line.append(text)
            self._length += len(text)

    def _control(self, char: str) -> None:
        if char == "\n":
            self.lines.append(self.current)
            self.added += 1
            self._start_over()
        elif char == "\r":
            self._return = True  # only now if more text follows: "\r\n" is one line end
        elif char == "\t":
            self._put(" " * (TAB - self._length % TAB))
        elif char == "\b":
            self._backspace()
        elif char == "\x1b":
            self._state, self._escape = "escape", 0
        elif char == "\x9b":
            self._state, self._escape = "csi", 0
        elif char in "\x90\x98\x9d\x9e\x9f":
            self._state, self._escape = "string", 0

    def _start_over(self) -> None:
        self._line.clear()
        self._length = 0
        self._cut = self._return = False

    def _backspace(self) -> None:
        if self._length and not self._return:
            text = "".join(self._line)[:-1]
            self._line[:] = [text] if text else []
            self._length = len(text)
            self._cut = False

    def _in_escape(self, char: str) -> None:
        self._escape += 1
        if char in "\n\x18\x1a" or self._escape > MAX_ESCAPE:
            self._state = "text"  # cancelled, or a line end: a terminal's log goes on
            if char == "\n":
                self._control(char)
        elif char == "\x1b":
            self._state = "escape"
        elif self._state == "escape":
            self._after_escape(char)
        elif self._state == "csi":
            if ord(char) in _FINAL:
                self._state = "text"
            elif char == "\r":
                self._control(char)
        elif char in "\x07\x9c":  # end of a string
            self._state = "text"

    def _after_escape(self, char: str) -> None:
        if char == "[":
            self._state = "csi"
        elif char in _STRINGS:
            self._state = "string"
        elif not 0x20 <= ord(char) <= 0x2F:  # not an intermediate: the sequence ends here
            self._state = "text"
