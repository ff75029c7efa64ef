"""What holds for every node that says nothing else: how to log in, and with which Python."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.document import Data, Document
from gui.language import tr
from gui.pages import heading, muted, plain, set_tone

FIELDS = (
    (
        "environment.python",
        tr("Python"),
        tr("the first one that is found"),
        tr("With TensorFlow in it"),
    ),
    ("ssh.user", tr("User"), tr("as ssh would"), tr("Name to log in with")),
    ("ssh.identity_file", tr("Key file"), tr("as ssh would"), tr("Private key on this computer")),
    ("ssh.jump", tr("Jump host"), tr("as ssh would"), tr("Host to go through, like ana@gate:22")),
)
"""Key of the profile, label, what an empty field means, and help."""


class AllNodesDialog(QDialog):
    """Edits the profile's own ``ssh`` and ``environment``; what is wrong is told in the dialog."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.setWindowTitle(tr("For all nodes"))
        self.setMinimumWidth(560)
        self.lines = {key: QLineEdit() for key, *_ in FIELDS}
        self.problem = plain("", wrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(heading(tr("For all nodes")))
        words = muted(tr("A node's own user or port, in the table, goes before what is said here."))
        words.setWordWrap(True)
        layout.addWidget(words)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        for key, label, empty, tip in FIELDS:
            line = self.lines[key]
            line.setText(self._value(key))
            line.setPlaceholderText(empty)
            line.setToolTip(tip)
            line.setAccessibleName(label)
            line.setAccessibleDescription(tip)
            form.addRow(f"{label} ", self._with_browse(line) if key.endswith("_file") else line)
        layout.addLayout(form)
        set_tone(self.problem, "error")
        self.problem.hide()
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)

    def _with_browse(self, line: QLineEdit) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(line, 1)
        choose = QPushButton(tr("Choose…"))
        choose.setAutoDefault(False)
        choose.setAccessibleName(tr("Choose the key file"))
        choose.clicked.connect(lambda: self._browse(line))
        row.addWidget(choose)
        return row

    def _browse(self, line: QLineEdit) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Key file"), line.text())
        if name:
            line.setText(name)

    def _value(self, key: str) -> str:
        group, _, name = key.partition(".")
        return str(self._document.group(group).get(name) or "")

    def _accept(self) -> None:
        groups: dict[str, Data] = {}
        for key, line in self.lines.items():
            group, _, name = key.partition(".")
            values = groups.setdefault(group, self._document.group(group))
            values.pop(name, None)
            if line.text().strip():
                values[name] = line.text().strip()
        problems = self._document.set_groups(groups, tr("for all nodes"))
        if not problems:
            self.accept()
            return
        names = {key: label for key, label, *_ in FIELDS}
        self.problem.setText("\n".join(f"{names.get(k, k)}: {what}" for k, what in problems))
        self.problem.show()
