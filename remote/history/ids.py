"""Names of runs: they sort by time and are short enough to type, ``20261130-1502-k3f9``."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable

from remote.errors import UnknownRun

_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"  # without what reads like something else
_PATTERN = re.compile(r"[0-9]{8}-[0-9]{4}-[0-9a-z]{4,8}")
LAST = "last"


def new_run_id(now: float | None = None) -> str:
    """A fresh id: the start in UTC to the minute, and four random letters."""
    moment = time.gmtime(time.time() if now is None else now)
    letters = "".join(secrets.choice(_ALPHABET) for _ in range(4))
    return f"{time.strftime('%Y%m%d-%H%M', moment)}-{letters}"


def is_run_id(text: str) -> bool:
    """Whether ``text`` has the form of a run's id; anything else never becomes part of a path."""
    return _PATTERN.fullmatch(text) is not None


def resolve(text: str, known: Iterable[str]) -> str:
    """The one run of ``known`` (newest first) that ``text`` means: its id, a prefix, its last
    letters, or ``last``.

    Raises:
        UnknownRun: no run or several runs are meant.
    """
    ids = list(known)
    if text == LAST:
        if ids:
            return ids[0]
        raise UnknownRun("there is no run yet", remedy="Start one with: clew run PROFILE")
    if text in ids:
        return text
    found = [i for i in ids if text and (i.startswith(text) or i.endswith(f"-{text}"))]
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(found[:4]) + (", …" if len(found) > 4 else "")
        raise UnknownRun(f"{text!r} could be {some}", remedy="Give more of the run's id.")
    raise UnknownRun(f"there is no run {text!r} in the history", remedy="List them: clew runs")
