"""What a scaling study has given so far: chart, table, and the size to train with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from gui.elided import ElidedLabel
from gui.language import tr
from gui.pages import Scrolled, heading, plain
from gui.picture import save_picture
from gui.said import said
from gui.study_chart import StudyChart
from gui.study_table import StudyTable
from gui.theme import UNIT, theme
from remote.study import Outcome, Row, Study, estimate_s, recommend, summarize
from remote.study.tables import as_csv, cells, heads, runs_as_csv

CHART_WIDTH = 480
"""The table is beside the chart where that much is left for it."""


class StudyView(QWidget):
    """Shows one study; :meth:`show_study` again when there is more of it."""

    def __init__(self) -> None:
        super().__init__()
        self.study: Study | None = None
        self.outcomes: list[Outcome] = []
        self.rows: list[Row] = []
        self.title = heading("")
        self.standing = ElidedLabel()
        self.chart = StudyChart()
        self.table = StudyTable()
        self.advice = plain("", wrap=True)
        self._both = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._build()
        theme().watch(self, self._fill)

    def show_study(self, study: Study, outcomes: Sequence[Outcome]) -> None:
        """Draw what the runs of ``study`` gave."""
        self.study, self.outcomes = study, list(outcomes)
        self.rows = summarize(study.plan.points, self.outcomes)
        self._fill()

    def made(self) -> str:
        """How many runs there are of how many."""
        if self.study is None:
            return ""
        good = sum(outcome.state == "finished" for outcome in self.outcomes)
        failed = sum(outcome.state == "failed" for outcome in self.outcomes)
        total = sum(1 for _ in self.study.plan.turns())
        made = tr("{good} of {total} runs made", good=good, total=total)
        return tr("{made}, {failed} failed", made=made, failed=failed) if failed else made

    def remaining_s(self) -> float | None:
        """Seconds until all missing runs are made, at the rates so far; None: not known."""
        if self.study is None:
            return None
        made = {o.run_id for o in self.outcomes if o.state == "finished"}
        rates = {row.point: row.rate for row in self.rows if row.rate is not None}
        starts = [o.start_s for o in self.outcomes if o.start_s is not None]
        start_s = sum(starts) / len(starts) if starts else 0.0
        return estimate_s(self.study.plan, self.study.left(made), rates, start_s)

    def save(self, path: Path) -> None:
        """Write a picture, the table (``.csv``) or all runs (``-runs.csv``). Raises ClewError."""
        from remote.export.atomic import write_text_whole

        if path.name.casefold().endswith("-runs.csv"):
            write_text_whole(path, runs_as_csv(self.outcomes))
        elif path.suffix.casefold() == ".csv":
            write_text_whole(path, as_csv(self.rows))
        else:
            save_picture(self._inner, path)

    def _fill(self) -> None:
        if self.study is None:
            return
        self.title.setText(self.study.name)
        self.chart.show_rows(self.rows)
        self.table.show_heads(heads(self.study.plan))
        self.table.show_rows([cells(row, self.study.plan) for row in self.rows])
        self.advice.setText(said(recommend(self.rows)))
        self.advice.setVisible(bool(self.advice.text()))
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.chart.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        wide = self.width() >= self.table.whole_width() + CHART_WIDTH
        way = QBoxLayout.Direction
        self._both.setDirection(way.LeftToRight if wide else way.TopToBottom)
        self.table.setMaximumWidth(self.table.whole_width() if wide else 16_777_215)
        self.table.fit()
        self.chart.refresh()

    def _build(self) -> None:
        self.standing.setProperty("tone", "muted")
        self.advice.setAccessibleName(tr("Which size to train with"))
        self.chart.setMinimumHeight(250)
        scrolled = Scrolled()
        self._inner = scrolled.inner
        self._inner.setObjectName("page")
        self._inner.setAccessibleName(tr("Scaling study"))
        self._both.setSpacing(UNIT)
        self._both.addWidget(self.chart, 1)
        self._both.addWidget(self.table)
        scrolled.column.addWidget(self.title)
        scrolled.column.addWidget(self.advice)
        scrolled.column.addLayout(self._both, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(scrolled, 1)
        layout.addWidget(self.standing)
