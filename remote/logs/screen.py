"""What a terminal would leave on the screen: log bytes as lines of text with their colours.

A small state machine that keeps its state between chunks, so that any way of cutting the stream
gives the same lines. A carriage return starts the line over, escape sequences (CSI, OSC and their
kin, ECMA-48) are removed and, but for colours, never obeyed, control characters are dropped, and
lines are cut.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from remote.logs.colors import PLAIN, Style, restyled

MAX_LINE = 8192
"""Characters of a line that are kept."""
MAX_ESCAPE = 4096
"""A longer escape sequence is broken: what follows is text again."""
CUT_NOTE = " … [line cut]"
TAB = 8
_MOST_SPANS = 256

_PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_ODD = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_FINAL = range(0x40, 0x7F)
_STRINGS = "]PX^_"
"""After ESC: operating system command, device control, start of string, privacy, application."""


class Span(NamedTuple):
    """Characters of a line that have a colour or weight of their own."""

    start: int
    end: int
    style: Style


class Line(NamedTuple):
    """A line as it was last shown."""

    text: str
    spans: tuple[Span, ...] = ()


class Screen:
    """Takes the pieces of one task's log; gives the lines that they complete."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._state = "text"
        self._escape = 0
        self._parameters: list[str] = []
        self._style = PLAIN
        self._parts: list[str] = []
        self._spans: list[Span] = []
        self._length = 0
        self._cut = False
        self._return = False
        self._done: list[Line] = []

    @property
    def current(self) -> Line:
        """The line that is not ended yet, as it stands."""
        text = "".join(self._parts) + (CUT_NOTE if self._cut else "")
        return Line(text, tuple(self._spans))

    def feed(self, data: bytes) -> list[Line]:
        """Take raw bytes; those that are not UTF-8 become replacement marks."""
        return self.feed_text(self._decoder.decode(data))

    def feed_text(self, text: str) -> list[Line]:
        """Take decoded text."""
        if self._state == "text" and self._style == PLAIN and not _ODD.search(text):
            return self._plain_lines(text)
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
        done, self._done = self._done, []
        return done

    def _plain_lines(self, text: str) -> list[Line]:
        """What most logs are: lines without anything odd in them."""
        *whole, rest = text.split("\n")
        done: list[Line] = []
        if whole:
            if whole[0]:
                self._put(whole[0])
            done.append(self.current)
            self._start_over()
            done += [
                Line(line if len(line) <= MAX_LINE else line[:MAX_LINE] + CUT_NOTE)
                for line in whole[1:]
            ]
        if rest:
            self._put(rest)
        return done

    def _put(self, text: str) -> None:
        if self._return:
            self._start_over()
        room = MAX_LINE - self._length
        if len(text) > room:
            text, self._cut = text[:room], True
        if text:
            start, self._length = self._length, self._length + len(text)
            self._parts.append(text)
            if self._style != PLAIN:
                self._paint(start, self._length)

    def _paint(self, start: int, end: int) -> None:
        if self._spans and self._spans[-1][1:] == (start, self._style):
            start = self._spans.pop().start
        if len(self._spans) < _MOST_SPANS:
            self._spans.append(Span(start, end, self._style))

    def _control(self, char: str) -> None:
        if char == "\n":
            self._done.append(self.current)
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
            self._begin_csi()
        elif char in "\x90\x98\x9d\x9e\x9f":
            self._state, self._escape = "string", 0

    def _start_over(self) -> None:
        self._parts.clear()
        self._spans.clear()
        self._length = 0
        self._cut = self._return = False

    def _backspace(self) -> None:
        if self._length and not self._return:
            text = "".join(self._parts)[:-1]
            self._parts[:] = [text] if text else []
            self._length = len(text)
            kept = (s._replace(end=min(s.end, self._length)) for s in self._spans)
            self._spans = [span for span in kept if span.start < span.end]
            self._cut = False

    def _begin_csi(self) -> None:
        self._state, self._escape = "csi", 0
        self._parameters.clear()

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
            self._in_csi(char)
        elif char in "\x07\x9c":  # end of a string
            self._state = "text"

    def _in_csi(self, char: str) -> None:
        if ord(char) in _FINAL:
            self._state = "text"
            if char == "m":
                self._style = restyled(self._style, "".join(self._parameters))
        elif char == "\r":
            self._control(char)
        else:
            self._parameters.append(char)

    def _after_escape(self, char: str) -> None:
        if char == "[":
            self._begin_csi()
        elif char in _STRINGS:
            self._state = "string"
        elif not 0x20 <= ord(char) <= 0x2F:  # not an intermediate: the sequence ends here
            self._state = "text"
