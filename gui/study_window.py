"""The window of scaling studies: begin one, watch it, go on with it, look at earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gui.background import run_in_background
from gui.controller import Controller
from gui.language import tr
from gui.pages import Scrolled, heading, plain, set_tone
from gui.said import said
from gui.study_form import StudyForm
from gui.study_list import NEW, WIDTH, StudyList
from gui.study_maker import StudyMaker
from gui.study_view import StudyView
from gui.texts import elapsed_text
from gui.theme import UNIT
from remote.errors import ClewError
from remote.history import History
from remote.study import Outcome, Point, Study

_KINDS = (
    (tr("Everything as &PNG…"), ".png", tr("Pictures (*.png)")),
    (tr("Everything as &SVG…"), ".svg", tr("Drawings (*.svg)")),
    (tr("&Table as CSV…"), ".csv", tr("Tables (*.csv)")),
    (tr("All &runs as CSV…"), "-runs.csv", tr("Tables (*.csv)")),
)


T = TypeVar("T")
ROOMY, NARROW = 860, 150
"""In a window that is narrower the list gives way."""


class StudyWindow(QDialog):
    """Stands beside the main window; closing it leaves a study going on.

    Args:
        open_profile: opens the profile of a study in the main window.
    """

    def __init__(
        self,
        controller: Controller,
        maker: StudyMaker,
        open_profile: Callable[[Study], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self.maker = maker
        self._open_profile = open_profile
        self.studies: dict[str, Study] = {}
        self.list = StudyList()
        self.form = StudyForm()
        self.view = StudyView()
        self.stack = QStackedWidget()
        self.words = plain("", wrap=True)
        self.bar = QProgressBar()
        self.box: QMessageBox | None = None
        """The question before a stop, while it is open."""
        self.start_button = QPushButton(tr("&Start"))
        self.resume_button = QPushButton(tr("&Resume"))
        self.stop_button = QPushButton(tr("S&top…"))
        self.profile_button = QPushButton(tr("&Open its profile"))
        self.export_button = QPushButton(tr("&Export"))
        self.close_button = QPushButton(tr("&Close"))
        self._build()
        self._connect()
        self._choose()
        self.load()

    # -- what is shown -------------------------------------------------------------------------

    def load(self, choose: str | None = None) -> None:
        """Read all studies in the background, then choose one."""
        history = self._controller.history

        def done(found: list[tuple[Study, int]]) -> None:
            self.studies = {study.study_id: study for study, _ in found}
            made = {study.study_id: count for study, count in found}
            making = self.maker.study
            if self.maker.active and making is not None:
                self.studies[making.study_id] = making  # it may not be written yet
            newest = [self.studies[key] for key in sorted(self.studies, reverse=True)]
            now = making.study_id if self.maker.active and making is not None else ""
            self.list.show_studies(newest, made, now)
            if choose is not None:
                self.list.choose(choose)
            self._choose()

        self._in_background(lambda: _all_studies(history()), done)

    def shown_study(self) -> Study | None:
        """The study that is chosen; None: a new one."""
        return self.studies.get(self.list.current())

    def _choose(self) -> None:
        study = self.shown_study()
        self.stack.setCurrentIndex(0 if study is None else 1)
        if study is None:
            self._begin_form()
        elif self.view.study is None or self.view.study.study_id != study.study_id:
            self.view.show_study(study, [])
        self._load_runs()
        self._changed()

    def _load_runs(self) -> None:
        study, history = self.shown_study(), self._controller.history
        if study is None:
            return

        def done(found: list[Outcome]) -> None:
            if self.list.current() == study.study_id:
                self.view.show_study(study, found)
                self._changed()

        self._in_background(lambda: _outcomes(history(), study), done)

    def _begin_form(self) -> None:
        profile, history = self._controller.document.profile, self._controller.history
        self.form.begin(profile)
        if profile is None:
            return
        training = profile.training

        def done(found: tuple[dict[Point, float], float]) -> None:
            self.form.take_rates(*found)

        def work() -> tuple[dict[Point, float], float]:
            from remote.session.studying import rates_on_record

            return rates_on_record(history(), training)

        self._in_background(work, done)

    def _in_background(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        controller = self._controller
        run_in_background(controller.bridge, work, done, controller.notices.error, name="studies")

    def _changed(self) -> None:
        """Buttons and words of the present state."""
        study, maker = self.shown_study(), self.maker
        making = study is not None and maker.is_making(study.study_id)
        missing = study is not None and len(list(study.left(_made(self.view.outcomes)))) > 0
        reason = maker.why_not(study)
        resume = study is not None and missing and not making
        self.start_button.setVisible(study is None)
        self.start_button.setEnabled(not reason and not self.form.problem())
        self.resume_button.setVisible(resume)
        self.resume_button.setEnabled(not reason)
        self.profile_button.setVisible(resume and tr("another profile") in reason)
        self.stop_button.setVisible(making)
        self.export_button.setEnabled(bool(self.view.outcomes))
        self.export_button.setVisible(study is not None)
        self.bar.setVisible(making)
        if making:
            self.bar.setMaximum(max(1, maker.total))
            self.bar.setValue(max(0, maker.number - 1))
        self._show_words(study, making, reason if study is None or resume else "")
        default = self.start_button if study is None else self.resume_button
        default.setDefault(True)

    def _show_words(self, study: Study | None, making: bool, reason: str) -> None:
        last = self.maker.study
        own = study is not None and last is not None and last.study_id == study.study_id
        refused = study is None and last is not None and last.study_id not in self.studies
        words = self.maker.says if own or (refused and not reason) else ""
        if making and self._controller.models.run is not None and words.startswith(tr("Run ")):
            words = f"{words} · {said(self._controller.models.run.state)}"
            left = self.view.remaining_s()
            words += (
                tr(" · about {time} for all that is missing", time=elapsed_text(left))
                if left
                else ""
            )
        told = words or reason
        if own and not making and reason:
            told = f"{words} {reason}"
        set_tone(self.words, "muted" if making or not reason else "warn")
        if told != self.words.text():
            self.words.setText(told)
        self.words.setVisible(bool(told))
        self.view.standing.setText(self.view.made())

    # -- what the user asks for ----------------------------------------------------------------

    def start(self) -> None:
        """Begin the study that the form describes."""
        from remote.session.studying import new_study

        profile = self._controller.document.profile
        if profile is None or self.maker.why_not() or self.form.problem():
            return
        path = str(self._controller.document.path or "")
        self._make(new_study(profile, self.form.plan(), path=path))

    def resume(self) -> None:
        """Go on with the study that is chosen."""
        study = self.shown_study()
        if study is not None and not self.maker.why_not(study):
            self._make(study)

    def _make(self, study: Study) -> None:
        try:
            self.maker.make(study)
        except ClewError as error:
            self._controller.notices.error(error)
            return
        self.load(study.study_id)

    def ask_stop(self) -> None:
        """Ask how the study shall end; nothing is held up meanwhile."""
        if self.box is not None or not self.maker.active:
            return
        box = self.box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(tr("Stop the study?"))
        box.setInformativeText(
            tr(
                "What was made is kept, and Resume goes on with the rest. A run that is "
                "stopped now is made again then."
            )
        )
        role = QMessageBox.ButtonRole
        after = box.addButton(tr("After this &run"), role.AcceptRole)
        now = box.addButton(tr("Stop &now"), role.DestructiveRole)
        box.setDefaultButton(after)
        box.setEscapeButton(box.addButton(tr("Cancel"), role.RejectRole))

        def answered() -> None:
            clicked, self.box = box.clickedButton(), None
            box.deleteLater()
            if clicked is after or clicked is now:
                self.maker.stop(now=clicked is now)

        box.finished.connect(lambda _: answered())
        box.open()

    def _ask_export(self, ending: str, kinds: str) -> None:
        name, _ = QFileDialog.getSaveFileName(self, tr("Export"), f"study{ending}", kinds)
        if not name:
            return
        path = Path(name)
        try:
            self.view.save(path if path.suffix else Path(name + ending))
        except ClewError as error:
            self._controller.notices.error(error)
            set_tone(self.words, "warn")
            self.words.setText(str(error))
            self.words.show()

    # -- building ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setWindowTitle(tr("Scaling study – Clew"))
        self.setWindowFlag(Qt.WindowType.Window)
        self.setModal(False)
        self.setMinimumSize(620, 400)
        self.resize(1180, 720)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Runs made"))
        self.words.setAccessibleName(tr("What the study does"))
        self.start_button.setProperty("kind", "primary")
        self.resume_button.setProperty("kind", "primary")
        menu = QMenu(self.export_button)
        for text, ending, kinds in _KINDS:
            action = menu.addAction(text)
            action.triggered.connect(lambda _=False, e=ending, k=kinds: self._ask_export(e, k))
        self.export_button.setMenu(menu)
        new = QWidget()
        column = QVBoxLayout(new)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(heading(tr("What do more workers give?")))
        column.addWidget(self.form, 1)
        scrolled = Scrolled()
        scrolled.column.addWidget(new)
        self.stack.addWidget(scrolled)
        self.stack.addWidget(self.view)
        buttons = QHBoxLayout()
        buttons.setSpacing(UNIT)
        buttons.addWidget(self.export_button)
        buttons.addStretch(1)
        for button in (self.profile_button, self.stop_button, self.resume_button):
            buttons.addWidget(button)
        buttons.addWidget(self.start_button)
        buttons.addWidget(self.close_button)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        right = QVBoxLayout()
        right.setSpacing(UNIT)
        right.addWidget(self.stack, 1)
        right.addWidget(self.words)
        right.addWidget(self.bar)
        right.addLayout(buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(self.list)
        layout.addLayout(right, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.list.setFixedWidth(WIDTH if self.width() >= ROOMY else NARROW)

    def _connect(self) -> None:
        self.list.chosen.connect(lambda _: self._choose())
        self.form.changed.connect(self._changed)
        self.start_button.clicked.connect(self.start)
        self.resume_button.clicked.connect(self.resume)
        self.stop_button.clicked.connect(self.ask_stop)
        self.close_button.clicked.connect(self.close)
        self.profile_button.clicked.connect(self._open_its_profile)
        self.maker.changed.connect(self._changed)
        self.maker.run_ended.connect(self.load)
        self._controller.changed.connect(self._controller_changed)

    def _controller_changed(self) -> None:
        if not self.isVisible():
            return
        if self.list.current() == NEW and self.form.is_of(self._controller.document.profile):
            self._changed()
        else:
            self._choose()

    def _open_its_profile(self) -> None:
        study = self.shown_study()
        if study is not None:
            self._open_profile(study)


def _made(outcomes: list[Outcome]) -> set[str]:
    return {outcome.run_id for outcome in outcomes if outcome.state == "finished"}


def _all_studies(history: History) -> list[tuple[Study, int]]:
    """All that can be read, and how many of their runs have finished."""
    from remote.session.studying import store_of

    store, found = store_of(history), []
    for study_id in store.ids():
        try:
            study = store.load(study_id)
        except ClewError:
            continue  # the command line tells what is wrong with it
        records = [history.run(run_id) for run_id in study.runs.values()]
        found.append((study, sum(r is not None and r.state == "finished" for r in records)))
    return found


def _outcomes(history: History, study: Study) -> list[Outcome]:
    from remote.session.studying import outcomes_of

    return outcomes_of(history, study)
