"""Small JSON files of the window in the data folder, written whole or not at all. No Qt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gui.language import tr
from remote.errors import ClewError
from remote.node.files import publish

BIGGEST = 4_000_000
"""Bytes that a file of ours never reaches; a bigger one is not ours."""


def data_folder() -> Path:
    """Where this account's history is, and what the window keeps."""
    from remote.history.database import default_path

    return default_path().parent


def read_kept(path: Path) -> Any:
    """What the file says; None where there is none. Raises ClewError."""
    try:
        if path.stat().st_size > BIGGEST:
            raise ClewError(
                tr("{path} is too large to be Clew's", path=path), remedy=tr("Move it away.")
            )
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClewError(
            tr("{path} cannot be read: {strerror}", path=path, strerror=error.strerror or error)
        ) from None
    except (ValueError, RecursionError):
        raise ClewError(
            tr("{path} is damaged", path=path), remedy=tr("Move it away; Clew makes a new one.")
        ) from None


def write_kept(path: Path, value: object) -> None:
    """Replace ``path``; only this account may read it. Raises ClewError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        publish(str(path), json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8"))
    except OSError as error:
        why = error.strerror or str(error)
        raise ClewError(
            tr("{path} cannot be written: {why}", path=path, why=why),
            remedy=tr("Free some space there."),
        ) from None
