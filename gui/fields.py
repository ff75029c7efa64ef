"""Form fields made from the training spec itself: its dataclasses are the only list of choices."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.language import tr
from gui.said import said
from gui.theme import scaled
from trainer.spec import DEFAULT_STEPS, TrainingSpec


@dataclasses.dataclass(frozen=True)
class FieldInfo:
    """One choice: its dotted ``key``, what the spec says about it, and its default."""

    key: str
    label: str
    help: str
    default: Any
    choices: tuple[str, ...]
    optional: bool
    unit: str
    is_folder: bool
    is_open: bool
    """Whether more than the choices may be typed."""
    empty: str
    """What an empty input means, in words."""


_YES_NO = (tr("no"), tr("yes"))


def spec_fields(kind: type = TrainingSpec, prefix: str = "") -> Iterator[FieldInfo]:
    """Every choice of ``kind``, nested ones included, in the spec's order."""
    hints = get_type_hints(kind)
    blank = kind()
    for f in dataclasses.fields(kind):
        hint = hints[f.name]
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            yield from spec_fields(hint, f"{prefix}{f.name}.")
            continue
        yield FieldInfo(
            key=f"{prefix}{f.name}",
            label=_label(f"{prefix}{f.name}"),
            help=tr(f.metadata.get("help", "")),
            default=getattr(blank, f.name),
            choices=_YES_NO if hint is bool else tuple(f.metadata.get("choices", ())),
            optional=type(None) in get_args(hint),
            unit=tr(f.metadata.get("unit", "")),
            is_folder=f.metadata.get("folder", False),
            is_open=f.metadata.get("own", False),
            empty=tr(f.metadata.get("empty", "")),
        )


def _label(key: str) -> str:
    """``optimizer.learning_rate`` to ``Learning rate``; a unit's letters go, names lead."""
    group, _, name = key.rpartition(".")
    words = name.removesuffix("_s").replace("_", " ")
    if name in ("name", "max", "on", "path", "policy"):
        words = {
            "name": group,
            "max": f"{group}s at most",
            "on": f"{group} is on",
            "path": f"{group} folder",
            "policy": f"{group} policy",
        }[name]
    text = words[:1].upper() + words[1:]
    return tr(text.replace("Ps", "Parameter servers", 1) if name == "ps" else text)


