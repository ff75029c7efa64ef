"""Says in words how a task's process ended. Statuses and signals decide, never its output."""

import os
import re
import signal
from typing import List, Optional

from remote.node import texts

_TAIL_BYTES = 16 * 1024
_LINES = 20
_LINE_CHARACTERS = 500
_ESCAPE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\^_])")


def tail_lines(path: str, start: int) -> List[str]:
    """The last lines that a file gained after byte ``start``, without control characters.

    A line that was overwritten by carriage returns is given as it was last shown.
    """
    try:
        with open(path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(start, end - _TAIL_BYTES))
            raw = file.read(_TAIL_BYTES)
    except OSError:
        return []
    text = raw.decode("utf-8", "replace")
    lines = [_plain(line) for line in text.split("\n")]
    kept: List[str] = texts.to_system([line for line in lines if line][-_LINES:])
    return kept


def _plain(line: str) -> str:
    shown = [part for part in _ESCAPE.sub("", line).split("\r") if part.strip()]
    last = shown[-1] if shown else ""
    clean = "".join(c if c.isprintable() else " " for c in last).rstrip()
    return clean[:_LINE_CHARACTERS]


def killed_by_node(exit_code: Optional[int], signal_number: Optional[int]) -> bool:
    """Signal 9, seen directly or by a shell in between (status 137)."""
    return signal_number == signal.SIGKILL or exit_code == 128 + signal.SIGKILL


def describe(
    exit_code: Optional[int], signal_number: Optional[int], oom_killed: bool, lines: List[str]
) -> str:
    """One sentence about an end that nobody ordered."""
    if killed_by_node(exit_code, signal_number):
        if oom_killed:
            return "killed by the node (signal 9), out of memory: its cgroup counted the kill"
        return "killed by the node (signal 9), probably out of memory"
    if signal_number is not None:
        return "killed by signal %d (%s)" % (signal_number, _signal_name(signal_number))
    last = ": " + lines[-1] if lines else ""
    return "ended with exit status %d%s" % (exit_code or 0, last)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
