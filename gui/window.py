"""The main window: rail, toolbar, notices, pages, and one sentence at the bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.actions import SPECS, make_actions, paint_icons, plain_text
from gui.chip import StateChip
from gui.closing import Closing
from gui.cluster_acts import ClusterActs
from gui.controller import Controller
from gui.controlling import Controlling
from gui.draft_bar import DraftBar
from gui.dropping import Dropping
from gui.elided import ElidedLabel
from gui.enabling import enable_actions
from gui.exporting import Importing, is_bundle
from gui.files import ProfileFiles
from gui.following import Following
from gui.found_runs import FoundRuns
from gui.help import show_about, show_keys
from gui.language import Language, current, tr
from gui.lent_nodes import LentNodes
from gui.menus import fill_menu_bar
from gui.notices import NoticeStrip
from gui.notifying import Notifying
from gui.opening import Opening
from gui.page_maker import make_page
from gui.pages import Page, plain
from gui.palettes import Palettes
from gui.practice import Practice
from gui.rail import Rail
from gui.settings import Settings
from gui.speaking import choose_language
from gui.start_page import StartPage
from gui.stop_control import StopControl
from gui.studies import Studies
from gui.theme import UNIT, Mode, theme
from gui.window_place import restore_place
from gui.words import primary_action, rail_states, status_sentence
from remote.updates import MarkUpdate


class MainWindow(QMainWindow):
    """Presentation and intent; what is known is in the controller's models."""

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = settings if settings is not None else Settings()
        self.controller = Controller(self)
        self.practice = Practice()
        self.files = ProfileFiles(self, self.controller, self.settings)
        self.start_page = StartPage()
        self.rail = Rail()
        self.stack = QStackedWidget()
        self.pages: dict[str, Page] = {}
        self.title = plain("")
        self.chip = StateChip()
        self.sentence = ElidedLabel()
        self.answer_button = QPushButton(tr("Answer…"))
        self.palettes = Palettes(self)
        self.controlling = Controlling(self, self.controller)
        self.acts = ClusterActs(self)
        self.actions_by_name = make_actions(self, self._slots())
        self.buttons: dict[str, QToolButton] = {}
        self._next_page = self.settings.page
        self.opening = Opening(self.controller, self.files, self.practice, self._show_opened)
        self.studies = Studies(self.controller, self.opening, self)
        self.following = Following(self.controller, self.open_profile, self.opening.recorded)
        self.stopping = StopControl(self.controller, self.settings, self, self.controlling.first)
        self.lent_nodes = LentNodes(self.controller)
        self.found_runs = FoundRuns(self.controller, lambda: self.following.waiting)
        self.importing = Importing(self.controller, self, self._show_imported)
        self.dropping = Dropping(self, self.open_profile)
        self._closing = Closing(self, self.controller, self.practice)
        self.draft_bar = DraftBar(self.controller, self.files, lambda: self.show_page("training"))
        self.notifying = Notifying(self)
        self._build()
        self._connect()
        self._changed()
        self.controller.bridge.start()

    # -- pages ---------------------------------------------------------------------------------

    def page(self, key: str) -> Page:
        """The page ``key``, made on first use: an idle start loads no charts."""
        found = self.pages.get(key)
        if found is None:
            found = self.pages[key] = make_page(key, self.controller, self.settings)
            self.stack.addWidget(found)
        return found

    def show_page(self, key: str) -> None:
        """Open a page by its key."""
        page = self.page(key)
        self.stack.setCurrentWidget(page)
        self.rail.show_page(key)
        self.settings.page = key
        if key == "runs":
            load: Callable[[], None] | None = getattr(page, "load", None)
            if load is not None:
                load()
        page.refresh(time.time())

    def _show_opened(self) -> None:
        """The first profile: at the page where the last window was; others at their nodes."""
        key, self._next_page = self._next_page, "cluster"
        self.show_page(key)

    def _run_shown(self) -> None:
        if not self.studies.shows_next:
            self.show_page("live")

    def _show_log(self, mark: MarkUpdate) -> None:
        """Open the logs where what happened at a mark of the charts was written."""
        self.show_page("logs")
        show: Callable[..., object] | None = getattr(self.pages["logs"], "show_moment", None)
        if show is not None:
            show(mark.t, mark.task)

    @property
    def current_page(self) -> str:
        """The key of the open page; ``start`` when no profile is open."""
        widget = self.stack.currentWidget()
        return next((key for key, page in self.pages.items() if page is widget), "start")

    # -- what the user asks for ----------------------------------------------------------------

    def open_profile(self, path: str) -> bool:
        """Open a profile from a path: the command line's, or a recent one."""
        if is_bundle(path):
            return self.importing.take(Path(path))
        return self.opening.file(path)

    def _show_imported(self, run_id: str) -> None:
        """The runs page with the run that has come."""
        self.show_page("runs")
        load: Callable[[str], None] | None = getattr(self.pages["runs"], "load", None)
        if load is not None:
            load(run_id)

    def connect_and_launch(self) -> None:
        """Connect, and launch once all nodes have answered, if they can train then."""
        controller = self.controller
        controller.connect_nodes()

        def look() -> None:
            nodes = controller.models.nodes.counts()
            waiting = sum(nodes.get(state, 0) for state in ("connecting", "checking"))
            if controller.busy or waiting or nodes.get("disconnected"):
                return
            controller.ticked.disconnect(look)
            if not controller.why_not_launch():
                self.actions_by_name["launch"].trigger()

        controller.ticked.connect(look)

    def start_practice(self) -> None:
        """Start the practice cluster in the background and open its profile."""
        self.opening.start_practice()

    def choose_theme(self, mode: Mode) -> None:
        self.settings.theme = mode
        theme().choose(mode)

    def choose_language(self, language: Language) -> None:
        choose_language(self.settings, self.controller.notices, language, current())

    # -- building ------------------------------------------------------------------------------

    def _slots(self) -> dict[str, Callable[[], object]]:
        controller, acts = self.controller, self.acts
        return {
            "new": self._new,
            "open": self._open,
            "save": self.files.save,
            "save_as": self.files.save_as,
            "practice": self.start_practice,
            "quit": self.close,
            "undo": controller.document.undo,
            "redo": controller.document.redo,
            "add_node": acts.add_node,
            "import_hosts": acts.import_hosts,
            "add_slurm": acts.add_slurm,
            "connect": controller.connect_nodes,
            "disconnect": controller.disconnect_nodes,
            "check": acts.check,
            "launch": controller.launch,
            "stop": lambda: self.stopping.ask(),
            "sweep": acts.sweep,
            "palette": self.palettes.open,
            "tray": lambda: self.notifying.choose_tray(),
            "notify": lambda: self.notifying.choose_notify(),
            "study": lambda: self.studies.show(),
            "keys": lambda: show_keys(self, self.actions_by_name),
            "about": lambda: show_about(self),
        }

    def _build(self) -> None:
        self.setMinimumSize(860, 600)
        self.resize(1280, 840)
        restore_place(self, self.settings)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self._header())
        self.strip = NoticeStrip(self.controller.notices)
        holder = QWidget()
        holder_layout = QVBoxLayout(holder)
        holder_layout.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 0)
        holder_layout.addWidget(self.draft_bar)
        holder_layout.addWidget(self.strip)
        right.addWidget(holder)
        self.stack.setObjectName("pages")
        self.stack.addWidget(self.start_page)
        right.addWidget(self.stack, 1)
        whole = QHBoxLayout()
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.rail)
        whole.addLayout(right, 1)
        central = QWidget()
        central.setObjectName("page")
        central.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        central.setLayout(whole)
        self.setCentralWidget(central)
        self.sentence.setContentsMargins(UNIT, 2, UNIT, 2)
        self.statusBar().addWidget(self.sentence, 1)
        self.answer_button.setProperty("kind", "quiet")
        self.answer_button.setToolTip(tr("Bring the question to the front"))
        self.answer_button.clicked.connect(self.controller.prompter.bring_up)
        self.answer_button.hide()
        self.statusBar().addPermanentWidget(self.answer_button)
        self.statusBar().setSizeGripEnabled(False)
        fill_menu_bar(
            self.menuBar(),
            self.actions_by_name,
            stop=self.stopping.menu,
            pages=self.show_page,
            theme=self.choose_theme,
            language=(self.settings.language, self.choose_language),
            recent=(self.settings.recent, self.open_profile),
        )

    def _header(self) -> QFrame:
        header = QFrame()
        header.setObjectName("header")
        row = QHBoxLayout(header)
        row.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        row.setSpacing(UNIT)
        self.title.setProperty("tone", "muted")
        row.addWidget(self.title)
        row.addSpacing(UNIT)
        row.addWidget(self.chip)
        row.addStretch(1)
        for name in ("connect", "launch", "stop"):
            button = QToolButton()
            button.setObjectName("button")
            button.setDefaultAction(self.actions_by_name[name])
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(16, 16))
            button.setAccessibleName(plain_text(SPECS[name].text))
            if name == "stop":
                button.setMenu(self.stopping.menu)
                button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
            self.buttons[name] = button
            row.addWidget(button)
        return header

    def _connect(self) -> None:
        controller, start = self.controller, self.start_page
        self.rail.chosen.connect(self.show_page)
        start.open_asked.connect(self._open)
        start.new_asked.connect(self._new)
        start.import_asked.connect(self.acts.import_hosts)
        start.slurm_asked.connect(self.acts.add_slurm)
        start.practice_asked.connect(self.start_practice)
        start.recent_asked.connect(self.open_profile)
        start.show_recent(self.settings.recent())
        controller.changed.connect(self._changed)
        controller.ticked.connect(self._tick)
        controller.run_shown.connect(self._run_shown)
        controller.log_asked.connect(self._show_log)
        controller.stop_asked.connect(self.stopping.ask)
        theme().watch(self, self._repaint)
        escape = QShortcut(QKeySequence("Esc"), self)
        escape.activated.connect(lambda: self.controller.notices.clear())

    # -- showing -------------------------------------------------------------------------------

    def _tick(self) -> None:
        if not self.isVisible():
            return
        now = time.time()
        widget = self.stack.currentWidget()
        if isinstance(widget, Page):
            widget.refresh(now)
        for key, text in rail_states(self.controller).items():
            self.rail.buttons[key].show_state(text)
        self.answer_button.setVisible(self.controller.prompter.dialog is not None)
        sentence = status_sentence(self.controller, now)
        if sentence != self.sentence.text():
            self.sentence.setText(sentence)

    def _changed(self) -> None:
        controller, document = self.controller, self.controller.document
        star = " *" if document.dirty else ""
        self.setWindowTitle(f"{document.title}{star} – Clew" if document.is_open else "Clew")
        read_only = tr("  (read-only)") if document.read_only else ""
        self.title.setText(f"{document.title}{star}{read_only}")
        run = controller.models.run
        followed = run is not None and run.live and controller.handle is not None
        self.chip.show_state(run.state if run is not None and followed else "")
        enable_actions(controller, self.actions_by_name)
        for key, button in self.rail.buttons.items():
            shows_run = key in ("live", "logs") and controller.models.run is not None
            button.setEnabled(document.is_open or key == "runs" or shows_run)
        self._repaint()

    def _repaint(self) -> None:
        primary = primary_action(self.controller)
        if getattr(self, "_painted", None) == (primary, theme().colors.name):
            return
        self._painted = (primary, theme().colors.name)
        paint_icons(self.actions_by_name, primary)
        for name, button in self.buttons.items():
            button.setProperty("kind", "primary" if name == primary else "")
            button.style().unpolish(button)
            button.style().polish(button)

    def _new(self) -> None:
        if self.files.may_replace():
            self.controller.leave_profile()
            self.controller.document.new()
            self.show_page("cluster")

    def _open(self) -> None:
        path = self.files.ask()
        if path:
            self.open_profile(path)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.controller.bridge.set_hidden(self.isMinimized())

    # -- the end -------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask what has to be asked, vanish at once, and let go of the nodes in the background."""
        if self._closing.begun:
            event.accept()
            return
        if not self.files.may_replace() or not self._closing.ask():
            event.ignore()
            return
        self.settings.geometry = self.saveGeometry()
        self.settings.sync()
        event.accept()
        self.draft_bar.drafts.drop()
        self._closing.begin(QApplication.quit)

    def close_now(self) -> None:
        """Close without any question: runs go on, unsaved edits stay as a draft. For Ctrl-C."""
        if not self._closing.begun:
            self.draft_bar.drafts.keep()
            self._closing.begin(QApplication.quit)

    def finish(self) -> None:
        """Deliver nothing more and end what this process itself has started."""
        self.controller.bridge.stop()
        self.practice.stop()
