"""The newest events of a task, for whoever asks how it stands and does not follow it."""

import json
import os
from typing import Any, Dict, List

_TAIL_BYTES = 256 * 1024
_KINDS = {"started": "phase", "phase": "phase", "steps": "steps"}
"""Event types, and which of them replace each other."""


def latest(path: str) -> List[str]:
    """The last line about what the task does and the last one about its steps, in file order.

    Only the end of the file is looked at; a line that is not whole is left out.
    """
    found: Dict[str, str] = {}
    for line in reversed(_last_lines(path)):
        kind = _kind(line)
        if kind and kind not in found:
            found[kind] = line.decode("utf-8", "replace")
            if len(found) == len(set(_KINDS.values())):
                break
    return list(reversed(list(found.values())))


def finished(path: str, attempt: int) -> bool:
    """Whether this attempt of a task has written that all its work is done."""
    events = map(_event, reversed(_last_lines(path)))
    last = next((event for event in events if event), {})
    return last.get("type") == "finished" and last.get("attempt") == attempt


def _last_lines(path: str) -> List[bytes]:
    """The whole lines at the end of a file."""
    try:
        with open(path, "rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES)
            file.seek(start)
            raw = file.read(_TAIL_BYTES)
    except OSError:
        return []
    return raw.split(b"\n")[1 if start else 0 : -1]


def _kind(line: bytes) -> str:
    return _KINDS.get(str(_event(line).get("type")), "")


def _event(line: bytes) -> Dict[str, Any]:
    try:
        event = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}
