"""From text to what a field needs: whole numbers, numbers, yes or no, one of several words.

Every function takes a text of the file (or a value that already has the right type) and an
example of a right value, and raises :class:`ValueError` with one sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from shlex import split

from remote.profile.words import control_character, show

_WHOLE = re.compile(r"[+-]?[0-9][0-9_]{0,30}")
_NUMBER = re.compile(r"[+-]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)([eE][+-]?[0-9]{1,4})?")
_YES_NO = {
    "true": True, "yes": True, "on": True, "y": True,
    "false": False, "no": False, "off": False, "n": False,
}  # fmt: skip


def whole(value: object, example: object) -> int:
    """``2000``, ``0123`` (decimal), ``1e4``; never octal, never base 60."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    try:
        as_float = number(value, example)
    except ValueError:
        as_float = math.nan
    if as_float.is_integer() and abs(as_float) < 1 << 53:
        return int(as_float)
    raise ValueError(f"must be a whole number like {example}, not {show(value)}")


def number(value: object, example: object) -> float:
    """``0.01``, ``1e-3``, ``.9``; finite."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        found = _as_float(value)
    elif isinstance(value, str) and len(value) < 64 and _NUMBER.fullmatch(value.strip()):
        found = float(value)
    else:
        found = math.nan
    if math.isfinite(found):
        return found
    hint = ""
    if isinstance(value, str) and re.fullmatch(r"[0-9]+,[0-9]+", value.strip()):
        hint = "; the decimal mark is a point"
    raise ValueError(f"must be a number like {example}, not {show(value)}{hint}")


def yes_no(value: object) -> bool:
    """``yes``, ``no``, ``on``, ``off``, ``true``, ``false``, ``y``, ``n`` in any case."""
    if isinstance(value, bool):
        return value
    found = _YES_NO.get(value.strip().casefold()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"must be yes or no, not {show(value)}")
    return found


def choice(value: object, choices: Sequence[str], *, own: object = False) -> str:
    """One of ``choices``, exactly; ``own``: the message offers a function of the user's."""
    if isinstance(value, str) and value in choices:
        return value
    wanted = choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if own:
        wanted += ", or your own package.module:function"
    raise ValueError(f"must be {wanted}, not {show(value)}")


def words(value: object, example: str) -> tuple[str, ...]:
    """A list of texts; one text is split at blanks as a shell would, and nothing else is done."""
    if isinstance(value, str):
        try:
            return tuple(text(word, example, allowed="\t") if word else "" for word in split(value))
        except ValueError:
            message = f"must be a list like {example}, with every quote closed"
            raise ValueError(f"{message}, not {show(value)}") from None
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        for item in value:
            unwanted = control_character(item, "\t")
            if unwanted:
                raise ValueError(f"must not contain the control character {unwanted}: {show(item)}")
        return tuple(value)
    raise ValueError(f"must be a list of texts like {example}, not {show(value)}")


def text(value: object, example: object, *, allowed: str = "") -> str:
    """A text that is not empty and has no control characters but the ``allowed`` ones."""
    if not isinstance(value, str):
        raise ValueError(f"must be a text like {example}, not {show(value)}")
    if not value.strip():
        raise ValueError(f"must not be empty; write for example {example}, or leave the key out")
    unwanted = control_character(value, allowed)
    if unwanted:
        raise ValueError(f"must not contain the control character {unwanted}: {show(value)}")
    return value


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
