"""The column beside a chart: one row a line, with its value now or under the crosshair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.language import tr
from gui.theme import colors, scaled, tabular

ROW, LEAST_ROW = 19, 15
"""How high a row is; lower where all rows fit then."""
WIDTH = 184
CELLS = 4
"""Values of one group in a row; more go on in the next."""
CELL = 32


class Entry(NamedTuple):
    """A name and its values, each a colour and a ready text: one line, or a group of lines."""

    label: str
    cells: tuple[tuple[str, str], ...]
    style: Qt.PenStyle = Qt.PenStyle.SolidLine


class Row(NamedTuple):
    """What one row of the column shows."""

    label: str
    cells: tuple[tuple[str, str], ...]
    style: Qt.PenStyle


class Legend(QWidget):
    """Painted by hand: many rows, new values ten times a second, no layout work."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []
        self.setFixedWidth(WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFont(tabular(scaled(self.font(), 0.9)))

    @property
    def entries(self) -> list[Entry]:
        return list(self._entries)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show ``entries``, in two columns or with "+ 3 more" when there is little room."""
        fresh = list(entries)
        if fresh == self._entries:
            return
        self._entries = fresh
        words = [f"{e.label}: {' '.join(text for _, text in e.cells)}" for e in fresh]
        self.setAccessibleDescription("; ".join(words))
        self.setToolTip("\n".join(words) if len(words) > 3 else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, ROW * 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rows = self._rows()
        tall = max(LEAST_ROW, min(ROW, self.height() // max(1, len(rows))))
        if tall * len(rows) > self.height():
            tall = ROW  # some are left out in any case
        high = max(1, self.height() // tall)
        grouped = any(len(row.cells) > 1 for row in rows)
        columns = 2 if len(rows) > high and not grouped else 1
        room = high * columns
        shown = rows if len(rows) <= room else rows[: room - 1]
        gap = 10 if columns == 2 else 0
        width = (self.width() - gap) / columns
        for index, row in enumerate(shown):
            x = (index // high) * (width + gap)
            cell = QRectF(x, (index % high) * tall, width, tall)
            if grouped:
                self._paint_group(painter, cell, row)
            else:
                self._paint_single(painter, cell, row)
        if len(shown) < len(rows):
            cell = QRectF((columns - 1) * (width + gap), (high - 1) * tall, width, tall)
            painter.setPen(colors().color("faint"))
            text = tr("+ {count} more", count=len(rows) - len(shown))
            painter.drawText(cell, Qt.AlignmentFlag.AlignVCenter, text)

    def _rows(self) -> list[Row]:
        rows = []
        for entry in self._entries:
            for first in range(0, len(entry.cells), CELLS):
                label = entry.label if first == 0 else ""
                rows.append(Row(label, entry.cells[first : first + CELLS], entry.style))
        return rows

    def _paint_single(self, painter: QPainter, cell: QRectF, row: Row) -> None:
        color, value = row.cells[0]
        middle = round(cell.center().y())
        dashed = row.style != Qt.PenStyle.SolidLine
        cap = Qt.PenCapStyle.FlatCap if dashed else Qt.PenCapStyle.RoundCap
        painter.setPen(QPen(QColor(color), 2 if dashed else 3, row.style, cap))
        end = cell.x() + (24 if dashed or self._styled() else 11)
        painter.drawLine(round(cell.x() + 2), middle, round(end), middle)
        self._paint_texts(painter, cell.adjusted(end - cell.x() + 7, 0, 0, 0), row.label, value)

    def _styled(self) -> bool:
        """Whether any line is dashed: then all strokes are long enough to tell them apart."""
        return any(entry.style != Qt.PenStyle.SolidLine for entry in self._entries)

    def _paint_texts(self, painter: QPainter, area: QRectF, label: str, value: str) -> None:
        metrics = self.fontMetrics()
        middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
        painter.setPen(colors().color("text"))
        painter.drawText(area, middle | right, value)
        painter.setPen(colors().color("muted"))
        room = max(0, math.floor(area.width() - metrics.horizontalAdvance(value) - 6))
        elided = metrics.elidedText(label, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(area, middle, elided)

    def _paint_group(self, painter: QPainter, cell: QRectF, row: Row) -> None:
        """Values side by side, each over a stroke of its line's colour."""
        left = cell.right() - CELL * CELLS
        area = QRectF(cell.x(), cell.y(), left - cell.x(), cell.height())
        self._paint_texts(painter, area, row.label, "")
        for index, (color, value) in enumerate(row.cells):
            x = left + index * CELL
            painter.setPen(colors().color("text"))
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(x, cell.y() - 1, CELL - 2, ROW - 2), flags, value.rstrip("%"))
            painter.setPen(QPen(QColor(color), 3, c=Qt.PenCapStyle.RoundCap))
            y = round(cell.bottom() - 2)
            painter.drawLine(round(x + 10), y, round(x + CELL - 3), y)
