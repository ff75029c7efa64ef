"""The training form: the spec's fields in cards, and what is wrong beside each."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from gui.fields import Field, FieldInfo, StillComboBox, spec_fields
from gui.language import tr
from gui.theme import UNIT, scaled

_CARDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (tr("Model and data"), ("model", "loss", "dataset.", "batch_size", "seed")),
    (tr("Your own code"), ("code", "command")),
    (tr("Length"), ("steps", "epochs", "evaluate_every", "early_stop.", "on_nan")),
    (tr("Restarts and time limit"), ("restart.", "max_hours")),
    (
        tr("Results"),
        ("checkpoint_every_s", "checkpoint_keep", "resume_from", "export", "tensorboard"),
    ),
    (tr("Speed"), ("mixed_precision", "jit_compile")),
    (tr("Optimizer"), ("optimizer.",)),
    (
        tr("Distribution"),
        (
            "baseline",
            "update",
            "backup_workers",
            "calls_in_flight",
            "replication",
            "worker_per",
            "workers",
            "ps",
            "ps_placement",
            "wire",
        ),
    ),
)
_EITHER = ("steps", "epochs")
"""Two fields of which one is used: the form asks which."""


class SpecForm(QWidget):
    """Shows and edits a training as plain data with the file's keys."""

    edited = Signal(str)
    """The key that the user changed."""
    committed = Signal()
    """An edit is complete: the field was left, or a choice was made."""

    def __init__(self) -> None:
        super().__init__()
        self.fields = {info.key: Field(info) for info in spec_fields()}
        self.length = StillComboBox()
        self._filling = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        rest = set(self.fields)
        for title, wanted in _CARDS:
            keys = [k for k in self.fields if _belongs(k, wanted) and k in rest]
            rest -= set(keys)
            layout.addWidget(self._card(title, keys))
        if rest:  # a choice that the spec gained: it is shown even before it has a card
            layout.addWidget(self._card(tr("More"), [k for k in self.fields if k in rest]))
        layout.addStretch(1)
        for key, field in self.fields.items():
            field.edited.connect(lambda k=key: self._edited(k))
            field.committed.connect(self.committed)
        self.length.currentIndexChanged.connect(lambda: self._length_chosen())

    def data(self) -> dict[str, Any]:
        """What differs from the defaults, nested as in the file; texts as typed."""
        found: dict[str, Any] = {}
        for key, field in self.fields.items():
            value = field.raw()
            if value is None or (key in _EITHER and key != self.length.currentData()):
                continue
            group, _, name = key.rpartition(".")
            place = found.setdefault(group, {}) if group else found
            place[name] = value
        return found

    def show_data(self, data: dict[str, Any]) -> None:
        """Show a training; fields that say the same already are left as they are."""
        self._filling = True
        chosen = "epochs" if data.get("epochs") is not None and data.get("steps") is None else None
        if data.get("steps") is not None:
            chosen = "steps"
        if chosen:
            self.length.setCurrentIndex(_EITHER.index(chosen))
        for key, field in self.fields.items():
            group, _, name = key.rpartition(".")
            place = data.get(group, {}) if group else data
            field.show_value(place.get(name) if isinstance(place, dict) else None)
        self._show_length()
        self._filling = False

    def show_problems(self, problems: list[tuple[str, str]]) -> list[str]:
        """Put each message beside its field; returns those that have none."""
        by_key: dict[str, str] = {}
        for key, message in problems:
            by_key.setdefault(key, message)
        for key, field in self.fields.items():
            field.show_problem(by_key.pop(key, ""))
        return [f"{key}: {message}" for key, message in by_key.items()]

    def _card(self, title: str, keys: list[str]) -> QFrame:
        card = QFrame()
        card.setObjectName("card")
        grid = QGridLayout(card)
        grid.setContentsMargins(16, 12, 16, 12)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(10)
        grid.setColumnMinimumWidth(0, 132)
        grid.setColumnStretch(1, 1)
        head = QLabel(title)
        head.setFont(scaled(head.font(), 1.05, bold=True))
        grid.addWidget(head, 0, 0, 1, 2)
        for row, key in enumerate(keys, start=1):
            at = row if key != _EITHER[1] else row - 1  # both in one place: one is visible
            self._add_row(grid, at, self.fields[key].info)
        return card

    def _add_row(self, grid: QGridLayout, row: int, info: FieldInfo) -> None:
        field = self.fields[info.key]
        top = Qt.AlignmentFlag.AlignTop
        if info.key == _EITHER[0]:
            for key in _EITHER:
                self.length.addItem(self.fields[key].info.label, key)
            self.length.setAccessibleName(tr("Length of training in"))
            grid.addWidget(self.length, row, 0, top)
        elif info.key not in _EITHER:
            label = QLabel(info.label)
            label.setProperty("tone", "muted")
            label.setContentsMargins(0, 7, 0, 0)
            label.setWordWrap(True)  # or long ones make the form wider than its place
            label.setBuddy(field.input)
            grid.addWidget(label, row, 0, top)
        grid.addWidget(field, row, 1, top)
        if info.key in _EITHER:
            field.setVisible(info.key == self.length.currentData())

    def _show_length(self) -> None:
        for key in _EITHER:
            self.fields[key].setVisible(key == self.length.currentData())

    def _length_chosen(self) -> None:
        self._show_length()
        self._edited(str(self.length.currentData()))
        self.committed.emit()

    def _edited(self, key: str) -> None:
        if not self._filling:
            self.edited.emit(key)


def _belongs(key: str, wanted: tuple[str, ...]) -> bool:
    return any(key == want or (want.endswith(".") and key.startswith(want)) for want in wanted)
