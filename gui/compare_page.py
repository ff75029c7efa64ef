"""Runs beside each other: their curves on one axis, their numbers, and the settings that differ."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.background import run_in_background
from gui.chart import View
from gui.compare_chart import CompareChart, stroke
from gui.compare_data import BYS, RunCurves, differing, load_run_curves
from gui.controller import Controller
from gui.elided import ElidedLabel
from gui.language import tr
from gui.pages import Scrolled, heading, muted, plain
from gui.pairs import Pairs
from gui.picture import save_picture
from gui.run_details import number_rows
from gui.theme import UNIT, theme
from remote.errors import ClewError

_BY_WORDS = {"step": tr("By step"), "time": tr("By elapsed time"), "examples": tr("By examples")}


class ComparePage(QWidget):
    """Two to eight runs. ``left`` when the user goes back to the list."""

    left = Signal()

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._asked: tuple[str, ...] = ()
        self._runs: list[tuple[str, RunCurves]] = []
        self._manual: tuple[float, float] | None = None
        self._drawing = False
        self.charts = (CompareChart("loss"), CompareChart("accuracy"), CompareChart("rate"))
        self.title = heading(tr("Compare"))
        self.words = ElidedLabel()
        self.back = QPushButton(tr("Back"))
        self.by = QComboBox()
        self.smooth = QCheckBox(tr("Smooth"))
        self.log = QCheckBox(tr("Log loss"))
        self.reset = QPushButton(tr("Reset zoom"))
        self.export = QPushButton(tr("Export"))
        self.numbers = Pairs(tr("Final numbers of the runs"))
        self.settings = Pairs(tr("Settings that differ"))
        self.same = muted(tr("All settings are the same."))
        self._build()
        self._connect()

    # -- which runs ----------------------------------------------------------------------------

    def show_runs(self, run_ids: list[str]) -> None:
        """Read these runs in the background, then show them."""
        self._asked = tuple(run_ids)
        self.title.setText(tr("{count} runs", count=len(run_ids)))
        self.words.setText(tr("Reading the runs …"))
        self._runs = []
        self._take([])
        history = self._controller.history

        def work() -> list[RunCurves]:
            return [load_run_curves(history(), run_id) for run_id in run_ids]

        def done(found: list[RunCurves]) -> None:
            if tuple(run_ids) == self._asked:
                self._take(found)
                self.words.setText(tr("Drag to move, wheel to zoom, double click to see all again"))

        def failed(error: ClewError) -> None:
            self.words.setText("")
            self._controller.notices.error(error)

        run_in_background(self._controller.bridge, work, done, failed, name="compare runs")

    def _take(self, found: list[RunCurves]) -> None:
        self._runs = list(zip(_labels(found), found, strict=True))
        self._manual = None
        for chart in self.charts:
            chart.show_runs(self._runs)
        self.export.setEnabled(bool(found))
        self._fill_tables()
        self._changed()

    def _fill_tables(self) -> None:
        found = [curves.details for _, curves in self._runs]
        names = [name for name, _ in self._runs]
        icons = [None, *(stroke(number) for number in range(len(names)))]
        numbers = [number_rows(details) for details in found]
        rows = [[row[0][0], *(text for _, text in row)] for row in zip(*numbers, strict=True)]
        settings = [[key, *values] for key, values in differing(found)]
        for table, texts in ((self.numbers, rows), (self.settings, settings)):
            table.show_heads(["", *names], icons)
            table.show_rows(texts)
            table.share()
            _fit_height(table)
        self.settings.setVisible(bool(settings))
        self.same.setVisible(bool(found) and not settings)

    # -- drawing -------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Other runs, another way to count."""
        by = BYS[self.by.currentIndex()]
        for chart in self.charts:
            chart.set_by(by, smooth=self.smooth.isChecked())
        self.draw()

    def draw(self) -> None:
        """Draw what is to be seen: all, or what was zoomed to."""
        by = BYS[self.by.currentIndex()]
        end = max((curves.end(by) for _, curves in self._runs), default=0.0)
        low, high = self._manual or (0.0, end * 1.02 or 1.0)
        self.reset.setVisible(self._manual is not None)
        self._drawing = True
        for chart in self.charts:
            chart.redraw(View(0.0, low, high))
        self._drawing = False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draw()

    def _zoomed(self, chart: CompareChart) -> None:
        if not self._drawing:
            (low, high), _ = chart.view_box.viewRange()
            self._manual = (low, high)
            self.draw()

    def _show_all(self) -> None:
        self._manual = None
        self.draw()

    def _count_by(self) -> None:
        self._manual = None
        self._changed()

    def _hover(self, chart: CompareChart, at: QPointF) -> None:
        inside = chart.view_box.sceneBoundingRect().contains(at)
        self._cross(float(chart.view_box.mapSceneToView(at).x()) if inside else None)

    def _cross(self, x: float | None) -> None:
        for chart in self.charts:
            chart.set_cross(x)

    # -- export --------------------------------------------------------------------------------

    def tables_csv(self) -> str:
        """Final numbers and differing settings as CSV."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["", *(curves.details.record.run_id for _, curves in self._runs)])
        for row in [*self.numbers.texts(), *self.settings.texts()]:
            writer.writerow([f"'{c}" if c[:1] in ("=", "+", "-", "@") else c for c in row])
        return out.getvalue()

    def save(self, path: Path) -> None:
        """Write the whole view: a picture, or its tables as CSV. Raises ClewError."""
        from remote.export.atomic import write_text_whole

        if path.suffix.casefold() == ".csv":
            write_text_whole(path, self.tables_csv())
        else:
            save_picture(self.inner, path)

    def _ask(self, ending: str, kinds: str) -> None:
        name, _ = QFileDialog.getSaveFileName(self, tr("Export"), f"compared{ending}", kinds)
        if not name:
            return
        path = Path(name)
        try:
            self.save(path if path.suffix else Path(name + ending))
        except ClewError as error:
            self._controller.notices.error(error)
        else:
            self._controller.notices.info(tr("Written to {path}", path=path))

    # -- building ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.words.setProperty("tone", "muted")
        self.back.setToolTip(tr("Back to all runs  (Alt+Left)"))
        self.back.setShortcut(QKeySequence("Alt+Left"))
        self.by.setAccessibleName(tr("What the charts count by"))
        for by in BYS:
            self.by.addItem(_BY_WORDS[by])
        self.smooth.setChecked(True)
        self.smooth.setToolTip(tr("The running mean of the loss, as on the live page"))
        self.reset.setToolTip(tr("Show all again (double click)"))
        menu = QMenu(self.export)
        for text, ending, kinds in (
            (tr("Everything as PNG…"), ".png", tr("Pictures (*.png)")),
            (tr("Everything as SVG…"), ".svg", tr("Drawings (*.svg)")),
            (tr("Tables as CSV…"), ".csv", tr("Tables (*.csv)")),
        ):
            action = menu.addAction(text)
            action.triggered.connect(lambda _=False, e=ending, k=kinds: self._ask(e, k))
        self.export.setMenu(menu)
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(self.title)
        names.addWidget(self.words)
        head.addWidget(self.back, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(names, 1)
        for widget in (self.reset, self.smooth, self.log, self.by, self.export):
            head.addWidget(widget)
        scrolled = Scrolled()
        self.inner = scrolled.inner
        self.inner.setObjectName("page")
        self.inner.setAccessibleName(tr("Compared runs"))
        for chart in self.charts:
            chart.setMinimumHeight(210)
            scrolled.column.addWidget(chart, 1)
        scrolled.column.addWidget(plain(tr("Final numbers")))
        scrolled.column.addWidget(self.numbers)
        scrolled.column.addWidget(plain(tr("Settings that differ")))
        scrolled.column.addWidget(self.settings)
        scrolled.column.addWidget(self.same)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addLayout(head)
        layout.addWidget(scrolled, 1)

    def _connect(self) -> None:
        self.back.clicked.connect(self.left)
        self.by.currentIndexChanged.connect(self._count_by)
        self.smooth.toggled.connect(self._changed)
        self.log.toggled.connect(self._log_toggled)
        self.reset.clicked.connect(self._show_all)
        for chart in self.charts:
            box, scene = chart.view_box, chart.plot.scene()
            box.sigRangeChangedManually.connect(lambda *_, c=chart: self._zoomed(c))
            scene.sigMouseMoved.connect(lambda at, c=chart: self._hover(c, at))
            scene.sigMouseClicked.connect(self._clicked)
            chart.plot.left.connect(lambda: self._cross(None))
        theme().watch(self, self._fill_tables)

    def _log_toggled(self, log: bool) -> None:
        self.charts[0].set_log(log)

    def _clicked(self, event: object) -> None:
        if getattr(event, "double", lambda: False)():
            self._show_all()


def _labels(runs: list[RunCurves]) -> list[str]:
    """Short names that tell the runs apart: the id's last letters, and the name or the tags."""
    found = []
    for curves in runs:
        record = curves.details.record
        words = ", ".join(curves.details.remark.tags) or record.name
        short = record.run_id.rpartition("-")[2]
        found.append(f"{short} · {words}" if words else short)
    ends = [curves.details.record.run_id.rpartition("-")[2] for curves in runs]
    if len(set(ends)) < len(ends):
        return [curves.details.record.run_id for curves in runs]
    return found


def _fit_height(table: Pairs) -> None:
    """As high as what is in it: the page scrolls, not the table."""
    rows = sum(table.rowHeight(row) for row in range(table.rowCount()))
    head = math.ceil(table.horizontalHeader().sizeHint().height())
    table.setFixedHeight(rows + head + 4)
