"""A history for the time that the real one cannot be used: in memory's file system, then gone."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from remote.errors import HistoryError, NewerHistory
from remote.history.database import default_path
from remote.history.store import History

_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it, for this user only


class StandIn(History):
    """Empty, and removed at its end; what runs write stays on their nodes.

    Args:
        why: what is wrong with the real one.
        folder: the real one's.
    """

    def __init__(self, why: HistoryError, folder: Path) -> None:
        base = _IN_MEMORY if _IN_MEMORY.is_dir() else None
        try:
            made = tempfile.mkdtemp(prefix="clew-", dir=base)
        except OSError:
            raise why from None
        self._remove = weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        super().__init__(Path(made, "history.db"))
        self._why, self._folder = why, folder

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def notice(self) -> str:
        return (
            f"{self._why.what[:1].upper()}{self._why.what[1:]}. Until it can be used again, runs "
            "are not kept on this computer; their nodes keep them, and they are found there later."
        )

    def close(self) -> None:
        super().close()
        self._remove()


def open_or_stand_in(path: Path | None = None) -> History:
    """The history; while that cannot be used (disk full, read-only, locked), a stand-in.

    Raises:
        HistoryError: it was written by a newer Clew, or no stand-in can be made either.
    """
    path = path or default_path()
    try:
        return History(path)
    except NewerHistory:
        raise
    except HistoryError as error:
        return StandIn(error, path.parent)
