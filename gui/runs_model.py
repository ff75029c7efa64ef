"""The runs on record as a table: filtered, sorted, with notes and tags to edit; fast for many."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from gui.language import day_text, localized, tr
from gui.said import said
from gui.texts import elapsed_text, value_text
from gui.theme import colors
from remote.history.overview import elapsed_s
from remote.history.remarks import clean_note, clean_tags
from remote.wording import waits_words

if TYPE_CHECKING:
    from remote.history import RunRow

Index = QModelIndex | QPersistentModelIndex
HEADERS = (
    *(
        tr("State"),
        tr("Run"),
        tr("Profile"),
        tr("Model"),
        tr("Started"),
        tr("Elapsed"),
        tr("Steps"),
        tr("Loss"),
        tr("Accuracy"),
    ),
    *(tr("Examples/s"), tr("Tags"), tr("Note")),
)
STATE, RUN, PROFILE, MODEL, STARTED, ELAPSED, STEPS, LOSS, ACCURACY, RATE, TAGS, NOTE = range(12)
RIGHT = frozenset({ELAPSED, STEPS, LOSS, ACCURACY, RATE})
NOTHING = "–"
WAITS = tr(" · to be stopped")
"""Behind the state of a run that is to be stopped on nodes which do not answer."""


class RunsModel(QAbstractTableModel):
    """All runs that the filter lets through. ``edited(run_id, column, text)`` after an edit."""

    edited = Signal(str, int, str)

    def __init__(self) -> None:
        super().__init__()
        self._all: list[RunRow] = []
        self._words: dict[str, str] = {}
        self._rows: list[RunRow] = []
        self._hidden: frozenset[str] = frozenset()
        self._text, self._state, self._since = "", "", 0.0
        self._sorted_by, self._descending = STARTED, True

    # -- what is shown -------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """Runs on record, whatever the filter says."""
        return sum(row.record.run_id not in self._hidden for row in self._all)

    def set_rows(self, rows: Iterable[RunRow]) -> None:
        """Take the history's runs anew."""
        self._all = list(rows)
        self._words = {row.record.run_id: _words(row) for row in self._all}
        self._choose()

    def set_filter(self, text: str, state: str, since: float) -> None:
        """Show runs that have every word of ``text``, the ``state`` (empty: any), and started
        at ``since`` or later."""
        self._text, self._state, self._since = text.casefold(), state, since
        self._choose()

    def hide(self, run_ids: Iterable[str]) -> None:
        """Leave these runs out, whatever the filter says."""
        self._hidden = frozenset(run_ids)
        self._choose()

    def remove(self, run_ids: Collection[str]) -> None:
        """These are not on record any more."""
        self.set_rows([row for row in self._all if row.record.run_id not in run_ids])

    def row_at(self, row: int) -> RunRow | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def place_of(self, run_id: str) -> int:
        """The row of a run; -1: it is not shown."""
        ids = (row.record.run_id for row in self._rows)
        return next((at for at, found in enumerate(ids) if found == run_id), -1)

    def known(self, run_id: str) -> RunRow | None:
        """The run, shown or not."""
        return next((row for row in self._all if row.record.run_id == run_id), None)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by, self._descending = column, order == Qt.SortOrder.DescendingOrder
        self._choose()

    def _choose(self) -> None:
        words = self._text.split()
        self.beginResetModel()
        found = [
            row
            for row in self._all
            if row.record.run_id not in self._hidden
            and (not self._state or row.record.state == self._state)
            and row.record.started_at >= self._since
            and all(word in self._words[row.record.run_id] for word in words)
        ]
        key = _KEYS[self._sorted_by]
        known = [row for row in found if key(row) is not None]
        known.sort(key=key, reverse=self._descending)
        # What has no value stands last, whichever way the column is sorted.
        self._rows = known + [row for row in found if key(row) is None]
        self.endResetModel()

    # -- Qt's interface ------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return HEADERS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (TAGS, NOTE) else flags

    def data(self, index: Index, role: int = 0) -> Any:
        row, column = self.row_at(index.row()), index.column()
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            text = cell_text(row, column)
            return text if role == Qt.ItemDataRole.EditRole else " ".join(text.split())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and column == NOTE:
            return colors().color("muted")
        if role == Qt.ItemDataRole.ToolTipRole:
            from html import escape

            # Rich text and escaped: Qt would guess, and take a name for markup.
            text = cell_text(row, column)
            if column == STATE and row.waits_for:
                text = f"{row.record.state}; {waits_words(row.waits_for)}"
            return f"<qt>{escape(text)}</qt>" if text else None
        return None

    def setData(self, index: Index, value: Any, role: int = 0) -> bool:
        row, column = self.row_at(index.row()), index.column()
        if role != Qt.ItemDataRole.EditRole or row is None or column not in (TAGS, NOTE):
            return False
        remark = row.remark
        if column == NOTE:
            remark = replace(remark, note=clean_note(str(value)))
        else:
            remark = replace(remark, tags=tuple(clean_tags(str(value).split(","))))
        if remark == row.remark:
            return False
        fresh = row._replace(remark=remark)
        self._rows[index.row()] = fresh
        self._all = [fresh if old is row else old for old in self._all]
        self._words[row.record.run_id] = _words(fresh)
        self.dataChanged.emit(index, index)
        self.edited.emit(row.record.run_id, column, cell_text(fresh, column))
        return True


