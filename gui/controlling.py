"""Several desktops may watch a run, one controls it: the words for others, and the way to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.background import run_in_background
from gui.controller import Controller
from gui.language import tr
from gui.notices import Notice

_TOPIC = "control"
_TAKE = tr("Take control")
_PLAIN = Qt.TextFormat.PlainText


class Controlling(QObject):
    """Says who controls the run that is shown, and asks before anything is done to another's."""

    def __init__(self, window: QWidget, controller: Controller) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._said = ""
        controller.ticked.connect(self._look)
        controller.run_shown.connect(self._forget)

    @property
    def holder(self) -> str:
        """The other desktop that controls the run which goes on here; empty: none does."""
        handle = self._controller.handle
        return handle.controlled_from if handle is not None and self._controller.run_active else ""

    def first(self, stop: Callable[[], None]) -> None:
        """Call ``stop``, which stops the run; asks to take its control where another has it."""
        holder = self.holder
        if not holder:
            stop()
        elif self._asked(holder):
            self.take(then=stop)

    def take(self, then: Callable[[], None] | None = None) -> None:
        """Take the control of the run that is shown."""
        controller, handle = self._controller, self._controller.handle
        if handle is None or not controller.run_active:
            return

        def done(_: None) -> None:
            self._look()
            if then is not None and controller.handle is handle:
                then()

        run_in_background(
            controller.bridge,
            handle.take_control,
            done,
            controller.notices.error,
            name="take control",
        )

    def _asked(self, holder: str) -> bool:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(tr("This run is controlled from {holder}.", holder=holder))
        box.setInformativeText(tr("Take control of it, and stop it?"))
        box.setTextFormat(_PLAIN)
        take = box.addButton(tr("Take control and stop"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        box.exec()
        return box.clickedButton() is take

    def _forget(self) -> None:
        self._said = ""
        self._controller.notices.dismiss_topic(_TOPIC)

    def _look(self) -> None:
        """At each tick: say it once when another has the control, and take it back then."""
        holder = self.holder
        if holder == self._said:
            return
        self._said = holder
        self._controller.notices.dismiss_topic(_TOPIC)
        if holder:
            text = tr("Watched only: this run is controlled from {holder}.", holder=holder)
            notice = Notice(
                "info", text, action=_TAKE, run_action=lambda: self.take(), topic=_TOPIC
            )
            self._controller.notices.add(notice)
