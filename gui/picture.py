"""What a widget shows, as a picture of dots (PNG) or of lines and letters (SVG)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from pyqtgraph import ScatterPlotItem
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QGraphicsView, QWidget

from gui.language import tr
from gui.theme import colors
from remote.errors import ClewError
from remote.export.atomic import written_whole

RATIO = 2.0
"""Pixels of a PNG for each of the screen: to be read on paper, too."""


def save_picture(widget: QWidget, path: Path) -> Path:
    """Write what ``widget`` shows to ``path``; its ending says how. Raises ClewError."""
    kind = path.suffix.casefold()
    if kind not in (".png", ".svg"):
        raise ClewError(
            tr("{name} is no picture's name", name=path.name), remedy=tr("End it in .png or .svg.")
        )
    data = as_svg(widget) if kind == ".svg" else as_png(widget)
    with written_whole(path) as part:
        part.write_bytes(data)
    return path


def as_image(widget: QWidget, ratio: float = RATIO) -> QImage:
    """The widget with ``ratio`` pixels for each of its own."""
    image = QImage(widget.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    _draw(widget, painter)
    painter.end()
    return image


def as_png(widget: QWidget) -> bytes:
    buffer = _buffer()
    as_image(widget).save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def as_svg(widget: QWidget) -> bytes:
    """The widget as a drawing: curves stay curves, words stay words."""
    buffer = _buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(QRect(0, 0, widget.width(), widget.height()))
    generator.setResolution(widget.logicalDpiX())
    generator.setTitle(escape(widget.accessibleName() or widget.windowTitle() or "Clew"))
    generator.setDescription("")
    with _uncached(widget):
        painter = QPainter(generator)
        _draw(widget, painter)
        painter.end()
    return bytes(buffer.data().data())


def _draw(widget: QWidget, painter: QPainter) -> None:
    painter.fillRect(widget.rect(), colors().color("window"))  # parts of pages are transparent
    flags = QWidget.RenderFlag.DrawWindowBackground | QWidget.RenderFlag.DrawChildren
    focused = QApplication.focusWidget()
    inside = focused is not None and widget.isAncestorOf(focused)
    if focused is not None and inside:  # a picture has no frame around what has the keyboard
        focused.clearFocus()
    widget.render(painter, widget.rect().topLeft(), QRegion(), flags)
    if focused is not None and inside:
        focused.setFocus()


@contextlib.contextmanager
def _uncached(widget: QWidget) -> Iterator[None]:
    """Plots keep grounds and symbols as pixels, which would be pixels in a drawing, too."""
    views = widget.findChildren(QGraphicsView)
    modes = [(view, view.cacheMode()) for view in views]
    dots = [item for view in views for item in view.items() if isinstance(item, ScatterPlotItem)]
    try:
        for view in views:
            view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        for item in dots:
            item.opts["useCache"] = False
        yield
    finally:
        for item in dots:
            item.opts["useCache"] = True
        for view, mode in modes:
            view.setCacheMode(mode)


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.setData(QByteArray())
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer
