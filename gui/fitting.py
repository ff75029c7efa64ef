"""Columns that give way, so that long names do not push what matters out of sight."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTableView

LEAST = 96
"""Of a column that gives way, in pixels."""


def give_way(table: QTableView, column: int) -> None:
    """Fit all columns to what is in them; ``column`` gets the rest where that is too little."""
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    table.resizeColumnsToContents()
    columns = [at for at in range(header.count()) if not header.isSectionHidden(at)]
    last = columns[-1]
    # The last one is stretched: what it needs is not how wide it is.
    needs = max(table.sizeHintForColumn(last), header.sectionSizeHint(last))
    others = sum(table.columnWidth(at) for at in columns if at not in (column, last))
    room = table.viewport().width() - others - needs - 2
    table.setColumnWidth(column, min(table.columnWidth(column), max(LEAST, room)))
