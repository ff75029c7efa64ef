"""How grave a line of a log is, by the marks that TensorFlow, absl, glog and Python's logging set.

Only marks at the places where such programs set them count: a line that speaks of errors is none.
"""

from __future__ import annotations

import re
from typing import Literal

LineLevel = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[LineLevel, ...] = ("debug", "info", "warning", "error")

_GLOG = re.compile(r"([IWEF])\d{4} [\d:.]+ +\d+ [\w./+-]+:\d+\]")
_TENSORFLOW = re.compile(r"\d{4}-\d\d-\d\d [\d:.]+: ([IWEF]) [\w./+-]+:\d+\]")
_WORD = re.compile(
    r"(?:\[?\d{4}-\d\d-\d\d[ T][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?[ :-]*)?(?:[\w.]+ - )?"
    r"\[?(DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b(?=[\]: ]|$)"
)
_PYTHON_WARNING = re.compile(r"\S+:\d+: (?:\w*Warning): ")
_EXCEPTION = re.compile(r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit)(?:: |$)")
_FATAL = re.compile(r"Fatal Python error: |Segmentation fault|Aborted \(core dumped\)|Bus error$")
_MARKS = (_GLOG, _TENSORFLOW, _WORD)
_LETTERS: dict[str, LineLevel] = {"I": "info", "W": "warning", "E": "error", "F": "error"}
_WORDS: dict[str, LineLevel] = {
    "DEBUG": "debug",
    "INFO": "info",
    "NOTICE": "info",
    "WARN": "warning",
    "WARNING": "warning",
}


_ANY = re.compile(
    "|".join(f"(?:{p.pattern})" for p in (*_MARKS, _PYTHON_WARNING, _EXCEPTION, _FATAL))
)
"""Almost every line is none of these: one look says so."""
_BEGIN = "Traceback (most recent call last)"


def level_of(text: str) -> LineLevel:
    """The level of one line; what says none is ``info``, as everything a program prints."""
    if not _ANY.match(text):
        return "error" if text.startswith(_BEGIN) else "info"
    found = _GLOG.match(text) or _TENSORFLOW.match(text)
    if found:
        return _LETTERS[found[1]]
    word = _WORD.match(text)
    if word:
        return _WORDS.get(word[1], "error")
    if _PYTHON_WARNING.match(text):
        return "warning"
    if text.startswith(_BEGIN) or _EXCEPTION.match(text):
        return "error"
    return "error" if _FATAL.match(text) else "info"
