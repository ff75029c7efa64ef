"""A quiet little table of texts: names and values. Nothing in it is ever taken for rich text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from gui.theme import colors


class Pairs(QTableWidget):
    """Columns of texts; the last one takes the room that is left.

    Args:
        name: for screen readers.
        headers: of the columns; empty: none are shown.
    """

    def __init__(self, name: str, headers: Sequence[str] = (), columns: int = 2) -> None:
        super().__init__(0, len(headers) or columns)
        self._alike = False
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.verticalHeader().setMinimumSectionSize(24)
        self.setStyleSheet("QTableView::item { padding: 1px 6px; }")
        # Else rows are as high as the padding of headers would have them.
        self.verticalHeader().setStyleSheet("QHeaderView::section { padding: 0; }")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if headers:
            self.setHorizontalHeaderLabels(list(headers))
        else:
            header.hide()

    def show_rows(self, rows: Sequence[Sequence[str]], *, tones: Sequence[str] = ()) -> None:
        """Show ``rows``; ``tones`` colours whole rows by names of the palette."""
        self.setRowCount(len(rows))
        for at, row in enumerate(rows):
            for column, text in enumerate(row):
                item = QTableWidgetItem(text)
                tone = tones[at] if at < len(tones) else ""
                if tone or column == 0:
                    item.setForeground(QColor(colors()[tone or "muted"]))
                self.setItem(at, column, item)

        self.fit()

    def share(self) -> None:
        """From now on all columns are of one width."""
        self._alike = True
        self.fit()

    def fit(self) -> None:
        """All columns in sight: those of names give way to the last one where it is narrow."""
        if self._alike and self.columnCount():
            for column in range(self.columnCount() - 1):
                self.setColumnWidth(column, self.viewport().width() // self.columnCount())
            return
        header, columns = self.horizontalHeader(), self.columnCount()
        most = round(self.viewport().width() * 0.6) // max(1, columns - 1)
        shown = not header.isHidden()
        for column in range(columns - 1):
            head = header.sectionSizeHint(column) if shown else 0
            self.setColumnWidth(column, min(most, max(head, self.sizeHintForColumn(column) + 4)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def show_heads(self, heads: Sequence[str], icons: Sequence[QIcon | None] = ()) -> None:
        """Other columns, with icons before their names."""
        self.horizontalHeader().show()
        self.setColumnCount(len(heads))
        for column, text in enumerate(heads):
            item = QTableWidgetItem(text)
            item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            icon = icons[column] if column < len(icons) else None
            if icon is not None:
                item.setIcon(icon)
            self.setHorizontalHeaderItem(column, item)

    def texts(self) -> list[list[str]]:
        """What is in it, for tests and for an export."""
        items = [
            [self.item(row, column) for column in range(self.columnCount())]
            for row in range(self.rowCount())
        ]
        return [[item.text() if item is not None else "" for item in row] for row in items]
