"""The colours of "select graphic rendition" (ECMA-48 8.3.117 and xterm's 256 and true colours)."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERS = re.compile(r"[0-9;:]*\Z")
_CUBE = (0, 95, 135, 175, 215, 255)


class Style(NamedTuple):
    """How a piece of text looks. ``color`` is ``""``, ``"0"`` to ``"15"``, or ``"#rrggbb"``."""

    color: str = ""
    bold: bool = False


PLAIN = Style()


def restyled(style: Style, parameters: str) -> Style:
    """``style`` after ``ESC [ parameters m``; what is no colour or weight changes nothing."""
    if not _NUMBERS.match(parameters):
        return style
    codes = [int(part) if part else 0 for part in re.split("[;:]", parameters)][:32]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = PLAIN
        elif code == 1:
            style = style._replace(bold=True)
        elif code == 22:
            style = style._replace(bold=False)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = style._replace(color=str(code - 30 if code < 90 else code - 82))
        elif code == 39:
            style = style._replace(color="")
        elif code in (38, 48):
            color, codes = _extended(codes)
            style = style._replace(color=color) if code == 38 and color else style
    return style


def _extended(codes: list[int]) -> tuple[str, list[int]]:
    """The colour of ``5;N`` or ``2;R;G;B``, and the codes after it."""
    if codes[:1] == [5] and len(codes) > 1:
        return _indexed(codes[1]), codes[2:]
    if codes[:1] == [2] and len(codes) > 3 and max(codes[1:4]) < 256:
        return "#{:02x}{:02x}{:02x}".format(*codes[1:4]), codes[4:]
    return "", []


def _indexed(index: int) -> str:
    if index < 16:
        return str(index)
    if index < 232:
        red, rest = divmod(index - 16, 36)
        return f"#{_CUBE[red]:02x}{_CUBE[rest // 6]:02x}{_CUBE[rest % 6]:02x}"
    if index < 256:
        return "#{0:02x}{0:02x}{0:02x}".format(8 + 10 * (index - 232))
    return ""
