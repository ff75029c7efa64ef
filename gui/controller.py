"""What the user wants, turned into calls of one session; what comes back, put into the models.

Holds a session and a run handle, never a connection. Everything that may block happens in the
background; the models are touched on the window's thread only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gui.background import run_in_background
from gui.bridge import Bridge
from gui.document import Document
from gui.endings import END_TOPIC, tell_end
from gui.followed import same_cluster
from gui.language import tr
from gui.models import Models
from gui.notices import Notice, Notices
from gui.plan_memo import PlanMemo
from gui.prompts import WindowPrompter
from gui.slurm_data import entries, is_slurm
from gui.words import fix_words
from remote.errors import ClewError, PlanError
from remote.updates import NoticeUpdate, ResultUpdate, StopDepth, Update
from trainer.spec import TrainingSpec

if TYPE_CHECKING:
    from remote.history import History
    from remote.plan import Plan
    from remote.profile import Profile
    from remote.session import CheckHandle, ClusterSession, RunHandle

_UNCONNECTED = tr("the nodes are not connected")
_FIXED = tr("The nodes of a running run cannot change.")
_LATER = tr("Past runs can be opened when it has ended.")


class Controller(QObject):
    """One window's intent and state. ``changed`` when what can be done has changed."""

    changed = Signal()
    run_shown = Signal()
    """Another run is shown, or none."""
    ticked = Signal()
    log_asked = Signal(object)
    """The logs page is to show what was written at a mark of the charts."""
    follow_asked = Signal(str)
    """A run is to be followed; whoever can open its profile does it."""
    bundle_asked = Signal()
    stop_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = Document(self)
        self.notices = Notices(self)
        self.models = Models()
        self.bridge = Bridge(self._take, self.ticked.emit, self)
        window = parent if isinstance(parent, QWidget) else None
        self.prompter = WindowPrompter(self.bridge, window)
        self.session: ClusterSession | None = None
        self.handle: RunHandle | None = None
        self._check: CheckHandle | None = None
        self.known_hosts: list[Path] = []
        """Files of known hosts beside OpenSSH's."""
        self.busy = ""
        """What is going on that a user should wait for; empty: nothing."""
        self._history: History | None = None
        self._session_profile: Profile | None = None
        self._last_nodes: object = None
        """Those that were connected last: the samples of others are not theirs."""
        self._planned = PlanMemo(self.plan)
        self.document.changed.connect(self._document_changed)
        self.run_shown.connect(lambda: self.notices.dismiss_topic(END_TOPIC))

    # -- what can be done now ------------------------------------------------------------------

    @property
    def run_active(self) -> bool:
        """A run that this window started or follows has not ended."""
        run = self.models.run
        return self.handle is not None and run is not None and run.live and not run.ended

    @property
    def connected(self) -> bool:
        return self.session is not None

    def why_not_connect(self) -> str:
        """Why the nodes cannot be connected now; empty: they can."""
        document = self.document
        if not document.is_open:
            return tr("Open a profile first.")
        if document.connectable is None:
            return fix_words(document)
        if not document.connectable.logins:
            return tr("Add a node first.")
        return self.busy

    def why_not_launch(self) -> str:
        """Why nothing can be launched now; empty: it can."""
        return self.why_not_train() or self._plan_problem()

    def why_not_train(self) -> str:
        """Why no run can be made now, whatever its size; empty: one can."""
        reason = self.why_not_connect()
        if reason:
            return reason
        if self.document.profile is None:
            return fix_words(self.document)
        if self.run_active:
            return tr("A run is going on. Stop it first, or wait for its end.")
        if self.session is None:
            return tr("Connect to the nodes first.")
        if self.nodes_changed:
            return tr("The nodes were edited. Connect again to use them.")
        states = self.models.nodes.counts()
        if states.get("connecting") or states.get("checking"):
            return tr("Wait until all nodes have answered.")
        if self.models.check.running:
            return tr("A check is going on. Cancel it, or wait for its end.")
        return self.models.nodes.trouble(entries(self.document.profile))

    def why_not_check(self) -> str:
        """Why the nodes cannot be checked now; empty: they can."""
        if self.run_active:
            return tr("A run is going on. Check when it has ended.")
        if self.session is None:
            return self.why_not_connect() or tr("Connect to the nodes first.")
        if self.nodes_changed:
            return tr("The nodes were edited. Connect again to use them.")
        states = self.models.nodes.counts()
        if states.get("connecting") or states.get("checking"):
            return tr("Wait until all nodes have answered.")
        return tr("A check is going on.") if self.models.check.running else ""

    @property
    def nodes_changed(self) -> bool:
        """Whether the profile's nodes are not those that are connected."""
        return not same_cluster(self.document.connectable, self._session_profile)

    def training(self) -> TrainingSpec | None:
        """What would be trained; None while the profile is wrong."""
        profile = self.document.profile
        return profile.training if profile is not None else None

    def plan(self) -> Plan:
        """Where each task would run. Raises PlanError, also when it is too early to say."""
        if self.session is None:
            raise PlanError(_UNCONNECTED, remedy=tr("Connect to see the plan."))
        return self.session.plan(self.training(), self.document.placement)

    def _plan_problem(self) -> str:
        """Slurm's nodes come later."""
        if is_slurm(self.document.profile):
            return ""
        return self._planned.problem(self.document.profile, self.session)

    # -- nodes ---------------------------------------------------------------------------------

    def connect_nodes(self) -> None:
        """Connect all nodes, or try again those that are not."""
        profile = self.document.connectable
        if self.why_not_connect() or profile is None:
            return
        if self.session is not None and not self.nodes_changed:
            self.session.connect()
            return
        if self.run_active:
            self.notices.warning(_FIXED, tr("Stop the run first."))
            return
        self.disconnect_nodes()
        if profile.logins != self._last_nodes:
            self.models.forget_devices()
        self._last_nodes = profile.logins
        self.models.nodes.reset(entries(profile))
        self._set_busy(tr("Loading the SSH client …"))
        queue = self.bridge.replace_queue()
        prompter, known_hosts = self.prompter, tuple(self.known_hosts)
        path = str(self.document.path or "")

        def work() -> tuple[History, ClusterSession]:
            from remote.session import ClusterSession

            history = self.history()
            return history, ClusterSession(
                profile,
                history=history,
                prompter=prompter,
                updates=queue,
                profile_path=path,
                known_hosts=known_hosts,
            )

        def done(made: tuple[History, ClusterSession]) -> None:
            history, self.session = made
            self._session_profile = profile
            if history.notice:
                self.notices.warning(history.notice)
            self._set_busy("")
            self.session.connect()

        run_in_background(self.bridge, work, done, self._failed, name="connect")

    def disconnect_nodes(self) -> None:
        """Let go of all nodes; runs there go on."""
        session, self.session, self.handle = self.session, None, None
        self._check = None
        self.models.check.forget()
        self._session_profile = None
        self.prompter.cancel_all()
        if session is not None:
            run_in_background(
                self.bridge, session.close, lambda _: None, self._failed, name="disconnect"
            )
            self.bridge.replace_queue()
        if self.document.connectable is not None:
            self.models.nodes.reset(entries(self.document.connectable))
        self.changed.emit()

    def leave_profile(self) -> None:
        """Another profile comes: let go of the nodes, and of what was said about the last run."""
        self.notices.dismiss_topic(END_TOPIC)
        self.disconnect_nodes()

    def check(self, *, hello: bool) -> None:
        """Look closely at the nodes and the ways between them."""
        if self.why_not_check() or self.session is None:
            return
        self.models.check.begin(list(self.models.nodes.nodes), hello)
        try:
            self._check = self.session.check(hello=hello)
        except ClewError as error:
            self.models.check.forget()
            self.notices.error(error)
        self.changed.emit()

    def cancel_check(self) -> None:
        """End the check; what was found until then stays to be seen."""
        if self._check is not None:
            self._check.cancel()

    # -- runs ----------------------------------------------------------------------------------

    def launch(self) -> None:
        """Start a run of the profile's training on the connected nodes."""
        training = self.training()
        if self.why_not_launch() or training is None:
            return
        try:
            self.start(training, placement=self.document.placement)
        except ClewError as error:
            self.notices.error(error)
            self.changed.emit()

    def start(
        self, training: TrainingSpec, *, name: str = "", placement: dict[str, str] | None = None
    ) -> RunHandle:
        """Start and show a run of ``training``. Raises ClewError."""
        if self.session is None:
            raise ClewError(_UNCONNECTED, remedy=tr("Connect to them first."))
        self.handle = self.session.launch(training, name=name, placement=placement)
        self.models.show_run(self.handle.run_id, training, time.time())
        self.run_shown.emit()
        self.changed.emit()
        return self.handle

    def stop(self, depth: StopDepth = "now") -> None:
        """Stop the run, or stop it deeper; what is left on the nodes is told when it has ended."""
        if self.handle is not None and self.run_active:
            self.handle.stop(depth)

    def attach(self, run_id: str) -> None:
        """Follow a run that goes on on the connected nodes."""
        if self.session is None or self.run_active:
            return
        try:
            handle = self.session.attach(run_id)
        except ClewError as error:
            self.notices.error(error)
            return
        from gui.past_run import spec_of

        record = self.history().run(run_id)
        self.handle = handle
        if record is None:
            self.models.show_run(run_id, None, time.time())
        else:
            training, state = spec_of(record.training), record.state
            self.models.show_run(run_id, training, record.started_at, state)
        self.run_shown.emit()
        self.changed.emit()

    def open_past_run(self, run_id: str) -> None:
        """Show a run as the history has it."""
        if self.run_active:
            self.notices.warning(tr("A run is going on."), _LATER)
            return

        def work() -> Models:
            from gui.past_run import bring_up_to_date, load_past_run

            bring_up_to_date(self.session, run_id)
            return load_past_run(self.history(), run_id)

        def done(models: Models) -> None:
            self._set_busy("")
            self.handle = None
            self.models.take_run_of(models)
            self.run_shown.emit()
            self.changed.emit()

        self._set_busy(tr("Opening run {run_id} …", run_id=run_id))
        run_in_background(self.bridge, work, done, self._failed, name="open run")

    def history(self) -> History:
        """The history, opened on first use. Raises HistoryError. May be called from any thread."""
        if self._history is None:
            from remote.history import open_or_stand_in

            self._history = open_or_stand_in()
        return self._history

    # -- the end -------------------------------------------------------------------------------

    def close(self, done: Callable[[], None], *, stop_run: bool) -> None:
        """Let go of everything, the run too with ``stop_run``; then call ``done``."""
        self.prompter.close()
        session, handle = self.session, self.handle
        active = self.run_active
        self.session = None

        def work() -> None:
            if stop_run and handle is not None and active:
                handle.stop("checkpoint")
                handle.wait(60.0)
            if session is not None:
                session.close()

        run_in_background(self.bridge, work, lambda _: done(), lambda _: done(), name="close")

    # -- what comes back -----------------------------------------------------------------------

    def _take(self, batch: list[Update]) -> None:
        before = self.models.state_key()
        for update in batch:
            self.models.apply(update)
            if isinstance(update, NoticeUpdate):
                self._notice(update)
            elif isinstance(update, ResultUpdate):
                self._ended(update)
        if self.models.state_key() != before:
            self._planned.forget()
            self.changed.emit()

    def _notice(self, update: NoticeUpdate) -> None:
        """Show it; that each task stops as it was asked to is for its log only."""
        run = self.models.run
        stopping = run is not None and run.state in ("stopping", "stopped")
        if run is not None and stopping and update.task is not None and update.level == "info":
            run.note(update.task, update.text)
        else:
            self.notices.update(update)

    def _ended(self, result: ResultUpdate) -> None:
        run = self.models.run
        if run is not None and run.run_id == result.run_id:
            tell_end(self.notices, result)

    def _failed(self, error: ClewError) -> None:
        self._set_busy("")
        self.notices.error(error)

    def _set_busy(self, what: str) -> None:
        self.busy = what
        self.changed.emit()

    def _document_changed(self) -> None:
        if self.session is None and self.document.connectable is not None:
            names = entries(self.document.connectable)
            if list(self.models.nodes.nodes) != names:
                self.models.nodes.reset(names)
        self.changed.emit()

    def offer_undo(self, text: str) -> None:
        """Say what was removed, with a button that brings it back."""
        self.notices.dismiss_action(tr("Undo"))
        self.notices.add(Notice("info", text, action=tr("Undo"), run_action=self.document.undo))
