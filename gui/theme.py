"""Colours, fonts and the style sheet: one place that every widget asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from gui.language import tr
from gui.stylesheet import style_sheet

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = ("system", "light", "dark")
UNIT = 8
"""Pixels of the grid that all spacing follows."""


@dataclass(frozen=True, slots=True)
class Colors:
    """One palette: names to ``#rrggbb``; ``series`` are the colours of lines, in order."""

    name: str
    values: dict[str, str]
    series: tuple[str, ...]

    def __getitem__(self, name: str) -> str:
        return self.values[name]

    def color(self, name: str) -> QColor:
        return QColor(self.values[name])


def mode_title(mode: Mode) -> str:
    """What a choice of colours is called."""
    return {"light": tr("Light colours"), "dark": tr("Dark colours")}.get(mode) or tr(
        "System colours"
    )


def load_colors() -> dict[str, Colors]:
    """Both palettes of ``resources/palette.json``."""
    data = json.loads(files("resources").joinpath("palette.json").read_text("utf-8"))
    return {
        name: Colors(
            name,
            {key: value for key, value in entry.items() if key != "series"},
            tuple(entry["series"]),
        )
        for name, entry in data.items()
    }


class Theme(QObject):
    """The palette in use; follows the system unless the user chose one.

    Widgets that paint by themselves register with :meth:`watch` and are called after a change.
    """

    def __init__(self, app: QApplication, mode: Mode = "system") -> None:
        super().__init__(app)
        self._app = app
        self._all = load_colors()
        self._watchers: list[tuple[QWidget, Callable[[], None]]] = []
        self.mode: Mode = mode
        self.colors = self._all["light"]
        app.setStyle("Fusion")
        app.setFont(base_font())
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self.choose(mode)

    def choose(self, mode: Mode) -> None:
        """Use ``mode`` from now on."""
        self.mode = mode
        self._apply()

    def watch(self, widget: QWidget, repaint: Callable[[], None]) -> None:
        """Call ``repaint`` after each change for as long as ``widget`` lives."""
        entry = (widget, repaint)
        self._watchers.append(entry)
        widget.destroyed.connect(lambda: self._watchers.remove(entry))

    def _system_changed(self) -> None:
        if self.mode == "system":
            self._apply()

    def _apply(self) -> None:
        dark = self.mode == "dark" or (
            self.mode == "system"
            and QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        self.colors = self._all["dark" if dark else "light"]
        self._app.setPalette(qt_palette(self.colors))
        self._app.setStyleSheet(style_sheet({**self.colors.values, "name": self.colors.name}))
        for _, repaint in list(self._watchers):
            repaint()


def theme() -> Theme:
    """The application's theme; made on first use."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise RuntimeError("no QApplication yet")
    found = app.findChild(Theme)
    return found if found is not None else Theme(app)


def colors() -> Colors:
    return theme().colors


def qt_palette(c: Colors) -> QPalette:
    """The same colours for what Qt draws without a style sheet."""
    palette = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: "window",
        role.WindowText: "text",
        role.Base: "surface",
        role.AlternateBase: "raised",
        role.Text: "text",
        role.Button: "raised",
        role.ButtonText: "text",
        role.BrightText: "error",
        role.ToolTipBase: "raised",
        role.ToolTipText: "text",
        role.Highlight: "selection",
        role.HighlightedText: "text",
        role.Link: "accent",
        role.PlaceholderText: "faint",
        role.Mid: "border",
        role.Accent: "accent",
    }
    for key, name in pairs.items():
        palette.setColor(key, c.color(name))
    for key in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, c.color("faint"))
    return palette


def base_font() -> QFont:
    """The system's font at a readable size, with digits of equal width."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if font.pointSizeF() < 10:
        font.setPointSizeF(10)
    return tabular(font)


def tabular(font: QFont) -> QFont:
    """``font`` with digits of equal width, where it has them."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(max(9.5, base_font().pointSizeF() - 0.5))
    return font


def scaled(font: QFont, factor: float, *, bold: bool = False) -> QFont:
    """A copy of ``font``, ``factor`` times as large."""
    copy = QFont(font)
    copy.setPointSizeF(font.pointSizeF() * factor)
    if bold:
        copy.setWeight(QFont.Weight.DemiBold)
    return copy
