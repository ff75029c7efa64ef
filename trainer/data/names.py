"""How names of files are shown: any bytes may be in them, and a sentence is one line of text."""

from __future__ import annotations

import os

LONGEST = 300


def shown(path: str | os.PathLike[str]) -> str:
    """``path`` as printable text on one line: what is not, as ``\\xff`` or ``\\n``."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    plain = "".join(c if c.isprintable() else _escaped(c) for c in text)
    if len(plain) <= LONGEST:
        return plain
    return f"{plain[: LONGEST // 3]}...{plain[-LONGEST // 2 :]}"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