def cell_text(row: RunRow, column: int) -> str:
    """The text of one cell; times in this computer's zone."""
    record, standing = row.record, row.standing
    result = record.result
    if column == ELAPSED:
        seconds = elapsed_s(record, standing)
        return NOTHING if seconds is None else elapsed_text(seconds)
    if column == LOSS:
        loss = _loss(row)
        return NOTHING if loss is None else value_text(loss)
    if column == STEPS:
        step = _steps(row)
        return NOTHING if step is None else localized(f"{step:,}")
    if column == ACCURACY:
        accuracy = result.accuracy if result else None
        return NOTHING if accuracy is None else localized(f"{accuracy:.2%}")
    if column == RATE:
        rate = result.examples_per_second if result else None
        return NOTHING if rate is None else localized(f"{rate:,.0f}")
    texts: dict[int, Callable[[], str]] = {
        STATE: lambda: f"{said(record.state)}{WAITS if row.waits_for else ''}",
        RUN: lambda: record.run_id,
        PROFILE: lambda: record.name,
        MODEL: lambda: row.model,
        STARTED: lambda: started_text(record.started_at),
        TAGS: lambda: ", ".join(row.remark.tags),
        NOTE: lambda: row.remark.note,
    }
    return texts[column]()


def started_text(t: float, now: float | None = None) -> str:
    """``Nov 30 21:36`` of this year, ``2025-11-30 21:36`` of others; in this computer's zone."""
    then, today = time.localtime(t), time.localtime(now)
    if then.tm_year != today.tm_year:
        return time.strftime("%Y-%m-%d %H:%M", then)
    return f"{day_text(then.tm_mon, then.tm_mday)} {time.strftime('%H:%M', then)}"


def _steps(row: RunRow) -> int | None:
    if row.record.result is not None:
        return row.record.result.global_step
    return row.standing.step if row.standing is not None else None


def _loss(row: RunRow) -> float | None:
    if row.record.result is not None:
        return row.record.result.final_loss
    return row.standing.loss if row.standing is not None else None


_KEYS: Sequence[Callable[[RunRow], Any]] = (
    lambda row: row.record.state,
    lambda row: row.record.run_id,
    lambda row: row.record.name.casefold(),
    lambda row: row.model.casefold(),
    lambda row: row.record.started_at,
    lambda row: elapsed_s(row.record, row.standing),
    _steps,
    lambda row: None if (loss := _loss(row)) is None or loss != loss else loss,
    lambda row: row.record.result.accuracy if row.record.result else None,
    lambda row: row.record.result.examples_per_second if row.record.result else None,
    lambda row: ", ".join(row.remark.tags).casefold() or None,
    lambda row: row.remark.note.casefold() or None,
)


def _words(row: RunRow) -> str:
    record, remark = row.record, row.remark
    parts = (record.run_id, record.name, row.model, said(record.state), *remark.tags, remark.note)
    return " ".join(parts).casefold()


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
