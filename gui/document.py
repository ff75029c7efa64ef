"""The open profile: what the user edits, what is valid of it, and what is saved."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from gui.followed import followed
from gui.language import tr
from gui.slurm_data import ISSUES, LOGIN, login_row, slurm_of, with_login, with_slurm
from remote.errors import Issue, ProfileError

if TYPE_CHECKING:
    from remote.profile import Loaded, NodeConfig, Profile

Data = dict[str, Any]
MAX_UNDO = 100
STEP_S = 1.0
"""Changes of one field that are further apart than this are taken back one by one."""


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
        self.connectable: Profile | None = None
        """The profile; without its training and places, where those alone are wrong. To connect."""
        self.issues: tuple[Issue, ...] = ()
        self.is_open = False
        self._saved: Profile | None = None
        self._saved_data: Data = {}
        self._undo: list[tuple[str, Data]] = []
        self._redo: list[tuple[str, Data]] = []
        self._changed_at: float | None = None

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
        return self.path.stem if self.path else tr("Untitled profile")

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    @property
    def placement(self) -> dict[str, str] | None:
        """Where the user wants each task; empty: automatic. None while the profile is wrong."""
        return self.profile.placement if self.profile is not None else None

    def new(self, data: Data | None = None) -> None:
        """Start an empty profile, or one with ``data``, that has no file yet."""
        self.path, self.loaded, self._saved_data = None, None, {}
        self._saved = self._built({})  # what nobody has typed into need not be saved
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

    @property
    def only_new_rows(self) -> bool:
        """Whether all that is wrong is rows of nodes into which nothing was typed yet."""
        if self.slurm is not None:
            start = f"{ISSUES}.{LOGIN}"
            is_new = not any(self.nodes()[0].values())
            return (
                is_new and bool(self.issues) and all(i.key.startswith(start) for i in self.issues)
            )
        new = {f"nodes.{row}." for row, node in enumerate(self.nodes()) if not any(node.values())}
        return bool(self.issues) and all(i.key.startswith(tuple(new)) for i in self.issues)

    @property
    def slurm(self) -> Data | None:
        """What is asked of Slurm, as typed; None: the profile names its nodes. A copy."""
        return slurm_of(self.data)

    def set_slurm(self, slurm: Data, what: str) -> None:
        """Have Slurm give the nodes, and ask it for this. ``what`` as in set_nodes."""
        self._change(with_slurm(self.data, slurm), what)

    @property
    def logins(self) -> Sequence[NodeConfig]:
        """The machines that one logs in to; none while the profile cannot be connected."""
        return self.connectable.logins if self.connectable is not None else ()

    def node_issues(self) -> list[tuple[str, str]]:
        """What is wrong with the rows of :meth:`nodes`, by ``row.key``."""
        if self.slurm is None:
            return self.issues_under("nodes")
        found = [(f"0.{key}", message) for key, message in self.issues_under(f"{ISSUES}.{LOGIN}")]
        whole = [("0", i.message) for i in self.issues if i.key == f"{ISSUES}.{LOGIN}"]
        return [*whole, *found]

    def nodes(self) -> list[Data]:
        """The nodes as dicts of the file's keys, or the login of a Slurm cluster; a copy."""
        slurm = self.slurm
        if slurm is not None:
            return [login_row(slurm)]
        return [dict(n) if isinstance(n, dict) else {"host": n} for n in self.data.get("nodes", ())]

    def set_nodes(self, nodes: list[Data], what: str) -> None:
        """Replace the nodes; places follow them. ``what`` names the change; see :meth:`seal`."""
        slurm = self.slurm
        if slurm is not None:
            if len(nodes) == 1:  # the login: one cannot be without it, and has no other
                self.set_slurm(with_login(slurm, nodes[0]), what)
            return
        data = {**self.data, "nodes": nodes}
        if places := self.data.get("placement"):
            data["placement"] = followed(places, self.nodes(), nodes)
        self._change(data, what)

    def training(self) -> Data:
        return copy.deepcopy(self.data.get("training", {}))

    def set_training(self, training: Data, what: str) -> None:
        """Replace the training's choices; values may be texts. ``what`` as in set_nodes."""
        self._change({**self.data, "training": training}, what)

    def saved_training(self) -> Data:
        """The training as the file has it; of a profile without a file: the defaults."""
        return copy.deepcopy(self._saved_data.get("training") or {})

    def replace(self, data: Data, what: str) -> None:
        """Replace all of the profile as one step, such as by a draft; what is saved stays."""
        self.seal()
        self._change(copy.deepcopy(data), what)
        self.seal()

    def group(self, key: str) -> Data:
        """What the profile says under ``key``, like ``ssh``; a copy."""
        found = self.data.get(key)
        return copy.deepcopy(found) if isinstance(found, dict) else {}

    def set_groups(self, groups: dict[str, Data], what: str) -> list[tuple[str, str]]:
        """Replace whole groups as one step; empty ones go.

        Returns keys and what is wrong there; then nothing was changed.
        """
        rest = {key: value for key, value in self.data.items() if key not in groups}
        data = {**rest, **{key: value for key, value in groups.items() if value}}
        try:
            self._built(data)
        except ProfileError as error:
            wrong = [(i.key, i.message) for i in error.issues if i.key.split(".")[0] in groups]
            if wrong:
                return wrong
        self.seal()
        self._change(data, what)
        self.seal()
        return []

    def undo(self) -> None:
        """Take the last change back."""
        if self._undo:
            what, before = self._undo.pop()
            self._redo.append((what, self.data))
            self._take(before)

    def redo(self) -> None:
        """Make the change that was last taken back."""
        if self._redo:
            what, after = self._redo.pop()
            self._undo.append((what, self.data))
            self._take(after)

    def seal(self) -> None:
        """End a step: until then, quick changes of equal name are taken back as one."""
        self._changed_at = None

    def _take(self, data: Data) -> None:
        self.seal()
        self.data = data
        self._check()

    def issues_under(self, prefix: str) -> list[tuple[str, str]]:
        """Keys below ``prefix`` and what is wrong with them, in words."""
        start = f"{prefix}."
        return [
            (i.key.removeprefix(start), i.message) for i in self.issues if i.key.startswith(start)
        ]

    def _begin(self, data: Data) -> None:
        self.is_open = True
        self._undo.clear()
        self._redo.clear()
        self._take(data)

    def _change(self, data: Data, what: str) -> None:
        if data == self.data:
            return
        now, at = time.monotonic(), self._changed_at
        goes_on = bool(self._undo) and self._undo[-1][0] == what
        if not goes_on or at is None or now - at > STEP_S:
            self._undo.append((what, self.data))
            del self._undo[:-MAX_UNDO]
        self._redo.clear()
        self._changed_at = now
        self.data = data
        self._check()

    def _check(self) -> None:
        try:
            self.profile = self.connectable = self._built(self.data)
            self.issues = ()
        except ProfileError as error:
            self.profile = self.connectable = None
            self.issues = tuple(error.issues)
            rest = {k: v for k, v in self.data.items() if k not in ("training", "placement")}
            with contextlib.suppress(ProfileError):
                self.connectable = self._built(rest)
        self.changed.emit()

    def _built(self, data: Data) -> Profile:
        from remote import profile

        return profile.build(data, self.path.name if self.path else "profile")
