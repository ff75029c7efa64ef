"""Texts as the operating system has them, whatever the account's locale.

Wire and files hold Unicode. In a locale that is not UTF-8 (Python 3.6 without ``LANG`` is ASCII)
``open("ü")`` fails, so texts are turned at the border: the UTF-8 bytes of the text, decoded as
this Python decodes file names. Where the locale is UTF-8 nothing changes.
"""

import json
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


def loads(data: bytes) -> Any:
    """A JSON document from a file. Raises ValueError."""
    return to_system(json.loads(data.decode("utf-8")))


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
