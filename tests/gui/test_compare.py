"""Several runs beside each other, and pictures of charts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.chart import View
from gui.compare_data import differing, load_run_curves
from gui.loss_chart import LossChart
from gui.picture import as_svg, save_picture
from gui.runs_page import RunsPage
from gui.window import MainWindow
from remote.errors import ClewError
from remote.export.details import load_details
from remote.history import Batch, EventAssembler, FilePart, History, RunRecord, TaskRecord
from tests.gui.chart_runs import T0, run_of
from tests.remote.export.run_rows import fill
from trainer.events import Evaluated, Event, Steps, encode
from trainer.spec import TaskId, TrainingSpec, to_json

Wait = Callable[[Callable[[], bool], float], None]
A, B, C = "20261130-1501-aaaa", "20261130-1502-bbbb", "20261130-1503-cccc"
HOSTILE = "<b>läb</b>"


@pytest.fixture
def history() -> Iterator[History]:
    with closing(History()) as found:
        fill(found, A, name="one", steps=40)
        fill(found, B, name=HOSTILE, steps=60)
        yield found


def two_workers(history: History, run_id: str) -> None:
    """Two workers with odd and even steps, 32 examples each, one second a step."""
    training = json.dumps(to_json(TrainingSpec(steps=8, update="sync")))
    tasks = [TaskRecord(task=TaskId("worker", i), node="n", root="/r") for i in range(2)]
    history.add_run(RunRecord(run_id=run_id, name="", started_at=T0, training=training), tasks)
    for index in range(2):
        bodies: list[Steps | Evaluated] = [
            Steps(steps=(s,), losses=(float(s),), times=(T0 + s,), examples=32, window_s=2.0)
            for s in range(1 + index, 9, 2)
        ]
        if index == 0:
            bodies.append(Evaluated(step=8, loss=1.0, accuracy=0.5, examples=9, seconds=0.1))
        data = b"".join(
            encode(Event(t=T0 + (b.times[0] if isinstance(b, Steps) else T0 + 9) - T0,
                         seq=seq, attempt=1, body=b))
            for seq, b in enumerate(bodies)
        )  # fmt: skip
        events = [(p.event.t, p) for p in EventAssembler().feed(0, data)]
        part = FilePart(
            task=tasks[index].task, file="events", generation=0, offset=len(data), events=events
        )
        history.append(run_id, Batch(files=[part]))


def test_that_curves_count_steps_time_and_examples_over_all_workers(history: History) -> None:
    two_workers(history, C)
    curves = load_run_curves(history, C)
    for by, x in (("step", 1.0), ("time", 1.0), ("examples", 32.0)):
        xs, ys = curves.loss[by].window(-math.inf, math.inf)  # type: ignore[index]
        np.testing.assert_allclose(xs, x * np.arange(1, 9))
        np.testing.assert_allclose(ys, np.arange(1, 9))
    xs, ys = curves.accuracy["step"].window(-math.inf, math.inf)
    assert (xs.tolist(), ys.tolist()) == ([8.0], [0.5])
    _, rates = curves.rate["time"].window(-math.inf, math.inf)
    assert np.nanmax(rates) == pytest.approx(32.0)  # two workers, 32 examples in 2 s each


def test_that_only_what_differs_is_listed(history: History) -> None:
    two_workers(history, C)
    rows = dict(differing([load_details(history, run) for run in (A, B, C)]))
    assert rows["steps"] == ["40", "60", "8"]
    assert rows["workers and ps"] == ["1 worker, 1 ps", "1 worker, 1 ps", "2 workers"]
    assert "batch_size" not in rows


@pytest.fixture
def page(history: History, window: MainWindow, wait: Wait, qtbot: QtBot) -> RunsPage:
    """The runs page with both runs compared."""
    window.show_page("runs")
    found = window.page("runs")
    assert isinstance(found, RunsPage)
    wait(lambda: found.model.rowCount() == 2, 10)
    assert not found.compare_button.isEnabled()
    found.table.selectAll()
    found.table.setFocus()
    qtbot.keyClick(found.table, Qt.Key.Key_C)
    wait(lambda: found.compare is not None and len(found.compare._runs) == 2, 20)
    return found


def test_that_runs_are_laid_over_each_other(page: RunsPage) -> None:
    compare = page.compare
    assert compare is not None
    loss = compare.charts[0]
    assert sorted(line.drawn for line in loss.lines) == [40, 60]
    assert len({(line.color, line.style) for line in loss.lines}) == 2
    assert len({line.style for line in loss.lines}) == 2
    assert [entry.label for entry in loss.legend.entries] == [n for n, _ in compare._runs]
    numbers = {row[0]: row[1:] for row in compare.numbers.texts()}
    assert sorted(numbers["Steps"]) == ["40", "60"]
    assert numbers["Elapsed"] == ["1:40", "1:40"]
    settings = {row[0]: row[1:] for row in compare.settings.texts()}
    assert sorted(settings["steps"]) == ["40", "60"]
    assert "model" not in settings
    compare.back.click()
    assert page.table.isVisible()
    assert page.open_button.isVisible()


def test_that_charts_count_by_what_is_chosen(page: RunsPage) -> None:
    compare = page.compare
    assert compare is not None
    for index, most in ((0, 60.0), (1, 66.1), (2, 3840.0)):
        compare.by.setCurrentIndex(index)
        (low, high), _ = compare.charts[0].view_box.viewRange()
        assert (low, high) == (0.0, pytest.approx(most * 1.02, rel=0.001))
        words = compare.charts[0].x_axis.words
        assert all("inf" not in word for word in words)
    compare.smooth.setChecked(False)
    compare.log.setChecked(True)
    assert compare.charts[0].log
    assert compare.charts[0].lines[0].drawn > 0


def test_that_the_view_is_exported(page: RunsPage, odd_path: Path) -> None:
    compare = page.compare
    assert compare is not None
    for ending in (".png", ".svg", ".csv"):
        compare.save(odd_path / f"c{ending}")
    assert QImage(str(odd_path / "c.png")).width() == 2 * compare.inner.width()
    words = " ".join(ElementTree.parse(odd_path / "c.svg").getroot().itertext())
    assert "Throughput" in words
    assert "aaaa · best" in words
    lines = (odd_path / "c.csv").read_text("utf-8").splitlines()
    assert sorted(lines[0].split(",")[1:]) == [A, B]
    assert any(line.startswith("steps,") for line in lines)


def test_that_a_chart_saves_its_picture(qtbot: QtBot, odd_path: Path) -> None:
    chart = LossChart()
    qtbot.addWidget(chart)
    chart.resize(500, 300)
    chart.set_run(run_of([2.0, 1.5, math.nan, 1.0, 0.5]))
    chart.show()
    chart.redraw(View(T0, 0.0, 5.0))
    texts = [action.text() for action in chart.picture_menu.menu().actions()]
    assert texts == ["Save as PNG…", "Save as SVG…", "Copy picture"]
    save_picture(chart, odd_path / "l.png")
    image = QImage(str(odd_path / "l.png"))
    assert (image.width(), image.height()) == (1000, 600)
    drawing = ElementTree.fromstring(as_svg(chart))
    words = " ".join(drawing.itertext())
    assert "Loss" in words
    assert "running mean" in words
    assert drawing.findall(".//{*}path") or drawing.findall(".//{*}polyline")
    with pytest.raises(ClewError, match=r"End it in \.png or \.svg"):
        save_picture(chart, odd_path / "l.bmp")
    with pytest.raises(ClewError, match="cannot be written"):
        save_picture(chart, odd_path / "none" / "l.svg")
    chart.picture_menu.copy()
