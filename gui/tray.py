"""The icon in the system's tray: what the run does, and a menu. Where there is no tray: nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from gui.icons import app_icon
from gui.language import tr
from gui.run_model import RunModel
from gui.said import said
from gui.theme import colors
from trainer.events import Level

SIZE = 64
"""Of the icon, in pixels; the desktop makes it smaller."""
_BADGE = QRectF(30, 30, 32, 32)
_ICONS: dict[Level, QSystemTrayIcon.MessageIcon] = {
    "info": QSystemTrayIcon.MessageIcon.Information,
    "warning": QSystemTrayIcon.MessageIcon.Warning,
    "error": QSystemTrayIcon.MessageIcon.Critical,
}


class TrayState(NamedTuple):
    """What the icon shows: ``idle``, ``busy`` or ``failed``; percent where it is known."""

    kind: str
    percent: int | None
    words: str


def tray_available() -> bool:
    """Whether the desktop has a tray. A platform without a desktop is not even asked."""
    if QGuiApplication.platformName() in ("offscreen", "minimal"):
        return False
    return bool(QSystemTrayIcon.isSystemTrayAvailable())


def tray_state(run: RunModel | None) -> TrayState:
    """What the icon is to show of the window's run."""
    if run is None or not run.live:
        return TrayState("idle", None, tr("Clew: no run is going on"))
    if run.state == "failed":
        return TrayState("failed", None, tr("Clew: run {run_id} failed", run_id=run.run_id))
    if run.ended:
        return TrayState(
            "idle",
            None,
            tr("Clew: run {run_id} is {state}", run_id=run.run_id, state=said(run.state)),
        )
    total = run.total_steps
    percent = min(100, 100 * run.step // total) if total and run.step else None
    stalled = sum(update.state == "stalled" for update in run.tasks.values())
    words = tr("Clew: {state}", state=said(run.state)) + (
        f" {percent} %" if percent is not None else ""
    )
    words += tr(", {stalled} stalled", stalled=stalled) if stalled else ""
    return TrayState("busy", percent, words)


class Tray(QObject):
    """The icon and its menu. ``clicked`` when the window is wanted, ``message_clicked`` alike.

    Args:
        window: the window that it belongs to.
        actions: of the window; ``stop`` and ``quit`` are in the menu.
        available: whether the desktop has a tray now; None: ask it.
    """

    clicked = Signal()
    message_clicked = Signal()

    def __init__(
        self,
        window: QWidget,
        actions: dict[str, QAction],
        available: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(window)
        self.available = available if available is not None else tray_available
        self.menu = QMenu(window)
        self.state_line = self.menu.addAction("")
        self.state_line.setEnabled(False)
        self.menu.addSeparator()
        self.menu.addAction(tr("Show the window")).triggered.connect(lambda: self.clicked.emit())
        self.menu.addAction(actions["stop"])
        self.menu.addSeparator()
        self.menu.addAction(actions["quit"])
        self._icon: QSystemTrayIcon | None = None
        self._shown: TrayState | None = None
        actions["stop"].triggered.connect(lambda: self.clicked.emit() if self.hidden else None)
        self._window = window

    @property
    def on(self) -> bool:
        """Whether the icon is shown."""
        return self._icon is not None

    @property
    def hidden(self) -> bool:
        """Whether a question of the window would not be seen."""
        return self.on and (self._window.isMinimized() or not self._window.isVisible())

    def choose(self, wanted: bool) -> bool:
        """Show the icon, or take it away. Returns whether it is shown: only where a tray is."""
        if wanted and self._icon is None and self.available():
            icon = self._icon = QSystemTrayIcon(self)
            icon.setContextMenu(self.menu)
            icon.activated.connect(self._activated)
            icon.messageClicked.connect(lambda: self.message_clicked.emit())
            self._shown = None
            self.show_state(tray_state(None))
            icon.show()
        elif not wanted and self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
            self._icon = None
        return self.on

    def show_state(self, state: TrayState) -> None:
        """Draw the icon anew if anything has changed."""
        if self._icon is not None and state != self._shown:
            self._shown = state
            self._icon.setIcon(state_icon(state))
            self._icon.setToolTip(state.words)
            self.state_line.setText(state.words.replace("&", "&&"))

    def message(self, title: str, text: str, level: Level) -> None:
        """Let the desktop show a message beside the icon."""
        if self._icon is not None:
            self._icon.showMessage(title, text, _ICONS[level])

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        kinds = QSystemTrayIcon.ActivationReason
        if reason in (kinds.Trigger, kinds.DoubleClick):
            self.clicked.emit()


def state_icon(state: TrayState) -> QIcon:
    """The program's icon; with a cross when the run failed, with a filling disc while it goes on.

    The forms differ, not only the colours.
    """
    pixmap: QPixmap = app_icon().pixmap(SIZE, SIZE)
    if state.kind == "idle":
        return QIcon(pixmap)
    c = colors()
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    tone = c.color("error" if state.kind == "failed" else "ok")
    painter.setPen(QPen(tone, 4))
    painter.setBrush(c.color("surface"))
    painter.drawEllipse(_BADGE)
    if state.kind == "failed":
        _draw_cross(painter, tone)
    elif state.percent is not None:
        painter.setBrush(tone)
        painter.drawPie(_BADGE, 90 * 16, -round(state.percent * 3.6 * 16))
    painter.end()
    return QIcon(pixmap)


def _draw_cross(painter: QPainter, tone: QColor) -> None:
    painter.setPen(QPen(tone, 6, c=Qt.PenCapStyle.RoundCap))
    center, arm = _BADGE.center(), 8.0
    painter.drawLine(center - QPointF(arm, arm), center + QPointF(arm, arm))
    painter.drawLine(center - QPointF(arm, -arm), center + QPointF(arm, -arm))
