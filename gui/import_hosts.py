"""Picking nodes from ~/.ssh/config: a list to tick. Nothing in the file is run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.language import plural, tr
from gui.pages import heading, muted, plain, set_tone
from gui.theme import colors

if TYPE_CHECKING:
    from remote.ssh import ConfigHost, ConfigHosts

ALL = tr("All that are shown")
COLUMNS = (tr("Host"), tr("Address"), tr("User"), tr("Port"), tr("Through"), tr("From"))
SHOWN_PROBLEMS = 3
ROW_HEIGHT = 26
WIDEST = 360
"""Of a column, in pixels: a longer name is cut in its middle, and whole in its tooltip."""


def read_hosts() -> tuple[ConfigHosts, str]:
    """The hosts of the user's and the system's files, and the user's file for messages."""
    from remote.ssh import ConfigSource, list_hosts

    files = ConfigSource().files()
    return list_hosts(files), str(files.user)


class RowDelegate(QStyledItemDelegate):
    """Rows of one height; a size hint of the item itself would set its width as well."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return super().sizeHint(option, index).expandedTo(QSize(0, ROW_HEIGHT))


class ImportDialog(QDialog):
    """Hosts with a box to tick each; ``add`` is called with the aliases that were chosen.

    Args:
        taken: hosts that are in the profile already; they are shown and cannot be ticked.
    """

    def __init__(
        self,
        taken: Collection[str],
        add: Callable[[list[str]], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._taken = frozenset(taken)
        self._add = add
        self.setWindowTitle(tr("Import from the SSH configuration"))
        self.resize(820, 520)
        self.words = muted(tr("Reading…"))
        self.words.setWordWrap(True)
        self.problems = plain("", wrap=True)
        set_tone(self.problems, "warn")
        self.filter = QLineEdit()
        self.list = QTreeWidget()
        self.all = QCheckBox(ALL)
        self.buttons = QDialogButtonBox()
        self._build()

    def _build(self) -> None:
        self.filter.setPlaceholderText(tr("Filter by host, address, user or jump host"))
        self.filter.setAccessibleName(tr("Filter"))
        self.filter.setClearButtonEnabled(True)
        self.list.setAccessibleName(tr("Hosts of the SSH configuration"))
        self.list.setHeaderLabels(list(COLUMNS))
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.list.setItemDelegate(RowDelegate(self.list))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setMaximumSectionSize(WIDEST)
        self.add_button = self.buttons.addButton(tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(heading(tr("Hosts of your SSH configuration")))
        layout.addWidget(self.words)
        layout.addWidget(self.filter)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.all)
        layout.addWidget(self.problems)
        layout.addWidget(self.buttons)
        self.filter.textChanged.connect(self._show_matching)
        self.list.itemChanged.connect(lambda *_: self._count())
        self.all.clicked.connect(self._tick_all)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self.filter.installEventFilter(self)
        self.list.installEventFilter(self)
        self.problems.hide()
        self._enable(False)
        self._count()

    def show_hosts(self, found: ConfigHosts, file: str) -> None:
        """Fill the list with what was read."""
        self.words.setText(_words(found, file))
        shown = list(found.problems[:SHOWN_PROBLEMS])
        if len(found.problems) > SHOWN_PROBLEMS:
            shown.append(tr("and {count} more lines", count=len(found.problems) - SHOWN_PROBLEMS))
        self.problems.setText("\n".join(shown))
        self.problems.setVisible(bool(shown))
        self.list.addTopLevelItems([self._item(host) for host in found.hosts])
        self._enable(bool(found.hosts))
        self._count()
        if found.hosts:
            self.list.setCurrentItem(self._items()[0])
            self.filter.setFocus()
        else:
            self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setFocus()

    def chosen(self) -> list[str]:
        """The aliases that are ticked, in the order of the file."""
        ticked = (item for item in self._items() if _is_ticked(item))
        return [str(item.data(0, Qt.ItemDataRole.UserRole)) for item in ticked]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down goes from the filter into the list; Space there ticks every selected row."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self.filter and event.key() == Qt.Key.Key_Down:
                self._enter_list()
                return True
            if watched is self.list and event.key() == Qt.Key.Key_Space:
                self._toggle(self.list.selectedItems())
                return True
        return super().eventFilter(watched, event)

    def _enter_list(self) -> None:
        first = next((item for item in self._items() if not item.isHidden()), None)
        if first is not None:
            self.list.setCurrentItem(first)
            self.list.setFocus()

    def _toggle(self, items: list[QTreeWidgetItem]) -> None:
        free = [item for item in items if _is_free(item) and not item.isHidden()]
        tick = not all(_is_ticked(item) for item in free)
        for item in free:
            item.setCheckState(0, Qt.CheckState.Checked if tick else Qt.CheckState.Unchecked)

    def _item(self, host: ConfigHost) -> QTreeWidgetItem:
        through = host.jump or (tr("a command") if host.proxy_command else "")
        port = "" if host.port is None else str(host.port)
        place = f"{host.file.name}:{host.line}"
        item = QTreeWidgetItem([host.alias, host.host_name, host.user, port, through, place])
        item.setData(0, Qt.ItemDataRole.UserRole, host.alias)
        item.setToolTip(0, host.alias)
        item.setToolTip(5, tr("{file}, line {line}", file=host.file, line=host.line))
        item.setCheckState(0, Qt.CheckState.Unchecked)
        if host.alias in self._taken:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
            item.setText(0, tr("{alias}  (in the profile)", alias=host.alias))
            for column in range(len(COLUMNS)):
                item.setForeground(column, colors().color("faint"))
        elif host.needs_command:
            item.setText(0, tr("{alias}  (has conditions that need a command)", alias=host.alias))
        return item

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _show_matching(self, text: str) -> None:
        wanted = text.casefold().split()
        for item in self._items():
            words = " ".join(item.text(column) for column in range(5)).casefold()
            item.setHidden(not all(word in words for word in wanted))
        nothing = bool(wanted) and all(item.isHidden() for item in self._items())
        self.all.setText(tr("No host matches the filter") if nothing else ALL)
        self._count()

    def _tick_all(self, ticked: bool) -> None:
        state = Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        for item in self._items():
            if _is_free(item) and not item.isHidden():
                item.setCheckState(0, state)

    def _count(self) -> None:
        items = self._items()
        count = sum(_is_ticked(item) for item in items)
        self.add_button.setText(tr("Add") if not count else tr("Add {nodes}", nodes=_nodes(count)))
        self.add_button.setEnabled(count > 0)
        self.add_button.setDefault(count > 0)
        shown = [item for item in items if _is_free(item) and not item.isHidden()]
        self.all.setEnabled(bool(shown))
        self.all.setChecked(bool(shown) and all(_is_ticked(item) for item in shown))

    def _enable(self, enabled: bool) -> None:
        for widget in (self.filter, self.list, self.all):
            widget.setEnabled(enabled)

    def _accept(self) -> None:
        self._add(self.chosen())
        self.accept()


def _words(found: ConfigHosts, file: str) -> str:
    if not found.hosts and not Path(file).exists():
        return tr(
            "There is no {file} on this computer. Add nodes by their host name instead.", file=file
        )
    if not found.hosts:
        return tr(
            "{file} names no hosts, only patterns or defaults. Add nodes by their host name.",
            file=file,
        )
    words = tr("The nodes keep these names; SSH's own configuration says how to reach them.")
    if found.patterns:
        words += tr(" Nodes may also be named like {names}.", names=", ".join(found.patterns[:5]))
    return words


def _nodes(count: int) -> str:
    return plural("{n} node", "{n} nodes", count)


def _is_free(item: QTreeWidgetItem) -> bool:
    return bool(item.flags() & Qt.ItemFlag.ItemIsEnabled)


def _is_ticked(item: QTreeWidgetItem) -> bool:
    return item.checkState(0) is Qt.CheckState.Checked
