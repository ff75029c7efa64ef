"""How values and keys of a profile are put into sentences."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

SHOWN_CHARACTERS = 40
_CLOSE = 0.7
"""``difflib`` ratio from which a key counts as a slip of the fingers; ``prot``/``port`` is 0.75."""


def printable(text: str) -> str:
    """``text`` with everything that is invisible or steers a terminal written as an escape."""
    return "".join(_visible(character) for character in text)


def show(value: object) -> str:
    """A value as it may stand in a sentence: short, escaped, texts in double quotes."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        cut = value[:SHOWN_CHARACTERS] + ("…" if len(value) > SHOWN_CHARACTERS else "")
        return f'"{printable(cut)}"'
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, Sequence):
        return "a list"
    return printable(str(value)[:SHOWN_CHARACTERS])


def control_character(text: str, allowed: str = "") -> str | None:
    """The first character that no terminal, path or file should get, as ``U+001B``; or None.

    These are C0 and C1 controls, line and paragraph separators and lone surrogates. Joiners and
    marks that emoji and Arabic need are not among them.
    """
    for character in text:
        if character not in allowed and unicodedata.category(character) in _UNWANTED:
            return code_point(character)
    return None


def code_point(character: str) -> str:
    """``U+00A0``."""
    return f"U+{ord(character):04X}"


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that ``key`` was probably meant to be, if one is close."""
    plain = {_folded(name): name for name in known}
    close = difflib.get_close_matches(_folded(key), plain, n=1, cutoff=_CLOSE)
    return plain[close[0]] if close else None


_UNWANTED = frozenset({"Cc", "Zl", "Zp", "Cs"})


def _visible(character: str) -> str:
    if character.isprintable() or character == " ":
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _folded(key: str) -> str:
    return key.casefold().replace("-", "_").replace(" ", "_")
