"""The table of a scaling study: every column as wide as its words, as high as its rows."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy

from gui.language import tr
from gui.pairs import Pairs

_FRAME = 4


class StudyTable(Pairs):
    """Scrolls sideways where it is narrow, never up and down: the page does."""

    def __init__(self) -> None:
        super().__init__(tr("Sizes of the study"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrap(False)

    def whole_width(self) -> int:
        """Pixels in which nothing is cut off."""
        return sum(self._need(column) for column in range(self.columnCount())) + _FRAME

    def fit(self) -> None:
        columns, rows = range(self.columnCount()), range(self.rowCount())
        for column in columns:
            self.setColumnWidth(column, self._need(column))
        head = math.ceil(self.horizontalHeader().sizeHint().height())
        bar = self.horizontalScrollBar()
        scrolls = self.whole_width() > self.width() > 0
        under = bar.sizeHint().height() if scrolls else 0
        self.setFixedHeight(sum(self.rowHeight(row) for row in rows) + head + under + _FRAME)

    def _need(self, column: int) -> int:
        head = self.horizontalHeader().sectionSizeHint(column)
        return max(head, self.sizeHintForColumn(column)) + 8
