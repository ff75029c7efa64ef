"""Slurm's forms of time: limits and durations such as ``2-12:00:00``, and moments.

See ``--time`` in sbatch(1) and TIME in squeue(1).
"""

import re
import time
from typing import Optional, Tuple

_NO_LIMIT = frozenset(["unlimited", "infinite", "-1"])
_DAYS = re.compile(r"([0-9]{1,6})-([0-9]{1,6})(?::([0-9]{1,6})(?::([0-9]{1,6}))?)?", re.ASCII)
_PLAIN = re.compile(r"([0-9]{1,9})(?::([0-9]{1,6})(?::([0-9]{1,6}))?)?", re.ASCII)
_MOMENT = "%Y-%m-%dT%H:%M:%S"


def limit(text: str) -> Tuple[bool, Optional[int]]:
    """A limit as options have it: whether it is one, and its seconds; None: no limit.

    ``minutes``, ``MM:SS``, ``HH:MM:SS``, ``D-HH``, ``D-HH:MM``, ``D-HH:MM:SS``; 0 is no limit.
    """
    word = text.strip()
    if word.lower() in _NO_LIMIT:
        return True, None
    days = _DAYS.fullmatch(word)
    if days:
        seconds = _seconds(*days.groups())
        return True, seconds or None
    plain = _PLAIN.fullmatch(word)
    if not plain:
        return False, None
    first, second, third = plain.groups()
    if third is not None:
        return True, _seconds("0", first, second, third) or None
    # sbatch takes one number for minutes, and two for minutes and seconds.
    return True, _seconds("0", "0", first, second) or None


def duration_s(text: str) -> Optional[int]:
    """What squeue and sinfo show as a time, in seconds; None: no limit, ``INVALID``, not known.

    One number is minutes, ``MM:SS``, ``HH:MM:SS`` and ``D-HH:MM:SS`` are as they look. Nothing is
    negative here: a limit that has passed is shown so for a moment, and is 0.
    """
    word = text.strip()
    if re.fullmatch(r"-[0-9-][0-9:-]*", word):
        return 0
    if word and not word.strip("0:-"):
        return 0  # no time at all; as an option it would be no limit
    return limit(word)[1]


def moment(text: str) -> Optional[float]:
    """A moment in UTC epoch seconds, from the node's local time; None: ``N/A``, ``Unknown``, …"""
    word = text.strip()
    if re.fullmatch(r"[0-9]{9,12}", word, re.ASCII):
        return float(word)  # SLURM_TIME_FORMAT=%s
    try:
        return time.mktime(time.strptime(word[:19], _MOMENT))
    except (ValueError, OverflowError):
        return None


def _seconds(days: str, hours: str, minutes: Optional[str], seconds: Optional[str]) -> int:
    return ((int(days) * 24 + int(hours)) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
