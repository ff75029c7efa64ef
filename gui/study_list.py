"""The studies of this account as a list, the newest first, with room for a new one at its top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from gui.language import tr
from remote.study import Study

WIDTH = 216
NEW = ""
_ID = Qt.ItemDataRole.UserRole


class StudyList(QListWidget):
    """``chosen`` with a study's id, or ``NEW``."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Studies"))
        self.setFixedWidth(WIDTH)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_studies([], {})
        self.currentItemChanged.connect(lambda *_: self.chosen.emit(self.current()))

    def current(self) -> str:
        """The chosen study's id; ``NEW`` where a new one is to be made."""
        item = self.currentItem()
        return str(item.data(_ID)) if item is not None else NEW

    def ids(self) -> list[str]:
        """All ids, from the top."""
        items = (self.item(row) for row in range(1, self.count()))
        return [str(item.data(_ID)) for item in items]

    def show_studies(
        self, studies: Sequence[Study], made: Mapping[str, int], making: str = ""
    ) -> None:
        """Fill it; what was chosen stays chosen.

        Args:
            made: how many runs of each study have finished, by its id.
            making: the one that is being made.
        """
        before = self.current()
        blocked = self.blockSignals(True)
        self.clear()
        self.addItem(_item(tr("New study"), NEW, tr("Compare sizes of the cluster")))
        for study in studies:
            total = sum(1 for _ in study.plan.turns())
            state = (
                tr("going on")
                if study.study_id == making
                else tr("{value} of {total}", value=made.get(study.study_id, 0), total=total)
            )
            words = f"{study.name}\n{_when(study.study_id)} · {state}"
            self.addItem(_item(words, study.study_id, study.profile_path or study.name))
        self.choose(before)
        self.blockSignals(blocked)

    def choose(self, study_id: str) -> None:
        """Choose a study; an unknown one: a new study."""
        rows = (row for row in range(self.count()) if self.item(row).data(_ID) == study_id)
        self.setCurrentRow(next(rows, 0))


def _item(text: str, study_id: str, tip: str) -> QListWidgetItem:
    item = QListWidgetItem(text)
    item.setData(_ID, study_id)
    item.setToolTip(f"<qt>{escape(tip)}</qt>")  # Qt would guess, and take a name for markup
    return item


def _when(study_id: str) -> str:
    """``2026-11-30 22:40`` of ``20261130-2240-k3f9``."""
    day, time = study_id[:8], study_id[9:13]
    return f"{day[:4]}-{day[4:6]}-{day[6:]} {time[:2]}:{time[2:]}"
