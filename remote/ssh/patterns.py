"""OpenSSH's host patterns: ``*``, ``?``, and ``!`` for "but not" (ssh_config(5), PATTERNS)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    # Runs of stars are one star: a pattern of many would take exponential time.
    escaped = re.escape(re.sub(r"\*+", "*", pattern.lower()))
    return re.compile(escaped.replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


def matches(text: str, pattern: str) -> bool:
    """Whether one pattern covers all of ``text``, letter case aside."""
    if "*" not in pattern and "?" not in pattern:
        return text.lower() == pattern.lower()
    return _regex(pattern).fullmatch(text.lower()) is not None


def matches_list(text: str, patterns: Iterable[str]) -> bool:
    """Whether any pattern matches and no negated one does."""
    found = False
    for pattern in patterns:
        if pattern.startswith("!"):
            if matches(text, pattern[1:]):
                return False
        elif matches(text, pattern):
            found = True
    return found
