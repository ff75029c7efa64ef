"""The one door for messages to the user: a strip that never takes the keyboard.

It is open before the window is: what comes early waits in the list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from gui.icons import glyph
from gui.language import tr
from gui.said import said
from gui.theme import UNIT, colors, theme
from remote.errors import ClewError
from remote.updates import NoticeUpdate
from trainer.events import Level

SHOWN = 3
KEPT = 200
_TONES: dict[Level, str] = {"info": "busy", "warning": "warn", "error": "error"}


@dataclass(eq=False)
class Notice:
    """One sentence, what to do about it, and perhaps a button that does it."""

    level: Level
    text: str
    remedy: str = ""
    action: str = ""
    run_action: Callable[[], None] | None = field(default=None, repr=False)
    count: int = 1
    topic: str = ""
    """What it is about, for taking it away when that is over."""

    @property
    def full_text(self) -> str:
        return f"{self.text.rstrip('.')}. {self.remedy}" if self.remedy else self.text


class Notices(QObject):
    """All notices since the start, newest last; ``changed`` after each change."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.open: list[Notice] = []
        self.past: list[Notice] = []

    def add(self, notice: Notice) -> None:
        """Show ``notice``; one with the same words counts up instead of piling up."""
        for other in self.open:
            if (other.level, other.text, other.remedy) == (
                notice.level,
                notice.text,
                notice.remedy,
            ):
                other.count += 1
                self.changed.emit()
                return
        self.open.append(notice)
        self.past.append(notice)
        del self.past[:-KEPT], self.open[:-KEPT]
        self.changed.emit()

    def info(self, text: str, remedy: str = "") -> None:
        self.add(Notice("info", said(text), said(remedy)))

    def warning(self, text: str, remedy: str = "") -> None:
        self.add(Notice("warning", said(text), said(remedy)))

    def error(self, error: ClewError | str, remedy: str = "") -> None:
        """Show an error: its sentence and its remedy, nothing else."""
        if isinstance(error, ClewError):
            where = f"{error.node}: " if error.node else ""
            self.add(Notice("error", f"{where}{said(error.what)}", said(error.remedy)))
        else:
            self.add(Notice("error", said(error), said(remedy)))

    def update(self, update: NoticeUpdate) -> None:
        """Show what a session or a task had to say."""
        place = ", ".join(str(p) for p in (update.node, update.task) if p)
        named = update.node in update.text and str(update.task or "") in update.text
        text = f"{place}: {update.text}" if place and not named else update.text
        if update.topic:
            self.dismiss_topic(update.topic)
        self.add(Notice(update.level, text, update.remedy, topic=update.topic))

    def dismiss(self, notice: Notice) -> None:
        if notice in self.open:
            self.open.remove(notice)
            self.changed.emit()

    def act(self, notice: Notice) -> None:
        """Do what the notice's button promises, and take the notice away."""
        self.dismiss(notice)
        if notice.run_action is not None:
            notice.run_action()

    def dismiss_topic(self, topic: str) -> None:
        """Take away notices about something that is over."""
        for notice in [n for n in self.open if n.topic == topic]:
            self.dismiss(notice)

    def dismiss_action(self, action: str) -> None:
        """Take away notices whose button makes no sense any more."""
        for notice in [n for n in self.open if n.action == action]:
            self.dismiss(notice)

    def clear(self) -> None:
        self.open.clear()
        self.changed.emit()


class NoticeStrip(QFrame):
    """The newest few open notices, one row each."""

    def __init__(self, notices: Notices) -> None:
        super().__init__()
        self._notices = notices
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(UNIT // 2)
        notices.changed.connect(self._rebuild)
        theme().watch(self, self._rebuild)
        self._rebuild()

    def _rebuild(self) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        shown = self._notices.open[-SHOWN:]
        for notice in reversed(shown):
            self._layout.addWidget(self._row(notice))
        hidden = len(self._notices.open) - len(shown)
        if hidden > 0:
            self._layout.addWidget(self._rest(hidden))
        self.setVisible(bool(shown))

    def _row(self, notice: Notice) -> QFrame:
        row = QFrame()
        row.setObjectName("card")
        tone = colors()[_TONES[notice.level]]
        row.setStyleSheet(f"QFrame#card {{ border-left: 3px solid {tone}; }}")
        layout = QHBoxLayout(row)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.setSpacing(UNIT)
        icon = QLabel()
        icon.setPixmap(glyph(notice.level, tone).pixmap(18, 18))
        icon.setAccessibleName(notice.level)
        text = QLabel(_words(notice))
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(text, 1)
        self._add_buttons(layout, notice)
        return row

    def _add_buttons(self, layout: QHBoxLayout, notice: Notice) -> None:
        if notice.action and notice.run_action is not None:
            button = QPushButton(notice.action)
            button.clicked.connect(lambda: self._notices.act(notice))
            layout.addWidget(button)
        muted = colors()["muted"]
        copy = _quiet("copy", tr("Copy this message"), muted)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(notice.full_text))
        close = _quiet("close", tr("Dismiss"), muted)
        close.clicked.connect(lambda: self._notices.dismiss(notice))
        layout.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)

    def _rest(self, hidden: int) -> QPushButton:
        button = QPushButton(tr("{hidden} more · dismiss all", hidden=hidden))
        button.setProperty("kind", "quiet")
        button.clicked.connect(self._notices.clear)
        return button


def _words(notice: Notice) -> str:
    times = f"  ({notice.count}×)" if notice.count > 1 else ""
    return f"{notice.full_text}{times}"


def _quiet(icon: str, name: str, color: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(glyph(icon, color, size=16))
    button.setProperty("kind", "quiet")
    button.setToolTip(name)
    button.setAccessibleName(name)
    return button
