"""What of the training is not saved: choice by choice, each can go back by itself."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.differences import Difference, differences, reverted
from gui.document import Document
from gui.language import tr
from gui.pages import heading, muted

_COLUMNS = (tr("Choice"), tr("Saved"), tr("Now"))
NOT_SET = tr("not set")


class ChangesButton(QPushButton):
    """Says how many choices differ from the saved profile, and shows which."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.dialog: ChangesDialog | None = None
        self.setProperty("kind", "quiet")
        self.setToolTip(tr("Compare with the saved profile, and take single choices back"))
        self.clicked.connect(self.show_changes)
        document.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Count anew."""
        document = self._document
        count = len(changes(document)) if document.is_open and document.path else 0
        self.setVisible(count > 0)
        self.setText(tr("1 change") if count == 1 else tr("{count} changes", count=count))

    def show_changes(self) -> None:
        """Open the list beside the window, which stays usable."""
        if self.dialog is None:
            self.dialog = ChangesDialog(self._document, self.window())
        self.dialog.refresh()
        self.dialog.show()
        self.dialog.raise_()


class ChangesDialog(QDialog):
    """A table of the differences; follows the form while it is open."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._shown: list[Difference] = []
        self.setWindowTitle(tr("Changes to the training"))
        self.resize(620, 360)
        self.words = muted("")
        self.words.setWordWrap(True)
        self.table = QTableWidget(0, len(_COLUMNS))
        self.revert_button = QPushButton(tr("Revert"))
        self.all_button = QPushButton(tr("Revert all"))
        self._build()
        document.changed.connect(self._document_changed)
        self.refresh()

    def refresh(self) -> None:
        """Fill the table; the row that was current stays so, or the next one is."""
        found = changes(self._document)
        row = max(0, self.table.currentRow())
        if found != self._shown or self.table.rowCount() != len(found):
            self._shown = found
            self.table.setRowCount(len(found))
            for at, one in enumerate(found):
                words = (one.label, one.saved or NOT_SET, one.now or NOT_SET)
                for column, text in enumerate(words):
                    item = QTableWidgetItem(text)
                    item.setToolTip(one.key if column == 0 else text)
                    self.table.setItem(at, column, item)
            if found:
                self.table.setCurrentCell(min(row, len(found) - 1), 0)
        name = self._document.path.name if self._document.path else self._document.title
        self.words.setText(
            tr("What the form has, and what {name} has.", name=name)
            if found
            else tr("All as it is saved.")
        )
        for button in (self.revert_button, self.all_button):
            button.setEnabled(bool(found) and not self._document.read_only)

    def revert(self) -> None:
        """Take the selected choices back to what is saved; undo brings them back."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        self._revert([self._shown[row].key for row in rows if row < len(self._shown)])

    def revert_all(self) -> None:
        """Take all choices back to what is saved; undo brings them back."""
        self._revert([one.key for one in self._shown])

    def _revert(self, keys: list[str]) -> None:
        document = self._document
        saved, now = document.saved_training(), document.training()
        for key in keys:
            now = reverted(now, saved, key)
        document.seal()
        document.set_training(now, "revert to what is saved")
        document.seal()

    def _document_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(heading(tr("Changes to the training")))
        layout.addWidget(self.words)
        table = self.table
        table.setAccessibleName(tr("Changes"))
        table.setHorizontalHeaderLabels(list(_COLUMNS))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(table, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.revert_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.all_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.revert_button.setToolTip(tr("Take the selected choices back to what is saved"))
        self.revert_button.clicked.connect(self.revert)
        self.all_button.clicked.connect(self.revert_all)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)


def changes(document: Document) -> list[Difference]:
    """What of the training is not as it is saved."""
    return differences(document.saved_training(), document.training())
