"""How names of files are shown: any bytes may be in them."""

from __future__ import annotations

import os

from trainer.text import one_line


def shown(path: str | os.PathLike[str]) -> str:
    """``path`` on one line of bounded length; bytes that are not UTF-8 as ``\\xff``."""
    return one_line(os.fsencode(path).decode("utf-8", "backslashreplace"), 300)
