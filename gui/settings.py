"""What the window remembers between starts: recent profiles, its place, the theme."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from gui.language import LANGUAGES, Language
from gui.theme import MODES, Mode
from remote.updates import DEPTHS, StopDepth

MAX_RECENT = 8
_PAGES = ("cluster", "training", "live", "logs", "runs")


class Settings:
    """A thin, typed layer over QSettings (organisation and application are set by the app)."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store if store is not None else QSettings()

    @property
    def theme(self) -> Mode:
        value = self._store.value("theme", "system")
        return next((mode for mode in MODES if mode == value), "system")

    @theme.setter
    def theme(self, mode: Mode) -> None:
        self._store.setValue("theme", mode)

    @property
    def language(self) -> Language:
        """The language of the window from the next start on."""
        value = self._store.value("language", "system")
        return next((language for language in LANGUAGES if language == value), "system")

    @language.setter
    def language(self, language: Language) -> None:
        self._store.setValue("language", language)

    @property
    def stop_depth(self) -> StopDepth:
        """How deep the last stop was that the user chose."""
        value = self._store.value("stop_depth", DEPTHS[0])
        return next((depth for depth in DEPTHS if depth == value), DEPTHS[0])

    @stop_depth.setter
    def stop_depth(self, depth: StopDepth) -> None:
        self._store.setValue("stop_depth", depth)

    @property
    def geometry(self) -> QByteArray:
        value = self._store.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("geometry", value)

    def part(self, name: str) -> QByteArray:
        """The state of a part of the window, as Qt saved it; empty: none."""
        value = self._store.value(f"parts/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_part(self, name: str, value: QByteArray) -> None:
        self._store.setValue(f"parts/{name}", value)

    def columns(self, table: str) -> dict[str, int]:
        """Widths of a table's columns that the user has chosen, in pixels, by name."""
        try:
            found = json.loads(str(self._store.value(f"columns/{table}", "{}")))
        except ValueError:
            return {}
        if not isinstance(found, dict):
            return {}
        return {str(name): width for name, width in found.items() if type(width) is int}

    def set_columns(self, table: str, widths: Mapping[str, int]) -> None:
        self._store.setValue(f"columns/{table}", json.dumps(dict(widths)))

    @property
    def page(self) -> str:
        """The key of the page that was open last."""
        value = self._store.value("page", "cluster")
        return next((key for key in _PAGES if key == value), "cluster")

    @page.setter
    def page(self, key: str) -> None:
        self._store.setValue("page", key)

    @property
    def charts(self) -> list[str]:
        """The charts of the live page that the user chose; empty: never asked."""
        return _texts(self._store.value("charts", []))

    @charts.setter
    def charts(self, names: Sequence[str]) -> None:
        self._store.setValue("charts", list(names))

    @property
    def tray(self) -> bool:
        """Whether an icon is shown in the desktop's tray."""
        return _truth(self._store.value("tray", True))

    @tray.setter
    def tray(self, wanted: bool) -> None:
        self._store.setValue("tray", wanted)

    @property
    def notify(self) -> bool:
        """Whether the desktop tells of a run's end, failure and stall."""
        return _truth(self._store.value("notify", True))

    @notify.setter
    def notify(self, wanted: bool) -> None:
        self._store.setValue("notify", wanted)

    def recent(self) -> list[str]:
        """Paths of recent profiles that still exist, newest first."""
        paths = _texts(self._store.value("recent", []))
        return [path for path in paths if Path(path).is_file()]

    def add_recent(self, path: Path) -> None:
        """Put ``path`` first."""
        full = str(path.resolve())
        rest = [other for other in self.recent() if other != full]
        self._store.setValue("recent", [full, *rest][:MAX_RECENT])

    def sync(self) -> None:
        self._store.sync()


def _truth(value: object) -> bool:
    """A choice as QSettings gives it back: from a file it comes as a text."""
    return str(value).casefold() in ("true", "1")


def _texts(value: object) -> list[str]:
    """A list as QSettings gives it back: one entry comes as a plain text."""
    entries = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, str)]