class StillComboBox(QComboBox):
    """A choice that the mouse wheel passes by: it scrolls the form, and changes nothing.

    An open list takes the wheel itself, as it is a window of its own.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Its longest choice must not make the form wider than its place.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class FieldLine(QLineEdit):
    """A line that leaves undo and redo to the profile, which knows each of its edits.

    Args:
        own_first: take back what is typed here, as long as there is any; for what is not yet part
            of the profile.
    """

    def __init__(self, parent: QWidget | None = None, *, own_first: bool = False) -> None:
        super().__init__(parent)
        self._own_first = own_first

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            keys = QKeySequence.StandardKey
            undo, redo = event.matches(keys.Undo), event.matches(keys.Redo)
            own = self._own_first and (
                (undo and self.isUndoAvailable()) or (redo and self.isRedoAvailable())
            )
            if (undo or redo) and not own:
                event.ignore()  # the window's action has it
                return True
        return super().event(event)


class Field(QWidget):
    """A label's partner: the input, and under it the help or what is wrong."""

    edited = Signal()
    committed = Signal()
    """The edit is complete: the line was left, or a choice was made."""

    def __init__(self, info: FieldInfo) -> None:
        super().__init__()
        self.info = info
        self.input: QComboBox | QLineEdit = self._make_input()
        self.input.setAccessibleName(info.label)
        self.input.setAccessibleDescription(info.help)
        self.input.setToolTip(info.help)
        self.note = QLabel(info.help)
        self.note.setWordWrap(True)
        self.note.setFont(scaled(self.note.font(), 0.88))
        self.note.setProperty("tone", "faint")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.input, 1)
        if info.unit:
            row.addWidget(QLabel(info.unit))
        if info.is_folder:
            browse = QPushButton(tr("Choose…"))
            browse.setAccessibleName(tr("Choose {label}", label=info.label))
            browse.clicked.connect(self._browse)
            row.addWidget(browse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.note)

    def _make_input(self) -> QComboBox | QLineEdit:
        if self.info.choices:
            box = StillComboBox()
            box.addItems(list(self.info.choices))
            box.setEditable(self.info.is_open)
            box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            # Signals of a box pass the signal's arguments, which ours do not have.
            changed = box.currentTextChanged if self.info.is_open else box.currentIndexChanged
            changed.connect(lambda: self.edited.emit())
            if self.info.is_open:
                line = FieldLine()
                line.editingFinished.connect(self.committed)
                box.setLineEdit(line)
            else:
                box.currentIndexChanged.connect(lambda: self.committed.emit())
            return box
        line = FieldLine()
        line.editingFinished.connect(self.committed)
        line.setPlaceholderText(self._placeholder())
        line.textEdited.connect(self.edited)
        return line

    def _placeholder(self) -> str:
        info = self.info
        if info.key == "steps":
            return str(DEFAULT_STEPS)
        if info.empty or info.optional:
            return info.empty or tr("not set")
        return _text(info.default)

    def raw(self) -> str | None:
        """The text as typed, or the choice; None: left out, so the default holds."""
        if isinstance(self.input, QComboBox):
            value = self.input.currentText().strip()
            if self.info.choices is _YES_NO and value in _YES_NO:
                value = tr("yes") if value == _YES_NO[True] else tr("no")  # as profiles have it
        else:
            value = self.input.text().strip()
        default = self.info.default
        shown = (
            (tr("yes") if default else tr("no")) if isinstance(default, bool) else _text(default)
        )
        if value == "" or value == shown:
            return None
        return value

    def show_value(self, value: Any) -> None:
        """Show ``value`` of the profile; None: the default."""
        if isinstance(self.input, QComboBox):
            wanted = _text(self.info.default if value is None else value)
            if self.info.choices is _YES_NO and wanted in ("no", "yes"):
                wanted = _YES_NO[wanted == "yes"]
            if self.input.currentText() != wanted:
                index = self.input.findText(wanted)
                if index < 0 and self.info.is_open:
                    self.input.setEditText(wanted)
                    return
                if index < 0:  # a value that is no choice stays visible, and is told to be wrong
                    self.input.addItem(wanted)
                    index = self.input.count() - 1
                self.input.setCurrentIndex(index)
            return
        text = "" if value is None and self.info.optional else _text(value, self.info.default)
        if self.input.text().strip() != text and not _same(self.input.text(), text):
            self.input.setText(text)

    def show_problem(self, message: str) -> None:
        """Say what is wrong under the field; empty: nothing is, the help comes back."""
        wrong = bool(message)
        message = said(message)
        text = message[:1].upper() + message[1:] if wrong else self.info.help
        if self.note.text() == text:
            return
        self.note.setText(text)
        for widget, name, value in (
            (self.note, "tone", "error" if wrong else "faint"),
            (self.input, "wrong", "true" if wrong else "false"),
        ):
            widget.setProperty(name, value)
            widget.style().unpolish(widget)
            widget.style().polish(widget)

    def _browse(self) -> None:
        start = self.input.text() if isinstance(self.input, QLineEdit) else ""
        folder = QFileDialog.getExistingDirectory(self, self.info.label, start)
        if folder and isinstance(self.input, QLineEdit):
            self.input.setText(folder)
            self.edited.emit()
            self.committed.emit()


def _text(value: Any, default: Any = None) -> str:
    value = default if value is None else value
    if value is None:
        return ""
    if isinstance(value, bool):
        return _YES_NO[value]
    if isinstance(value, (tuple, list)):
        return shlex.join(map(str, value))
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def _same(a: str, b: str) -> bool:
    """Whether two texts are the same number, so that typing ``0.`` is not overwritten by ``0``."""
    try:
        return float(a) == float(b)
    except ValueError:
        return False


def field_text(value: Any) -> str:
    """A value as the form shows it; empty: not set."""
    return _text(value)
