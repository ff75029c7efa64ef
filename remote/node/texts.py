"""Texts as the operating system has them, whatever the account's locale.

Wire and files hold Unicode. In a locale that is not UTF-8 (Python 3.6 without ``LANG`` is ASCII)
``open("ü")`` fails, so texts are turned at the border: the UTF-8 bytes of the text, decoded as
this Python decodes file names. Where the locale is UTF-8 nothing changes.
"""

import json
import math
import os
import sys
from typing import Any, Callable

_IS_UTF8 = sys.getfilesystemencoding().lower().replace("-", "") == "utf8"


def to_system(value: Any) -> Any:
    """``value`` from the wire, with every text in it as this system's calls take it."""
    return value if _IS_UTF8 else _map(value, _one_to_system)


def from_system(value: Any) -> Any:
    """The reverse of :func:`to_system`."""
    return value if _IS_UTF8 else _map(value, _one_from_system)


def dumps(value: Any) -> bytes:
    """``value`` as a JSON document for a file."""
    return json.dumps(from_system(value), indent=1, allow_nan=False).encode("ascii") + b"\n"


def line(value: Any) -> bytes:
    """``value`` as one line of JSON for a journal."""
    return json.dumps(from_system(value), allow_nan=False).encode("ascii") + b"\n"


def loads(data: bytes) -> Any:
    """A JSON document from a file: strict, numbers of 64 bits. Raises ValueError."""
    text = data.decode("utf-8")
    value = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    return to_system(value)


def _whole(text: str) -> int:
    value = int(text) if len(text) < 24 else 1 << 63
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError("%s... is too large" % text[:24])
    return value


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("%s is not finite" % text[:24])
    return value


def _one_to_system(text: str) -> str:
    return os.fsdecode(text.encode("utf-8", "surrogateescape"))


def _one_from_system(text: str) -> str:
    try:
        return os.fsencode(text).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text  # it never was a system's text


def _map(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [_map(item, change) for item in value]
    if isinstance(value, dict):
        return {_map(key, change): _map(item, change) for key, item in value.items()}
    return value
