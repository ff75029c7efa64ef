"""Says in words how a task's process ended. Statuses and signals decide, never its output."""

import os
import re
import signal
from typing import Any, Dict, List, Optional

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


def describe(attempt: Dict[str, Any]) -> str:
    """One sentence about an attempt's end that nobody ordered, from its record."""
    code, number = attempt["exit_code"], attempt["signal"]
    if killed_by_node(code, number):
        return "killed by the node (signal 9)" + _why_killed(attempt) + _peak(attempt)
    if number is not None:
        return "killed by signal %d (%s)" % (number, _signal_name(number))
    lines = attempt["last_lines"]
    last = ": " + lines[-1] if lines else ""
    if code is None:
        return "its end was not seen, because its supervisor was killed as well" + last
    return "ended with exit status %d%s" % (code, last)


def _why_killed(attempt: Dict[str, Any]) -> str:
    evidence = attempt.get("oom_evidence")
    if attempt.get("oom"):
        return ", out of memory: %s" % (evidence or "the kernel counted the kill")
    if evidence:
        return ", probably out of memory: %s" % evidence
    if attempt.get("oom_counted"):
        who = "somebody, or a watchdog of this machine, did it"
        return "; the kernel counted none that it killed for memory, so %s" % who
    return ", probably out of memory"


def _peak(attempt: Dict[str, Any]) -> str:
    peak = attempt.get("peak_bytes")
    return "; it had used up to %.1f GiB" % (peak / float(1 << 30)) if peak else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
