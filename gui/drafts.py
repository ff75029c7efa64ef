"""Edits that nobody has saved, kept so that a crash does not take them. No widgets.

Each window has one file of its own, under a lock that ends with its process: a draft whose lock is
free was left behind. The profile's file is never touched.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from gui.document import Document
from gui.kept_files import data_folder, read_kept, write_kept
from gui.language import tr
from gui.practice import is_practice_profile
from gui.window_lock import WindowLock
from remote.errors import ClewError

FOLDER = "drafts"
PAUSE_MS = 700
"""Between an edit and its being kept; more edits do not put it off."""
KEPT_S = 90 * 86400.0
"""A draft that nobody wanted for so long is removed."""


@dataclass
class Left:
    """A draft that was left behind. ``lock`` is held while it is offered."""

    file: Path
    lock: WindowLock
    profile: Path | None
    """The file that was being edited; None: it had none yet."""
    title: str
    data: dict[str, Any]
    at: float
    """When it was kept, UTC epoch seconds."""
    based_on: str

    @property
    def profile_changed(self) -> bool:
        """Whether the profile's file is not the one that was edited."""
        return self.profile is not None and fingerprint(self.profile) != self.based_on

    def forget(self) -> None:
        """Remove it."""
        self.file.unlink(missing_ok=True)
        self.lock.unlock()


class Drafts(QObject):
    """Keeps one document's unsaved edits in the data folder while there are any."""

    def __init__(self, document: Document, folder: Callable[[], Path] = data_folder) -> None:
        super().__init__(document)
        self._document = document
        self._folder = folder
        self._file: Path | None = None
        self._lock: WindowLock | None = None
        self._kept: dict[str, Any] | None = None
        self._based: tuple[Path | None, str] = (None, "")
        self.problem = ""
        """Why the last one could not be kept; empty: it could."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.keep)
        document.changed.connect(self._changed)

    def keep(self) -> None:
        """Write what is not saved, or remove the draft when all is. Never raises."""
        self._timer.stop()
        document = self._document
        if not document.dirty or (document.path and is_practice_profile(document.path)):
            self.drop()
            return
        if self._kept == document.data and self._file is not None:
            return
        path = document.path
        draft = {
            "v": 1,
            "profile": str(path.resolve()) if path else None,
            "based_on": self._based_on(path),
            "title": document.title,
            "at": time.time(),
            "data": document.data,
        }
        try:
            write_kept(self._own_file(), draft)
        except ClewError as error:
            self.problem = str(error)
            return
        self.problem = ""
        self._kept = document.data

    def drop(self) -> None:
        """Remove the draft: all is saved, or is not wanted."""
        self._timer.stop()
        self._kept = None
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.unlock()
        self._file = self._lock = None

    def left_behind(self) -> list[Left]:
        """Drafts of windows that are gone, newest first; what is too old or damaged is removed."""
        folder = self._folder() / FOLDER
        found = []
        with contextlib.suppress(OSError):
            for file in folder.glob("*.json"):
                left = _left(file)
                if left is not None:
                    found.append(left)
        return sorted(found, key=lambda left: -left.at)

    def _changed(self) -> None:
        path = self._document.path
        if path != self._based[0] or not self._document.dirty:
            self._based = (path, fingerprint(path) if path else "")
        if (self._document.dirty or self._file is not None) and not self._timer.isActive():
            self._timer.start(PAUSE_MS)

    def _based_on(self, path: Path | None) -> str:
        return self._based[1] if path == self._based[0] else ""

    def _own_file(self) -> Path:
        if self._file is None:
            folder = self._folder() / FOLDER
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise ClewError(
                    tr(
                        "{folder} cannot be made: {strerror}",
                        folder=folder,
                        strerror=error.strerror or error,
                    )
                ) from None
            file = folder / f"{uuid.uuid4().hex}.json"
            lock = WindowLock(file)
            lock.take()
            self._file, self._lock = file, lock
        return self._file


def fingerprint(path: Path) -> str:
    """What a profile's file holds, as a hash; empty: it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _left(file: Path) -> Left | None:
    """The draft in ``file`` if its window is gone and it is of use."""
    lock = WindowLock(file)
    if not lock.take():
        return None
    try:
        draft = read_kept(file)
    except ClewError:
        draft = None
    data = draft.get("data") if isinstance(draft, dict) else None
    at = draft.get("at") if isinstance(draft, dict) else None
    if not isinstance(data, dict) or not isinstance(at, (int, float)) or time.time() - at > KEPT_S:
        file.unlink(missing_ok=True)
        lock.unlock()
        return None
    profile = draft.get("profile")
    based_on = str(draft.get("based_on", ""))
    path = Path(profile) if isinstance(profile, str) else None
    return Left(file, lock, path, str(draft.get("title", "")), data, float(at), based_on)
