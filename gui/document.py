"""The open profile: what the user edits, what is valid of it, and what is saved."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from remote.errors import Issue, ProfileError

if TYPE_CHECKING:
    from remote.profile import Loaded, Profile

Data = dict[str, Any]
MAX_UNDO = 100


class Document(QObject):
    """Plain data as the form has it, and the profile that it makes when nothing is wrong.

    ``data`` has the keys of the file; values may be texts as the user typed them. ``profile`` is
    None while there are ``issues``. The profile package is loaded with the first profile only.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self.loaded: Loaded | None = None
        self.data: Data = {}
        self.profile: Profile | None = None
        self.issues: tuple[Issue, ...] = ()
        self.is_open = False
        self._saved: Profile | None = None
        self._saved_data: Data = {}
        self._undo: list[tuple[str, Data]] = []

    @property
    def read_only(self) -> bool:
        return self.loaded is not None and self.loaded.read_only

    @property
    def dirty(self) -> bool:
        """Whether saving would change anything."""
        if not self.is_open:
            return False
        if self.profile is None:
            return self.data != self._saved_data
        return self.profile != self._saved

    @property
    def title(self) -> str:
        """What the window calls it."""
        if not self.is_open:
            return ""
        name = self.data.get("name")
        if isinstance(name, str) and name:
            return name
        return self.path.stem if self.path else "Untitled profile"

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    def new(self, data: Data | None = None) -> None:
        """Start an empty profile, or one with ``data``, that has no file yet."""
        self.path, self.loaded, self._saved, self._saved_data = None, None, None, {}
        self._begin(data or {})

    def open(self, path: Path) -> None:
        """Read ``path``. Raises ProfileError; what was open stays open."""
        from remote import profile

        loaded = profile.load(path)
        self.path, self.loaded, self._saved = path, loaded, loaded.profile
        self._saved_data = profile.to_data(loaded.profile)
        self._begin(copy.deepcopy(self._saved_data))

    def save(self, path: Path) -> None:
        """Write to ``path`` and go on with that file. Raises ProfileError."""
        from remote import profile

        if self.profile is None:
            raise ProfileError.of(self.title, list(self.issues))
        keep = self.loaded if path == self.path else None
        self.loaded = profile.save(self.profile, path, keep)
        self.path, self._saved = path, self.profile
        self._saved_data = copy.deepcopy(self.data)
        self.changed.emit()

    def nodes(self) -> list[Data]:
        """The nodes as dicts of the file's keys; a copy."""
        return [dict(n) if isinstance(n, dict) else {"host": n} for n in self.data.get("nodes", ())]

    def set_nodes(self, nodes: list[Data], what: str) -> None:
        """Replace the nodes. ``what`` names the change; equal names in a row undo as one."""
        self._change({**self.data, "nodes": nodes}, what)

    def training(self) -> Data:
        return copy.deepcopy(self.data.get("training", {}))

    def set_training(self, training: Data, what: str) -> None:
        """Replace the training's choices; values may be texts."""
        self._change({**self.data, "training": training}, what)

    def undo(self) -> None:
        """Take the last change back."""
        if self._undo:
            self.data = self._undo.pop()[1]
            self._check()

    def issues_under(self, prefix: str) -> list[tuple[str, str]]:
        """Keys below ``prefix`` and what is wrong with them, in words."""
        start = f"{prefix}."
        return [
            (i.key.removeprefix(start), i.message) for i in self.issues if i.key.startswith(start)
        ]

    def _begin(self, data: Data) -> None:
        self.data = data
        self.is_open = True
        self._undo.clear()
        self._check()

    def _change(self, data: Data, what: str) -> None:
        if data == self.data:
            return
        if not self._undo or self._undo[-1][0] != what:
            self._undo.append((what, self.data))
            del self._undo[:-MAX_UNDO]
        self.data = data
        self._check()

    def _check(self) -> None:
        from remote import profile

        try:
            self.profile = profile.build(self.data, self.path.name if self.path else "profile")
            self.issues = ()
        except ProfileError as error:
            self.profile = None
            self.issues = tuple(error.issues)
        self.changed.emit()
