"""Column widths of the node table: by the words in them, and the detail gets the rest."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView

from gui.language import tr
from gui.node_table import (
    ADDRESS,
    CPU,
    DETAIL,
    GPUS,
    HEADERS,
    HEARD,
    HOST,
    KEYS,
    NAME,
    STATE,
    STATE_INDENT,
    USER,
    NodeTableModel,
)
from gui.settings import Settings

DETAIL_CHARACTERS = 34
"""Room that the detail gets before columns in which nothing was typed are shown."""
WIDEST_CHARACTERS = 26
"""A name that is longer is cut; its whole text is the cell's tooltip."""
SPARE = (ADDRESS, GPUS, NAME, USER)
"""What is left out first; a node without a name is called by its host, which stays."""
LEAST, MOST = 32, 2000
"""Pixels that a remembered width must lie between to be believed."""
_MARGINS = 24
_SAMPLES = {
    STATE: tr("not connected"),
    HOST: "gpu001.lab.edu",
    HEARD: tr("59 min ago"),
    CPU: "100%",
}
"""Words that a column gets sooner or later."""


class NodeColumns(QObject):
    """Fits a table's columns after each change of its size, its rows or its header.

    A column grows with its words and does not shrink again, so that nothing jumps; one that the
    user has sized stays so. Columns of ``SPARE`` are left out while no node has a value of its own
    there and the detail has too little room; the header's menu shows and hides any column.
    """

    def __init__(
        self, table: QTableView, model: NodeTableModel, settings: Settings | None = None
    ) -> None:
        super().__init__(table)
        self._settings = settings
        self._table = table
        self._model = model
        self._sized: set[int] = set()
        self._widths = dict.fromkeys(range(DETAIL), 0)  # also of hidden ones, which Qt calls 0 wide
        self._chosen: dict[int, bool] = {}
        self._fitting = False
        self._restore()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(LEAST)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.sectionResized.connect(self._resized)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._menu)
        model.dataChanged.connect(lambda *_: self.fit())
        model.modelReset.connect(self.fit)
        table.viewport().installEventFilter(self)

    def fit(self) -> None:
        """Set widths and leave out what there is no room for."""
        table = self._table
        self._fitting = True
        for column in range(DETAIL):
            if column not in self._sized:
                self._widths[column] = max(self._wanted(column), self._widths[column])
        shown = {column: self._chosen.get(column, True) for column in range(DETAIL)}
        room = table.viewport().width() - self._advance(DETAIL_CHARACTERS)
        for column in SPARE:
            width = sum(self._widths[c] for c, is_shown in shown.items() if is_shown)
            if width > room and column not in self._chosen and not self._model.uses(column):
                shown[column] = False
        for column, is_shown in shown.items():
            if table.isColumnHidden(column) == is_shown:
                table.setColumnHidden(column, not is_shown)
            if is_shown and table.columnWidth(column) != self._widths[column]:
                table.setColumnWidth(column, self._widths[column])
        self._fitting = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.fit()
        return False

    def _wanted(self, column: int) -> int:
        header = self._table.horizontalHeader()
        words = [HEADERS[column], _SAMPLES.get(column, "")]
        rows = range(min(200, self._model.rowCount()))
        words += [str(self._model.index(row, column).data() or "") for row in rows]
        widest = max(map(self._table.fontMetrics().horizontalAdvance, words))
        widest = min(widest, self._advance(WIDEST_CHARACTERS)) + _MARGINS
        if column == STATE:
            widest += STATE_INDENT
        return max(widest, header.sectionSizeHint(column))

    def _advance(self, characters: int) -> int:
        return characters * self._table.fontMetrics().averageCharWidth()

    def _resized(self, column: int, old: int, new: int) -> None:
        """The user's own width is kept; hiding (to 0) and showing is no sizing."""
        if not self._fitting and old and new and column < DETAIL:
            self._sized.add(column)
            self._widths[column] = new
            self._remember()

    def _menu(self, at: QPoint) -> None:
        menu = self.menu()
        menu.popup(self._table.horizontalHeader().mapToGlobal(at))

    def menu(self) -> QMenu:
        """The choice of columns."""
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in (*KEYS, *range(HEARD, DETAIL)):
            choice = menu.addAction(HEADERS[column])
            choice.setCheckable(True)
            choice.setChecked(not self._table.isColumnHidden(column))
            choice.toggled.connect(lambda on, c=column: self._choose(c, on))
        return menu

    def _choose(self, column: int, shown: bool) -> None:
        self._chosen[column] = shown
        self.fit()
        self._remember()

    def _remember(self) -> None:
        """Widths and columns that the user has chosen; names, since columns may be added."""
        if self._settings is None:
            return
        kept = {f"shown {_name(column)}": int(is_on) for column, is_on in self._chosen.items()}
        widths = {_name(column): self._widths[column] for column in sorted(self._sized)}
        self._settings.set_columns("nodes", {**kept, **widths})

    def _restore(self) -> None:
        kept = self._settings.columns("nodes") if self._settings is not None else {}
        for column in range(DETAIL):
            width, shown = kept.get(_name(column)), kept.get(f"shown {_name(column)}")
            if width is not None and LEAST <= width <= MOST:
                self._sized.add(column)
                self._widths[column] = width
            if shown is not None:
                self._chosen[column] = bool(shown)


def _name(column: int) -> str:
    """What a column is remembered by."""
    return KEYS.get(column, f"column {column}")
