"""The partitions of a cluster: limits, what is free, and which one the profile names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from gui.language import tr
from gui.texts import elapsed_text

if TYPE_CHECKING:
    from remote.link import Partition

COLUMNS = (
    tr("Partition"),
    tr("Nodes free"),
    tr("GPUs free"),
    tr("Longest job"),
    tr("CPUs"),
    tr("Memory"),
)
ROW, MOST_ROWS = 30, 6


class PartitionTable(QTableWidget):
    """``wanted`` names the partition whose row was activated."""

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__(0, len(COLUMNS))
        self.setAccessibleName(tr("Partitions"))
        self.setAccessibleDescription(tr("Enter takes the partition into the form"))
        self.setHorizontalHeaderLabels(list(COLUMNS))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.itemActivated.connect(lambda item: self._take(item.row()))
        self.itemDoubleClicked.connect(lambda item: self._take(item.row()))

    def show_partitions(self, partitions: tuple[Partition, ...]) -> None:
        """Fill in all of them."""
        self.setRowCount(len(partitions))
        for row, one in enumerate(partitions):
            name = QTableWidgetItem(one.name + (" (default)" if one.default else ""))
            name.setData(Qt.ItemDataRole.UserRole, one.name)
            self.setItem(row, 0, name)
            for column, text in enumerate(partition_texts(one), start=1):
                self.setItem(row, column, QTableWidgetItem(text))
        rows = min(MOST_ROWS, max(1, len(partitions)))
        self.setFixedHeight(ROW * rows + self.horizontalHeader().sizeHint().height() + 6)

    def show_chosen(self, names: str) -> None:
        """Select the row of the partition that the form names, or the default one."""
        wanted = names.split(",")[0].strip()
        for row in range(self.rowCount()):
            item = self.item(row, 0)
            name = item.data(Qt.ItemDataRole.UserRole) if item is not None else ""
            if item is not None and (name == wanted or (not wanted and item.text() != name)):
                self.selectRow(row)
                return
        self.clearSelection()

    def _take(self, row: int) -> None:
        item = self.item(row, 0)
        if item is not None:
            self.wanted.emit(item.data(Qt.ItemDataRole.UserRole))


def partition_texts(one: Partition) -> tuple[str, ...]:
    """The texts of all columns but the name."""
    limit = elapsed_text(one.time_limit_s) if one.time_limit_s is not None else tr("no limit")
    return (
        tr("{nodes_free} of {nodes}", nodes_free=one.nodes_free, nodes=one.nodes)
        + ("" if one.up else tr(", down")),
        gpus_text(one.gpus_free, one.gpus),
        limit,
        str(one.cpus_per_node or ""),
        f"{one.memory_mb / 1024:.0f} GiB" if one.memory_mb else "",
    )


def gpus_text(free: Mapping[str, int], there: Mapping[str, int]) -> str:
    """``3 of 8 a100, 0 of 4 v100``; ``none`` where there are none."""
    words = [
        tr("{value} of {count} {kind}", value=free.get(kind, 0), count=count, kind=kind).rstrip()
        for kind, count in there.items()
    ]
    return ", ".join(words) or "none"
