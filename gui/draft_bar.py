"""One bar above the pages that offers edits which a crash has left: restore or discard them."""

from __future__ import annotations

from collections.abc import Callable
from time import localtime, strftime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from gui.controller import Controller
from gui.drafts import Drafts, Left
from gui.files import ProfileFiles
from gui.language import tr
from gui.pages import plain
from gui.theme import UNIT, colors, theme


class DraftBar(QFrame):
    """Hidden while there is nothing to offer; several drafts are offered one after another.

    Args:
        show: called when a draft has been restored.
    """

    def __init__(
        self, controller: Controller, files: ProfileFiles, show: Callable[[], None]
    ) -> None:
        super().__init__()
        self._controller = controller
        self._files = files
        self._show = show
        self.drafts = Drafts(controller.document)
        self._left: list[Left] = []
        self.words = plain("", wrap=True)
        self.restore_button = QPushButton(tr("Restore"))
        self.discard_button = QPushButton(tr("Discard"))
        self.setObjectName("card")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(UNIT)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(self.words, 1)
        row.addWidget(self.restore_button)
        row.addWidget(self.discard_button)
        self.restore_button.clicked.connect(self.restore)
        self.discard_button.clicked.connect(self.discard)
        theme().watch(self, self._paint)
        self._paint()
        self.hide()

    def look(self) -> None:
        """Offer what windows that are gone have left."""
        self._left = self.drafts.left_behind()
        self._offer()

    def restore(self) -> None:
        """Open the profile as it is on disk, and put the draft into it as one step of undo."""
        if not self._left or not self._files.may_replace():
            return
        left = self._left[0]
        controller = self._controller
        if controller.run_active:
            controller.notices.warning(
                tr("A run is going on."), tr("Stop it, or wait for its end.")
            )
            return
        document = controller.document
        # What may be lost was asked above, so there is nothing to ask when the file is opened.
        document.new()
        if left.profile is None or not self._files.open_path(left.profile):
            controller.leave_profile()
            if left.profile is not None:  # why it cannot be opened has just been told
                remedy = tr("Save it to a file of its own.")
                controller.notices.warning(tr("The draft is restored without its file."), remedy)
        if document.read_only:
            return
        document.replace(left.data, "restore the draft")
        self.drafts.keep()
        self._done(left)
        self._show()

    def discard(self) -> None:
        """Remove the draft that is offered."""
        if self._left:
            self._done(self._left[0])

    def _done(self, left: Left) -> None:
        left.forget()
        self._left.remove(left)
        self._offer()

    def _offer(self) -> None:
        self.setVisible(bool(self._left))
        if not self._left:
            return
        left = self._left[0]
        when = strftime("%d %b, %H:%M", localtime(left.at))
        words = tr(
            "Clew was cut off: {title} had changes that were not saved",
            title=left.title or tr("a profile"),
        )
        words += f" ({when})."
        if left.profile is not None and not left.profile.is_file():
            words += tr(" Its file is gone since.")
        elif left.profile_changed:
            words += tr(" Its file was changed since; what is restored has the draft's values.")
        more = len(self._left) - 1
        if more:
            words += tr(" And {more} more.", more=more)
        self.words.setText(words)
        self.setToolTip(str(left.profile or ""))

    def _paint(self) -> None:
        tone = colors()["warn"]
        self.setStyleSheet(f"QFrame#card {{ border-left: 3px solid {tone}; }}")
