"""Puts the plan onto the board, and what the user does there into the profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint

from gui import board_edits
from gui.board_edits import Change, Refused
from gui.board_menu import board_menu
from gui.board_state import Board, CellKey, make_board
from gui.consequences import TABS, consequences, title
from gui.controller import Controller
from gui.gpu_uses import gpu_uses
from gui.language import tr
from gui.plan_card import PlanCard
from gui.said import said
from gui.slurm_data import NO_BOARD, is_slurm
from remote.errors import PlanError, sentence
from remote.placing import placement_of
from trainer.spec import Role, TrainingSpec

if TYPE_CHECKING:
    from remote.plan import Plan
    from remote.profile import Profile


class Placing(QObject):
    """Between one :class:`PlanCard` and the controller."""

    def __init__(self, controller: Controller, card: PlanCard) -> None:
        super().__init__(card)
        self._controller, self._card = controller, card
        self.board = Board()
        self._uses: dict[CellKey, str] = {}
        self._result: Plan | PlanError | None = None
        self._profile: Profile | None = None
        self._shown: tuple[object, ...] | None = None
        """What the present plan was made from."""
        view = card.board
        view.refusal = self.refusal
        view.dropped.connect(self.move)
        view.add_asked.connect(self.add)
        view.remove_asked.connect(self.remove)
        view.copy_asked.connect(card.panel.copy)
        view.menu_asked.connect(self._menu)
        view.chosen_changed.connect(self._chosen)
        view.hinted.connect(card.hint.setText)
        card.panel.all_button.toggled.connect(lambda _: self._show_texts())
        card.add_menu.addAction(tr("A worker\tW")).triggered.connect(
            lambda: self.add("worker", None)
        )
        card.add_menu.addAction(tr("A ps\tP")).triggered.connect(lambda: self.add("ps", None))
        card.rest_button.clicked.connect(self.complete)
        card.automatic_button.clicked.connect(self.automatic)
        card.connect_button.clicked.connect(controller.connect_nodes)

    # -- showing -------------------------------------------------------------------------------

    def show_plan(self) -> list[str]:
        """Show the plan of the profile as it is now; returns its warnings."""
        document = self._controller.document
        by_hand = bool(document.data.get("placement"))
        editable = document.is_open and not document.read_only
        self._card.automatic_button.setVisible(by_hand)
        self._card.automatic_button.setEnabled(editable)
        self._card.board.read_only = not editable
        words = self._why_nothing()
        if words:
            self._result = self._profile = self._shown = None
            can_connect = not self._controller.connected
            connect = can_connect and not self._controller.why_not_connect()
            self._card.show_nothing(words, connect=connect)
            return []
        self._plan()
        self._card.show_something()
        self._card.mode.setText(tr("placed by hand") if by_hand else tr("placed automatically"))
        self._card.show_missing(bool(self.board.tray) or self._has_strays())
        self._card.add_button.setEnabled(editable)
        self._card.rest_button.setEnabled(editable)
        result = self._result
        return list(result.warnings) if result and not isinstance(result, PlanError) else []

    @property
    def impossible(self) -> bool:
        """Whether the nodes are there, and the tasks cannot be placed on them."""
        return isinstance(self._result, PlanError)

    def refresh(self) -> None:
        """Show who uses the GPUs by now."""
        if self._profile is not None and self._now_used() != self._uses:
            self._show_board()

    def _why_nothing(self) -> str:
        controller, document = self._controller, self._controller.document
        if not document.is_open:
            return tr("Open a profile to see where each task would run.")
        if document.profile is None:
            wrong = document.issues_under("placement")
            if wrong:
                return "\n".join(f"placement.{key}: {said(message)}" for key, message in wrong)
            return tr("The plan appears when the profile has no mistakes.")
        if is_slurm(document.profile):
            return NO_BOARD
        if not document.profile.nodes:
            return tr("There are no nodes yet. Add the first one on the Cluster page.")
        if controller.session is None:
            return tr(
                "Connect to the nodes: each task then stands on its node here, and "
                "can be moved to another one or to another GPU."
            )
        if controller.nodes_changed:
            return tr("The nodes were edited. Connect again to see them here.")
        return ""

    def _plan(self) -> None:
        session, profile = self._controller.session, self._controller.document.profile
        assert session is not None
        assert profile is not None
        states = {n: status.state for n, status in self._controller.models.nodes.nodes.items()}
        addresses, facts = session.addresses(), session.facts()
        troubles = self._troubles()
        seen = [id(one) for one in facts.values()]
        made_from = (id(profile), session, seen, states, troubles, addresses)
        if made_from == self._shown:
            return
        self._shown = made_from
        self._profile = profile  # which keeps its id its own
        try:
            self._result = session.plan(profile.training, profile.placement)
        except PlanError as error:
            self._result = error
        self.board = make_board(profile, facts, addresses, self._result, states, troubles)
        self._show_board()
        if not self._card.board.chosen:
            self._card.board.choose("worker:0")
        self._show_texts()

    def _troubles(self) -> dict[str, str]:
        """What nodes that cannot take part say of it themselves."""
        return {
            name: sentence(status.update.detail, status.update.remedy)
            for name, status in self._controller.models.nodes.nodes.items()
            if status.state in ("unreachable", "unusable") and status.update.detail
        }

    def _show_board(self) -> None:
        self._uses = self._now_used()
        self._card.board.show_board(self.board, self._uses)

    def _now_used(self) -> dict[CellKey, str]:
        models = self._controller.models
        own = self._controller.run_active
        return gpu_uses(models.check.findings, models.nodes.nodes, own_run=own)

    def _has_strays(self) -> bool:
        """Whether there are places of tasks that the training does not have."""
        faults = self.board.task_faults or {}
        return any("has a place, but" in text for text in faults.values())

    def _show_texts(self) -> None:
        panel, result, session = self._card.panel, self._result, self._controller.session
        task = "" if panel.all_button.isChecked() else self._card.board.chosen
        if result is None or self._profile is None or session is None:
            return
        if isinstance(result, PlanError):
            faults = self.board.task_faults or {}
            words = faults.get(task) or "\n".join(self.board.reasons)
            panel.show_texts(tr("There is no plan"), (words,) * len(TABS))
            return
        texts = consequences(self._profile, result, session.facts(), task)
        panel.show_texts(title(result, task), texts)

    def _chosen(self, task: str) -> None:
        if task and self._card.panel.all_button.isChecked():
            self._card.panel.all_button.setChecked(False)  # which shows the texts
        else:
            self._show_texts()

    def _menu(self, at: QPoint) -> None:
        menu = board_menu(self._card.board, self.automatic, by_hand=not self.board.automatic)
        menu.popup(at)

    # -- doing ---------------------------------------------------------------------------------

    def refusal(self, task: str, cell: CellKey) -> str:
        """Why ``task`` cannot go to ``cell``; empty: it can."""
        if self._profile is None:
            return tr("There is no plan yet.")
        try:
            board_edits.move(self.board, self._profile.training, task, cell)
        except Refused as refused:
            return str(refused)
        return ""

    def move(self, task: str, cell: CellKey) -> None:
        """Put a task into a cell."""
        if self._profile is not None:
            training = self._profile.training
            self._try(lambda: board_edits.move(self.board, training, task, cell), task)

    def add(self, role: Role, cell: CellKey | None) -> None:
        """One more task: in ``cell``, or where there is room; automatic places stay automatic."""
        if self._profile is None or self._card.board.read_only:
            return
        training, count = self._profile.training, len(self._tasks(role))
        if self._try(lambda: self._added(training, role, cell), f"{role}:{count}"):
            self._card.board.setFocus()

    def _added(self, training: TrainingSpec, role: Role, cell: CellKey | None) -> Change:
        if cell is None and self.board.automatic and not isinstance(self._result, PlanError):
            count = len(self._tasks(role))
            more = board_edits.with_count(training, role, count + 1)
            if not training.is_single and (found := self._automatic(more)) is not None:
                return Change(found, more, f"add {role}:{count}")
        return board_edits.add(self.board, training, role, cell)

    def remove(self, task: str) -> None:
        """Take a task away."""
        if self._profile is not None and not self._card.board.read_only:
            training = self._profile.training
            self._try(lambda: board_edits.remove(self.board, training, task), "")

    def complete(self) -> None:
        """Give a place to every task that has none."""
        if self._profile is not None:
            training = self._profile.training
            self._try(lambda: board_edits.complete(self.board, training), "")

    def automatic(self) -> None:
        """Let Clew place all tasks again."""
        self._controller.document.set_groups({"placement": {}}, "place automatically")
        self._card.hint.setText("")

    def _tasks(self, role: str) -> list[str]:
        return [task for task in self.board.placement or {} if task.startswith(f"{role}:")]

    def _try(self, make: Callable[[], Change], task: str) -> bool:
        """Make a change and go to ``task``; or say why it cannot be made."""
        try:
            change = make()
        except Refused as refused:
            self._card.hint.setText(str(refused))
            return False
        self._apply(change)
        if task:
            self._card.board.choose(task)
        return True

    def _apply(self, change: Change) -> None:
        """Write it into the document as one step; places that are the automatic ones are not."""
        document, profile = self._controller.document, self._profile
        assert profile is not None
        groups: dict[str, dict[str, object]] = {"placement": dict(change.placement)}
        if self._automatic(change.training) == change.placement:
            groups["placement"] = {}
        training = document.training()
        for key in ("workers", "ps"):
            value = getattr(change.training, key)
            if value != getattr(profile.training, key):
                training[key] = value
                groups["training"] = training
        self._card.hint.setText("")
        wrong = document.set_groups(groups, change.what)
        if wrong:
            self._card.hint.setText("; ".join(f"{key}: {message}" for key, message in wrong))

    def _automatic(self, training: TrainingSpec) -> dict[str, str] | None:
        """Where Clew itself would place the tasks; None: they do not fit."""
        session = self._controller.session
        if session is None:
            return None
        try:
            plan = session.plan(training, {})
        except PlanError:
            return None
        return placement_of(plan.tasks, training)
