"""Tables in little room: columns that give way, and a height that does."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QHeaderView, QTableView

LEAST = 64
"""Of a column that gives way, in pixels."""


class LowTable(QTableView):
    """Asks for its least height only, however much is in it, and grows into the room there is."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class GivingWay(QObject):
    """Fits the columns of a table to what is in them; one gets the rest where that is too little.

    Call :meth:`fit` when the table has other rows; its size is watched.
    """

    def __init__(self, table: QTableView, column: int) -> None:
        super().__init__(table)
        self._table, self._column = table, column
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.viewport().installEventFilter(self)

    def fit(self) -> None:
        """Set the widths of all columns."""
        table, header, column = self._table, self._table.horizontalHeader(), self._column
        table.resizeColumnsToContents()
        last = header.count() - 1
        # The last one is stretched: what it needs is not how wide it is.
        needs = max(table.sizeHintForColumn(last), header.sectionSizeHint(last))
        others = sum(table.columnWidth(at) for at in range(last) if at != column)
        room = table.viewport().width() - others - needs
        table.setColumnWidth(column, min(table.columnWidth(column), max(LEAST, room)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.fit()
        return False
