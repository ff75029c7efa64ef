"""Leftovers on the nodes: a list to tick, grouped by node; what is ticked is removed."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.background import run_in_background
from gui.controller import Controller
from gui.import_hosts import RowDelegate
from gui.language import localized, plural, tr
from gui.pages import heading, muted, plain, set_tone
from gui.said import said
from gui.theme import colors
from remote.errors import ClewError
from remote.wording import LEFTOVER_KINDS

if TYPE_CHECKING:
    from remote.session.sweep import Found, Look, Swept

COLUMNS = (tr("What"), tr("Kind"), tr("Age"), tr("Size"), tr("Why"))
WHAT, KIND, AGE, SIZE, WHY = range(len(COLUMNS))
WIDEST = 420
"""Of the first column, in pixels; what is longer is whole in its tooltip."""
_FOUND = Qt.ItemDataRole.UserRole
_EXPLANATION = tr(
    "Ticked is what nobody can need any more. Folders of old runs hold their "
    "checkpoints and logs; files that no run uses now are sent again when one does. "
    "What is in use has no box."
)


class SweepDialog(QDialog):
    """Asks the nodes when it opens; blocks nothing while they work."""

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._seen: Look | None = None
        self._open = True
        self.busy = False
        self.setWindowTitle(tr("Leftovers on the nodes"))
        self.resize(1120, 600)
        self.words = muted("")
        self.words.setWordWrap(True)
        self.problems = plain("", wrap=True)
        self.list = QTreeWidget()
        self.buttons = QDialogButtonBox()
        self._build()
        self.look()

    def look(self) -> None:
        """Ask all nodes that are connected."""
        session = self._controller.session
        if session is None or self.busy:
            self.words.setText(tr("The nodes are not connected."))
            return
        self._set_busy(tr("Looking at the nodes …"))

        def work() -> Look:
            from remote.session.sweep import look

            return look(session)

        run_in_background(
            self._controller.bridge, work, self.show_found, self._failed, name="sweep"
        )

    def show_found(self, seen: Look) -> None:
        """Fill the list."""
        if not self._open:
            return
        self._seen = seen
        self.list.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for found in seen.found:
            where = ", ".join(found.nodes)
            if where not in groups:
                groups[where] = _group(where)
                self.list.addTopLevelItem(groups[where])
            groups[where].addChild(_row(found))
        for group in groups.values():
            group.setFirstColumnSpanned(True)
        self.list.expandAll()
        self._tell_problems(
            [
                tr("{node} was not looked at: {what}", node=node, what=e.what)
                for node, e in seen.failed.items()
            ]
        )
        self._set_busy("")
        self.words.setText(_EXPLANATION if seen.found else tr("Nothing is left on the nodes."))
        self._count()

    def ticked(self) -> list[Found]:
        """What is to be removed."""
        rows = [row for row in self._rows() if row.checkState(WHAT) is Qt.CheckState.Checked]
        return [row.data(WHAT, _FOUND) for row in rows if row.flags() & _CAN]

    def remove(self) -> None:
        """Remove what is ticked, then look again."""
        session, seen, chosen = self._controller.session, self._seen, self.ticked()
        if session is None or seen is None or not chosen or self.busy:
            return
        self._set_busy(tr("Removing {count} …", count=len(chosen)))

        def work() -> tuple[list[Swept], Look]:
            from remote.session.sweep import look, remove

            return remove(session, seen, chosen), look(session)

        run_in_background(self._controller.bridge, work, self._removed, self._failed, name="sweep")

    def done(self, result: int) -> None:
        self._open = False  # what is under way on the nodes ends there
        super().done(result)

    def _removed(self, outcome: tuple[list[Swept], Look]) -> None:
        if not self._open:
            return
        swept, seen = outcome
        self.show_found(seen)
        left = [done for done in swept if not done.gone]
        freed = sum(done.found.item.size_bytes for done in swept if done.gone)
        removed = tr(
            "Removed {gone} of {count} ({size}).",
            gone=len(swept) - len(left),
            count=len(swept),
            size=_size(freed),
        )
        rest = "" if seen.found else tr(" Nothing is left on the nodes.")
        self.words.setText(removed + rest)
        if left:
            self._tell_problems(
                [
                    tr(
                        "{nodes}: {title} is still there: {why}",
                        nodes=d.found.nodes[0],
                        title=d.found.title,
                        why=d.why,
                    )
                    for d in left[:5]
                ]
            )

    def _failed(self, error: ClewError) -> None:
        if self._open:
            self._set_busy("")
            self.words.setText("")
            self._tell_problems([str(error)])

    def _tell_problems(self, lines: list[str]) -> None:
        self.problems.setText("\n".join(lines))
        self.problems.setVisible(bool(lines))

    def _set_busy(self, what: str) -> None:
        self.busy = bool(what)
        if what:
            self.words.setText(what)
        self.list.setEnabled(not what)
        self.look_button.setEnabled(not what)
        self._count()

    def _count(self) -> None:
        chosen = self.ticked()
        total = sum(found.item.size_bytes for found in chosen)
        amount = f" {len(chosen)} ({_size(total)})" if chosen else ""
        self.remove_button.setText(tr("Remove{amount}", amount=amount))
        self.remove_button.setEnabled(bool(chosen) and not self.busy)

    def _rows(self) -> list[QTreeWidgetItem]:
        tops = [self.list.topLevelItem(i) for i in range(self.list.topLevelItemCount())]
        groups = [top for top in tops if top is not None]
        rows = [group.child(i) for group in groups for i in range(group.childCount())]
        return [row for row in rows if row is not None]

    def _build(self) -> None:
        self.list.setAccessibleName(tr("Leftovers on the nodes"))
        self.list.setHeaderLabels(list(COLUMNS))
        self.list.setUniformRowHeights(True)
        self.list.setItemDelegate(RowDelegate(self.list))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.list.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in ((WHAT, WIDEST), (KIND, 130), (AGE, 90), (SIZE, 80)):
            self.list.setColumnWidth(column, width)
        role = QDialogButtonBox.ButtonRole
        self.look_button = self.buttons.addButton(tr("&Look again"), role.ActionRole)
        self.remove_button = self.buttons.addButton(tr("Remove"), role.DestructiveRole)
        self.close_button = self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        self.close_button.setDefault(True)
        self.remove_button.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(heading(tr("What runs have left on the nodes")))
        layout.addWidget(self.words)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.problems)
        layout.addWidget(self.buttons)
        set_tone(self.problems, "warn")
        self.problems.hide()
        self.list.itemChanged.connect(lambda *_: self._count())
        self.look_button.clicked.connect(self.look)
        self.remove_button.clicked.connect(self.remove)
        self.buttons.rejected.connect(self.reject)


_CAN = Qt.ItemFlag.ItemIsUserCheckable


def _group(where: str) -> QTreeWidgetItem:
    group = QTreeWidgetItem([where])
    group.setFlags(Qt.ItemFlag.ItemIsEnabled)
    font = group.font(WHAT)
    font.setBold(True)
    group.setFont(WHAT, font)
    return group


def _row(found: Found) -> QTreeWidgetItem:
    item = found.item
    size = _size(item.size_bytes) if item.size_bytes else ""
    row = QTreeWidgetItem(
        [found.title, said(LEFTOVER_KINDS[item.kind]), _age(item.age_s), size, said(found.why)]
    )
    row.setData(WHAT, _FOUND, found)
    row.setToolTip(WHAT, _tip(found.title))
    row.setToolTip(WHY, _tip(said(found.why)))
    row.setTextAlignment(SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    if found.may_go:
        row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | _CAN)
        ticked = Qt.CheckState.Checked if found.is_suggested else Qt.CheckState.Unchecked
        row.setCheckState(WHAT, ticked)
    else:
        row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        for column in range(len(COLUMNS)):
            row.setForeground(column, QColor(colors()["muted"]))
    return row


def _tip(text: str) -> str:
    """A tooltip is taken for rich text where it looks like it."""

    return f"<qt>{html.escape(text)}</qt>"


def _age(seconds: float) -> str:
    for limit, unit, step in ((90, "s", 1), (5400, "min", 60), (129_600, "h", 3600)):
        if seconds < limit:
            return f"{seconds / step:.0f} {unit}"
    return plural("{n} day", "{n} days", round(seconds / 86400))


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else localized(f"{count:.1f} {unit}")
        count /= 1000
    return localized(f"{count:.1f} GB")
