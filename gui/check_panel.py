"""The check of the cluster: a button, its progress, and what was found, with what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QPushButton,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.check_tables import (
    CheckTable,
    DevicesTable,
    FindingsTable,
    MatrixTable,
    StepsTable,
    TintDelegate,
)
from gui.controller import Controller
from gui.fitting import LowTable
from gui.language import tr
from gui.pages import muted, plain, set_tone
from gui.said import said
from gui.theme import UNIT, scaled
from remote.errors import sentence
from remote.wording import Shared, few

EMPTY = tr(
    "Not checked yet. A check looks at the login, Python, GPUs, disks, clock, limits "
    "and proxies of every node, and tries every way between the nodes that the run "
    "will use."
)
WAYS = tr(
    "Rows dial columns: round trip and throughput. A dash is a way that the run does not use."
)
FINDINGS, DEVICES, STEPS = 0, 2, 3
LEAST_HEIGHT = 110
WIDEST = 240
"""Of a column, in pixels: what is longer is whole in its tooltip and in the words below."""
_LAST_COLUMN_SHARE = 0.45


class CheckPanel(QFrame):
    """Everything about the check; :meth:`refresh` is called while it may be seen."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.setObjectName("card")
        self._controller = controller
        check = controller.models.check
        self.findings, self.matrix = FindingsTable(check), MatrixTable(check)
        self.devices, self.steps = DevicesTable(check), StepsTable(check)
        self.title, self.words = plain(tr("Check")), muted(EMPTY)
        self.check_button = QPushButton(tr("&Check"))
        self.hello_button = QPushButton(tr("Check with he&llo"))
        self.cancel_button = QPushButton(tr("Cancel"))
        self.progress = QProgressBar()
        self.tabs = QTabWidget()
        self.everything = QCheckBox(tr("Also what is &well"))
        self.detail = plain("", wrap=True)
        self.remedy = plain("", wrap=True)
        self.copy_button = QPushButton(tr("Copy remedy"))
        self.nothing = muted("")
        self.views: list[QTableView] = []
        self._version = -1
        self._running = False
        self._build()

    def refresh(self) -> None:
        """Show what the check has told by now."""
        check = self._controller.models.check
        why = self._controller.why_not_check()
        for button in (self.check_button, self.hello_button):
            button.setEnabled(not why)
            button.setToolTip(why)
        if check.version == self._version:
            return
        self._version = check.version
        if self._running != check.running:
            self._running = check.running
            # While it goes on its progress is the news; afterwards what it found.
            self.tabs.setCurrentIndex(STEPS if check.running else FINDINGS)
        self.cancel_button.setVisible(check.running)
        self.progress.setVisible(check.running)
        self.progress.setValue(round(check.fraction() * 1000))
        self.words.setText(check.summary() or EMPTY)
        set_tone(self.words, check.tone())
        self.tabs.setVisible(check.began)
        self.tabs.setTabText(FINDINGS, tr("Findings ({count})", count=len(check.shared(False))))
        self.tabs.setTabVisible(DEVICES, bool(check.devices) or check.hello)
        self._reload()

    @property
    def opened(self) -> bool:
        """Whether it shows more than its head."""
        return not self.tabs.isHidden()

    def selected(self) -> Shared | None:
        """The finding whose details are shown."""
        row = self.views[FINDINGS].currentIndex().row()
        rows = self.findings.rows
        return rows[row] if 0 <= row < len(rows) else None

    def copy(self, *, remedy_only: bool = False) -> None:
        """Put the selected finding, or only what to do about it, on the clipboard."""
        one = self.selected()
        if one is None:
            return
        found = one.finding
        where = f"{few(one.nodes)}: " if one.nodes else ""
        text = found.remedy if remedy_only else f"{where}{sentence(found.what, found.remedy)}"
        QGuiApplication.clipboard().setText(text)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, UNIT + 4, 2 * UNIT, UNIT + 4)
        layout.setSpacing(UNIT)
        self.title.setFont(scaled(self.title.font(), 1.0, bold=True))
        self.words.setWordWrap(True)
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        said = QVBoxLayout()
        said.setSpacing(0)
        said.addWidget(self.title)
        said.addWidget(self.words)
        head.addLayout(said, 1)
        for button in (self.cancel_button, self.check_button, self.hello_button):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(head)
        self.progress.setMaximum(1000)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Progress of the check"))
        layout.addWidget(self.progress)
        self._build_tabs()
        layout.addWidget(self.tabs, 1)
        self.check_button.setToolTip(tr("Look closely at all nodes and the ways between them"))
        self.check_button.clicked.connect(lambda: self._controller.check(hello=False))
        self.hello_button.clicked.connect(lambda: self._controller.check(hello=True))
        self.cancel_button.clicked.connect(self._controller.cancel_check)
        for widget in (self.cancel_button, self.progress, self.tabs):
            widget.hide()

    def _build_tabs(self) -> None:
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(tr("What the check found"))
        self.tabs.addTab(self._findings_tab(), tr("Findings"))
        ways = self._tab(self._view(self.matrix, tr("Who reaches whom")), muted(WAYS))
        self.tabs.addTab(ways, tr("Ways"))
        self.views[-1].setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.views[-1].verticalHeader().show()
        self.views[-1].verticalHeader().setMaximumWidth(WIDEST)
        for header in (self.views[-1].verticalHeader(), self.views[-1].horizontalHeader()):
            header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.views[-1].setItemDelegate(TintDelegate(self.views[-1]))
        self.views[-1].horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
        note = muted(tr("[1, 2, 3] + [4, 5, 6] from a ps, added by TensorFlow on every device."))
        self.tabs.addTab(self._tab(self._view(self.devices, tr("Devices")), note), tr("Devices"))
        self.tabs.addTab(
            self._tab(self._view(self.steps, tr("Steps of each node"))), tr("Progress")
        )
        self.tabs.currentChanged.connect(lambda _: self._reload())

    def _findings_tab(self) -> QWidget:
        view = self._view(self.findings, tr("Findings"))
        view.selectionModel().currentChanged.connect(lambda *_: self._show_detail())
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)
        self.everything.toggled.connect(self._choose_everything)
        self.detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remedy.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_tone(self.remedy, "warn")
        self.copy_button.clicked.connect(lambda: self.copy(remedy_only=True))
        row = QHBoxLayout()
        row.addWidget(self.everything)
        row.addStretch(1)
        row.addWidget(self.copy_button)
        tab = self._tab(self.nothing, view, self.detail, self.remedy)
        found = tab.layout()
        assert isinstance(found, QVBoxLayout)
        found.addLayout(row)
        return tab

    def _tab(self, *widgets: QWidget) -> QWidget:
        tab = QWidget()
        layout = QVBoxLayout(tab)
        layout.setContentsMargins(0, UNIT, 0, 0)
        layout.setSpacing(UNIT)
        for widget in widgets:
            layout.addWidget(widget, 1 if isinstance(widget, QTableView) else 0)
        return tab

    def _view(self, model: CheckTable, name: str) -> QTableView:
        view = LowTable()
        view.setModel(model)
        view.setAccessibleName(name)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setMinimumHeight(LEAST_HEIGHT)
        view.setTabKeyNavigation(False)  # Tab goes on to the next widget, arrows stay inside
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(32)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setResizeContentsPrecision(0)  # what can be seen decides how wide columns are
        header.setStretchLastSection(not isinstance(model, MatrixTable))
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.views.append(view)
        return view

    def _reload(self) -> None:
        """Only what is to be seen: a large matrix is not laid out for nobody."""
        at = self.tabs.currentIndex()
        kept = self.selected()
        model, view = self._tables()[at], self.views[at]
        model.reload()
        if model.rowCount():
            view.resizeColumnsToContents()
            for column in range(model.columnCount()):
                view.setColumnWidth(column, min(WIDEST, view.columnWidth(column)))
        if at == FINDINGS:
            self._show_findings(kept)

    def _show_findings(self, kept: Shared | None) -> None:
        check = self._controller.models.check
        rows = self.findings.rows
        ended = check.end is not None
        self.nothing.setText(
            tr("Nothing is in the way.") if ended and not rows else tr("Nothing yet.")
        )
        self.nothing.setVisible(not rows)
        self.views[FINDINGS].setVisible(bool(rows))
        self._fit_findings()
        if rows:
            row = rows.index(kept) if kept in rows else 0
            self.views[FINDINGS].setCurrentIndex(self.findings.index(row, 0))
        self._show_detail()

    def _tables(self) -> tuple[CheckTable, ...]:
        return self.findings, self.matrix, self.devices, self.steps

    def _fit_findings(self) -> None:
        """What and what to do share what the short columns leave."""
        view = self.views[FINDINGS]
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        short = sum(view.columnWidth(column) for column in range(3))
        room = max(200, view.viewport().width() - short)
        view.setColumnWidth(3, round(room * (1 - _LAST_COLUMN_SHARE)))

    def _choose_everything(self, on: bool) -> None:
        self.findings.everything = on
        self._reload()

    def _show_detail(self) -> None:
        one = self.selected()
        where = f"{', '.join(one.nodes)}: " if one is not None and one.nodes else ""
        self.detail.setText(f"{where}{said(one.finding.what)}." if one is not None else "")
        self.remedy.setText(said(one.finding.remedy) if one is not None else "")
        self.detail.setVisible(one is not None)
        self.remedy.setVisible(bool(self.remedy.text()))
        self.copy_button.setVisible(bool(self.remedy.text()))
