"""Texts that a person reads: one line, whatever was put into them. Standard library only."""

from __future__ import annotations


def one_line(text: str, longest: int = 2000) -> str:
    """``text`` with what cannot be printed as ``\\n`` or ``\\xff``, and without a long middle."""
    plain = "".join(c if c.isprintable() else _escaped(c) for c in text)
    if len(plain) <= longest:
        return plain
    return f"{plain[: longest // 3]}...{plain[-longest // 2 :]}"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
