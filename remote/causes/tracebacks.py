"""Python's tracebacks in a log: which exception ended the program, and where in the user's code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

BEGIN = "Traceback (most recent call last):"
_FRAME = re.compile(r'\s+(?:\|\s+)?File "(.+)", line (\d+)(?:, in (.+))?$')
_NOT_OWN = re.compile(
    r"/(?:site|dist)-packages/|/lib(?:64)?/python\d[\d.]*/|^<frozen |/app/[0-9a-f]{16,}/"
    r"|/tensorflow/python/|/keras/src/"
)
_STAGED = re.compile(r"^.*/(?:data|code)/[^/]+-[0-9a-f]{12,}/(?=.)")
_HEAD = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:$|: |:$)")
_CHAIN = re.compile(r"(?:During handling of|The above exception was the)")
_LOGGED = re.compile(
    r"[IWEF]\d{4} [\d:.]+ +\d+ |\d{4}-\d\d-\d\d[ T]\d\d:\d\d|(?:INFO|WARNING|ERROR|DEBUG):"
)
MOST_LINES = 60
"""Lines of an exception's message that are looked at."""


@dataclass(slots=True)
class Traceback:
    """One traceback. ``message`` has the exception's lines, the first with its name."""

    frames: list[tuple[str, int]] = field(default_factory=list)
    message: list[str] = field(default_factory=list)
    head_row: int = -1
    """Number of the row that names the exception; -1: it has not come."""
    closed: bool = False

    @property
    def head(self) -> str:
        """The exception in one line: its name, and the first words of its message that tell."""
        first = self.message[0].strip() if self.message else ""
        if first.endswith((":", "call().")):
            more = next((line.strip() for line in self.message[1:] if line.strip()), "")
            return f"{first} {more}".strip()
        return first

    def place(self) -> str:
        """The innermost line of the user's own code, ``train.py line 12``; empty: none is."""
        for path, line in reversed(self.frames):
            if not _NOT_OWN.search(path):
                return f"{_STAGED.sub('', path)} line {line}"
        return ""

    def take(self, number: int, text: str) -> None:
        """One more line after the beginning."""
        if not self.message:
            self._before_head(number, text)
        elif (
            len(self.message) >= MOST_LINES
            or text.startswith(BEGIN)
            or _CHAIN.match(text)
            or _LOGGED.match(text)
        ):
            self.closed = True
        else:
            self.message.append(text)

    def _before_head(self, number: int, text: str) -> None:
        frame = _FRAME.match(text)
        if frame:
            self.frames.append((frame[1], int(frame[2])))
        elif text.startswith(" ") or not text:
            return
        elif _HEAD.match(text):
            self.message.append(text)
            self.head_row = number
        else:
            self.closed = True  # something else was written in between
