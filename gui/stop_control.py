"""Stopping a run from the window: how deep, after a question where work would be lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMessageBox, QPushButton, QWidget

from gui.controller import Controller
from gui.language import tr
from gui.notices import Notice
from gui.queue_words import cancel_question, waits
from gui.said import said
from gui.settings import Settings
from remote.updates import DEPTHS, StopDepth

LONG_S = 15.0
"""A stop that takes longer is told, with a button that raises it."""
_TOPIC = "a stop that takes long"


class _Words(NamedTuple):
    menu: str
    button: str
    what: str


WORDS: dict[StopDepth, _Words] = {
    "checkpoint": _Words(
        tr("After a &checkpoint"),
        tr("Stop after a checkpoint"),
        tr("The chief saves a checkpoint first, for up to five minutes."),
    ),
    "now": _Words(
        tr("&Now…"),
        tr("Stop now"),
        tr("Tasks have a few seconds to end by themselves: a large model may not be saved."),
    ),
    "force": _Words(
        tr("&Kill at once…"),
        tr("Kill at once"),
        tr("Every process is killed; the steps since the last checkpoint are lost."),
    ),
}


class StopControl(QObject):
    """The stop action's question and menu. One question is open at most.

    Args:
        first: calls what it is given, once this desktop may stop the run.
    """

    def __init__(
        self,
        controller: Controller,
        settings: Settings,
        window: QWidget,
        first: Callable[[Callable[[], None]], None],
    ) -> None:
        super().__init__(window)
        self._first = first
        self._controller = controller
        self._settings = settings
        self._window = window
        self._run_id = ""
        self._depth: StopDepth | None = None
        """How deep the run was asked to stop; None: not at all."""
        self._asked_at = 0.0
        self._told: StopDepth | None = None
        self.box: QMessageBox | None = None
        """The question, while it is open."""
        self.menu = QMenu(tr("&Stop the run"), window)
        self.choices: dict[StopDepth, QAction] = {}
        for depth in DEPTHS:
            action = self.choices[depth] = QAction(WORDS[depth].menu, self.menu)
            action.setToolTip(WORDS[depth].what)
            action.triggered.connect(lambda _=False, d=depth: self.choose(d))
            self.menu.addAction(action)
        self.menu.setToolTipsVisible(True)
        controller.ticked.connect(self._look)
        controller.changed.connect(self._changed)
        self._changed()

    @property
    def depth(self) -> StopDepth | None:
        """How deep the present run was asked to stop."""
        run = self._controller.models.run
        return self._depth if run is not None and run.run_id == self._run_id else None

    def ask(self) -> None:
        """What the button and its key do: ask, with the depth that was chosen last as default."""
        deeper = self._deeper()
        if self._controller.run_active and deeper:
            last = self._settings.stop_depth
            default = last if last in deeper else deeper[0]
            self._first(lambda: self._question(deeper, default))

    def choose(self, depth: StopDepth) -> None:
        """What the menu does: stop that deep; asks first where work may be lost."""
        if not self._controller.run_active or depth not in self._deeper():
            return
        if depth == "checkpoint":
            self._first(lambda: self._stop(depth))
        else:
            self._first(lambda: self._question([depth], depth))

    def _deeper(self) -> list[StopDepth]:
        """What can be asked for now: a stop only gets deeper."""
        depth = self.depth
        if waits(self._controller.models.run):
            return ["now"] if depth is None else []  # there is nothing that could be saved
        return list(DEPTHS if depth is None else DEPTHS[DEPTHS.index(depth) + 1 :])

    def _stop(self, depth: StopDepth) -> None:
        run = self._controller.models.run
        if run is None or not self._controller.run_active or depth not in self._deeper():
            return
        self._run_id, self._depth = run.run_id, depth
        self._asked_at = time.monotonic()
        self._controller.notices.dismiss_topic(_TOPIC)
        self._controller.stop(depth)
        self._changed()

    def _question(self, depths: list[StopDepth], default: StopDepth) -> None:
        if self.box is not None:
            self.box.raise_()
            return
        run = self._controller.models.run
        assert run is not None
        box = self.box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        goes_on = self.depth is None

        box.setText(
            tr("Stop run {run_id}?", run_id=run.run_id)
            if goes_on
            else tr("It is being stopped. Stop run {run_id} deeper?", run_id=run.run_id)
        )
        lines = [f"{WORDS[depth].button}: {WORDS[depth].what}" for depth in depths]
        box.setInformativeText("\n".join(lines))
        queued = waits(run)
        if queued:
            what, follows = cancel_question(run)
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.setText(what)
            box.setInformativeText(follows)
        role = QMessageBox.ButtonRole
        buttons: dict[QPushButton, StopDepth] = {}
        for depth in depths:
            words = tr("Cancel the job") if queued else WORDS[depth].button
            button = box.addButton(words, role.DestructiveRole)
            buttons[button] = depth
            if depth == default:
                box.setDefaultButton(button)
        cancel = box.addButton(tr("Keep waiting") if queued else tr("Cancel"), role.RejectRole)
        if queued:
            box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        run_id = run.run_id

        def answered() -> None:
            chosen = next((d for b, d in buttons.items() if b is box.clickedButton()), None)
            self.box = None
            box.deleteLater()
            now = self._controller.models.run
            if chosen is not None and now is not None and now.run_id == run_id:
                if not queued:
                    self._settings.stop_depth = chosen
                self._stop(chosen)

        box.finished.connect(lambda _: answered())
        box.open()  # nothing is held up meanwhile: the run goes on, and may end by itself

    def _changed(self) -> None:
        active = self._controller.run_active
        deeper = self._deeper()
        for depth, action in self.choices.items():
            action.setEnabled(active and depth in deeper)
        self.menu.setEnabled(active)
        if not active:
            self._controller.notices.dismiss_topic(_TOPIC)
            if self.box is not None:
                self.box.reject()

    def _look(self) -> None:
        """At each tick: a stop that takes long is told once for each depth."""
        depth, run = self.depth, self._controller.models.run
        if depth is None or run is None or not self._controller.run_active:
            return
        deeper = self._deeper()
        late = time.monotonic() - self._asked_at >= LONG_S
        if late and deeper and self._told != depth:
            self._told = depth
            raise_to = deeper[0]
            self._controller.notices.add(
                Notice(
                    "info",
                    tr("Stopping takes long: {detail}", detail=said(run.detail))
                    if run.detail
                    else tr("Stopping takes long"),
                    action=WORDS[raise_to].button,
                    run_action=lambda: self._stop(raise_to),
                    topic=_TOPIC,
                )
            )
