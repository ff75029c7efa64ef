"""What a new scaling study is to compare: a few fields, checked while they are typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.language import tr
from gui.pages import muted, plain, set_tone
from gui.texts import elapsed_text
from gui.theme import UNIT
from remote.errors import PlanError
from remote.study import Point, StudyPlan, estimate_s, numbers_in, sizes_up_to

if TYPE_CHECKING:
    from remote.profile import Profile

FIELD_WIDTH = 260
HINTS_FROM = 560
_WHAT = tr(
    "The same training is run with each number of workers and of ps, one after "
    "another, and as a single process to compare with. Every run sees as many "
    "examples."
)


class StudyForm(QWidget):
    """``changed`` after each edit; :meth:`plan` is what was asked for."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.workers = _field(tr("Numbers of workers"), "1, 2, 4")
        self.ps = _field(tr("Numbers of ps"), "1")
        self.repeats = _field(tr("Runs of each size"), "3")
        self.target = _field(tr("Target accuracy"), tr("none, or like 0.98"))
        self.single = QCheckBox(tr("Also as a &single process"))
        self.single.setChecked(True)
        self.words = plain("", wrap=True)
        self.words.setAccessibleName(tr("What the study takes"))
        self._profile: Profile | None = None
        self._rates: Mapping[Point, float] = {}
        self._start_s = 0.0
        self._hints: list[QLabel] = []
        self._build()

    def begin(self, profile: Profile | None) -> None:
        """Fill in what suits ``profile``; what was typed for the same nodes stays."""
        before, self._profile = self._profile, profile
        if profile is not None and (before is None or before.logins != profile.logins):
            slurm = profile.cluster.slurm
            sizes = sizes_up_to(slurm.nodes if slurm is not None else len(profile.nodes))
            self.workers.setText(", ".join(map(str, sizes)))
            self.ps.setText(str(profile.training.ps))
            self.repeats.setText(self.repeats.text() or "3")
        self._edited()

    def is_of(self, profile: Profile | None) -> bool:
        """Whether it is filled in for this very profile."""
        return self._profile is profile

    def take_rates(self, rates: Mapping[Point, float], start_s: float) -> None:
        """What earlier runs of the same training did: how long a study takes follows from it."""
        self._rates, self._start_s = rates, start_s
        self._edited()

    def plan(self) -> StudyPlan:
        """What the fields ask for. Raises PlanError, in one sentence."""
        from remote.session.studying import plan_of

        if self._profile is None:
            raise PlanError(tr("no profile is open that could be trained"), remedy=tr("Open one."))
        repeats = numbers_in(self.repeats.text(), tr("runs of each size"))
        if len(repeats) > 1:
            raise PlanError(tr("runs of each size is one number"), remedy=tr("Write one, like 3."))
        return plan_of(
            self._profile,
            workers=numbers_in(self.workers.text(), "workers"),
            ps=numbers_in(self.ps.text(), "ps"),
            repeats=repeats[0],
            single=self.single.isChecked(),
            target=_share_in(self.target.text()),
        )

    def problem(self) -> str:
        """Why this is no study; empty: it is one."""
        try:
            self.plan()
        except PlanError as error:
            return str(error)
        return ""

    def _edited(self) -> None:
        problem = self.problem()
        self.words.setText(problem or self._summary(self.plan()))
        set_tone(self.words, "error" if problem else "muted")
        self.changed.emit()

    def _summary(self, plan: StudyPlan) -> str:
        turns = list(plan.turns())
        sizes = len(plan.points)
        words = tr(
            "{count} runs: {sizes} sizes, {repeats} of each.",
            count=len(turns),
            sizes=sizes,
            repeats=plan.repeats,
        )
        seconds = estimate_s(plan, turns, self._rates, self._start_s)
        if seconds is None:
            return tr("{words} How long they take is known after the first.", words=words)
        return tr(
            "{words} About {time} or longer, as fast as earlier runs were.",
            words=words,
            time=elapsed_text(seconds),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for hints beside the fields, their tooltips have to do."""
        super().resizeEvent(event)
        for hint in self._hints:
            hint.setVisible(self.width() >= HINTS_FROM)

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * UNIT)
        grid.setVerticalSpacing(UNIT)
        rows = (
            (tr("&Workers"), self.workers, tr("one or several numbers")),
            (tr("&Parameter servers"), self.ps, tr("each with each number of workers")),
            (tr("&Repeats"), self.repeats, tr("of each size; the median counts")),
            (tr("&Target accuracy"), self.target, tr("also compares the time to it")),
        )
        for row, (text, field, help_) in enumerate(rows):
            label = QLabel(text)
            label.setBuddy(field)
            hint = muted(help_)
            self._hints.append(hint)
            field.setToolTip(help_)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
            hint.setMinimumWidth(1)  # it gives way, and is hidden then
            grid.addWidget(hint, row, 2)
            field.textChanged.connect(self._edited)
        grid.addWidget(self.single, len(rows), 1, 1, 2)
        grid.setColumnStretch(2, 1)
        self.single.toggled.connect(self._edited)
        what = muted(_WHAT)
        what.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(what)
        layout.addLayout(grid)
        layout.addWidget(self.words)
        layout.addStretch(1)


def _field(name: str, hint: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setMaximumWidth(FIELD_WIDTH)
    field.setMaxLength(200)
    field.setAlignment(Qt.AlignmentFlag.AlignLeft)
    return field


def _share_in(text: str) -> float | None:
    """An accuracy, ``0.98`` or ``98%``; None where nothing is written. Raises PlanError."""
    words = text.strip().replace(",", ".")
    if not words:
        return None
    try:
        value = float(words.removesuffix("%")) / (100.0 if words.endswith("%") else 1.0)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        what = tr("{typed!r} is no accuracy above 0, at most 1", typed=text.strip())
        raise PlanError(what, remedy=tr("Write one like 0.98, or leave it empty."))
    return value
