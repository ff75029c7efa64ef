"""A scaling study being made in the window: one run after another, launched as any other run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.background import run_in_background
from gui.controller import Controller
from gui.followed import same_cluster
from gui.language import tr
from gui.said import said
from remote.errors import ClewError

if TYPE_CHECKING:
    from remote.session import ClusterSession, RunHandle
    from remote.session.studying import Studying
    from remote.study import Study
    from remote.updates import ResultUpdate
    from trainer.spec import TrainingSpec

PATIENCE_S = 120.0
"""So long the next run waits for nodes that were lost, or for a check, before the study pauses."""
RESUME = tr("Resume goes on with what is left.")


class StudyMaker(QObject):
    """Makes one study at a time, whether its window is open or not.

    ``changed`` after each step of it; ``run_ended`` when there may be new numbers.
    """

    changed = Signal()
    run_ended = Signal()

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._studying: Studying | None = None
        self._session: ClusterSession | None = None
        self._handle: RunHandle | None = None
        self._looking = False
        self._waits_since: float | None = None
        self._last = False
        """The run that is on is to be the last."""
        self.study: Study | None = None
        """The one that is made, or was made last."""
        self.says = ""
        """What it is doing, or why it does no more."""
        self.runs_made = 0
        """In this go."""
        controller.ticked.connect(self._look)

    @property
    def active(self) -> bool:
        """Whether a study is being made."""
        return self._studying is not None

    @property
    def number(self) -> int:
        """Which run is on or comes next, counted from 1."""
        return self._studying.number if self._studying is not None else 0

    @property
    def total(self) -> int:
        return self._studying.total if self._studying is not None else 0

    def is_making(self, study_id: str) -> bool:
        return self.active and self.study is not None and self.study.study_id == study_id

    def why_not(self, study: Study | None = None) -> str:
        """Why no study can be made now; empty: one can. ``study``: one to go on with."""
        if self.active:
            return tr("Another study is going on. Stop it first, or wait for its end.")
        reason = self._controller.why_not_train()
        if reason or study is None:
            return reason.split("\n")[0]
        session = self._controller.session
        if session is None or not same_nodes(study, session):
            return tr("The study belongs to another profile. Open its profile and connect first.")
        return ""

    def make(self, study: Study) -> None:
        """Make what is missing of ``study``; it is kept from now on. Raises ClewError."""
        from remote.session.studying import Studying

        reason = self.why_not()
        session = self._controller.session
        if reason or session is None:
            raise ClewError(reason.rstrip("."))
        studying = Studying(self._controller.history(), study)
        self._studying, self._session, self.study = studying, session, study
        self._handle, self._last, self._waits_since = None, False, None
        self.runs_made = 0
        self._looking = True
        self._say(tr("Looking which runs are missing …"))

        def work() -> None:
            studying.look(session)
            studying.check(session)
            studying.save()

        def done(_: None) -> None:
            if self._studying is studying:
                self._looking = False
                self._look()

        def failed(error: ClewError) -> None:
            if self._studying is studying:
                self._over(str(error))

        run_in_background(self._controller.bridge, work, done, failed, name="study")

    def stop(self, *, now: bool) -> None:
        """End with the run that is on, or stop that as well; the study can be gone on with."""
        if self._studying is None:
            return
        self._last = True
        if self._handle is None:
            self._over(tr("Stopped. {rest}", rest=RESUME))
        elif now:
            self._controller.stop("now")
            self._say(tr("Stopping the run …"))
        else:
            self._say(tr("Ends after this run."))

    # -- one run after another -----------------------------------------------------------------

    def _look(self) -> None:
        """At each tick: whether the run has ended, or the next one can begin."""
        studying, session = self._studying, self._session
        if studying is None or session is None:
            return
        if self._controller.session is not session:
            self._over(tr("The nodes were let go. {rest}", rest=RESUME))
        elif self._looking:
            return
        elif self._handle is None:
            self._next(studying)
        elif self._handle.result is not None and self._handle.run_id not in session.active_runs():
            self._ended(studying, self._handle.result)

    def _next(self, studying: Studying) -> None:
        if not studying.left:
            self._over(tr("All runs are made."))
            return
        reason = self._controller.why_not_train()
        if reason and self._is_patient():
            self._say(tr("Waiting: {reason}", reason=reason))
            return
        if reason:
            self._over(f"{said(reason)} {RESUME}")
            return
        self._waits_since = None
        try:
            self._handle = studying.begin_next(self._launch, self._attach)
        except ClewError as error:
            self._over(f"{said(str(error))} {RESUME}")
            return
        self._save(studying)
        turn = studying.left[0]
        self._say(
            tr(
                "Run {number} of {total}: {point}, #{repeat}",
                number=studying.number,
                total=studying.total,
                point=turn.point,
                repeat=turn.repeat,
            )
        )

    def _is_patient(self) -> bool:
        if self._waits_since is None:
            self._waits_since = time.monotonic()
        return time.monotonic() - self._waits_since < PATIENCE_S

    def _launch(self, training: TrainingSpec, name: str) -> RunHandle:
        from remote.session.studying import AUTOMATIC

        return self._controller.start(training, name=name, placement=AUTOMATIC)

    def _attach(self, run_id: str) -> RunHandle:
        self._controller.attach(run_id)
        handle = self._controller.handle
        if handle is None or handle.run_id != run_id:
            raise ClewError(tr("run {run_id} of the study cannot be followed", run_id=run_id))
        return handle

    def _ended(self, studying: Studying, result: ResultUpdate) -> None:
        if self._controller.run_active:
            return  # the window has not taken the end in
        turn, self._handle = studying.left[0], None
        studying.ended(result)
        self.runs_made += 1
        if result.state == "failed" and not studying.problem:
            what = result.reason or tr("see its log")
            self._controller.notices.warning(
                tr("A run of the study failed, {point}: {what}", point=turn.point, what=what)
            )
        self.run_ended.emit()
        if studying.problem:
            self._over(f"{said(studying.problem)}. {RESUME}")
        elif studying.left and (self._last or result.state == "stopped"):
            self._over(tr("Stopped. {rest}", rest=RESUME))

    def _save(self, studying: Studying) -> None:
        run_in_background(
            self._controller.bridge,
            studying.save,
            lambda _: None,
            self._controller.notices.error,
            name="study",
        )

    def _over(self, why: str) -> None:
        self._studying = self._session = self._handle = None
        self._looking = False
        self._say(why)
        self.run_ended.emit()

    def _say(self, text: str) -> None:
        if text != self.says:
            self.says = text
        self.changed.emit()


def same_nodes(study: Study, session: ClusterSession) -> bool:
    """Whether ``session`` has the nodes of the profile that ``study`` was begun with."""
    from remote.errors import ProfileError
    from remote.profile import loads

    try:
        then = loads(study.profile, study.name).profile
    except ProfileError:
        return False
    return same_cluster(session.profile, then)
