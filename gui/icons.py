"""Icons from ``resources/icons``: the program's own, and line glyphs in the theme's colours."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

APP_SIZES = (16, 24, 32, 48, 64, 128, 256)


def svg(name: str) -> bytes:
    """The source of ``resources/icons/<name>.svg``."""
    return files("resources").joinpath("icons").joinpath(f"{name}.svg").read_bytes()


def render(source: bytes, size: int, ratio: float = 1.0) -> QImage:
    """``source`` drawn at ``size`` logical pixels on a transparent ground."""
    pixels = round(size * ratio)
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(source)).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image


def app_icon() -> QIcon:
    """The program's icon, from the PNGs beside its SVG."""
    icon = QIcon()
    for size in APP_SIZES:
        pixmap = QPixmap()
        pixmap.loadFromData(files("resources").joinpath(f"icons/clew-{size}.png").read_bytes())
        icon.addPixmap(pixmap)
    return icon


def glyph(name: str, color: str, disabled: str | None = None, size: int = 20) -> QIcon:
    """A line glyph in ``color`` (and ``disabled``), sharp on screens of ratio 1 and 2."""
    icon = QIcon()
    shades = {QIcon.Mode.Normal: color, QIcon.Mode.Disabled: disabled or color}
    source = svg(name)
    for mode, shade in shades.items():
        painted = source.replace(b"currentColor", QColor(shade).name().encode())
        for ratio in (1.0, 2.0):
            icon.addPixmap(QPixmap.fromImage(render(painted, size, ratio)), mode)
    return icon


def write_pngs(folder: Path) -> None:
    """Draw the program's icon in all sizes as ``clew-<size>.png``; run after changing the SVG."""
    for size in APP_SIZES:
        render(svg("clew"), size).save(str(folder / f"clew-{size}.png"))


if __name__ == "__main__":
    write_pngs(Path(sys.argv[1]))
