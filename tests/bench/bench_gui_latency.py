"""A line written on a node is on the chart: the time between, in a real window during a real run.

One worker trains on the practice cluster. Every line of its event file carries the time at which
it was written; it counts as drawn when the loss chart has been painted with its last step.
"""

from __future__ import annotations

import bisect
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from gui.dashboard import Dashboard
from gui.settings import Settings
from gui.window import MainWindow
from tests.bench.report import Report, Row
from trainer import events
from trainer.spec import CHIEF

STEPS = 3000
BOUND_MS = 200.0


class Watcher(QObject):
    """Notes, after each paint of the loss chart, up to which step time it shows the curve."""

    def __init__(self, dashboard: Dashboard) -> None:
        super().__init__()
        self._dashboard = dashboard
        self.painted: list[tuple[float, float]] = []
        """(newest step time on the curve, when it had been painted), UTC epoch seconds."""
        dashboard.loss.plot.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt
        if event.type() == QEvent.Type.Paint:
            x, _ = self._dashboard.loss.raw.item.getData()
            if x is not None and x.size:
                newest = float(np.nanmax(x)) + self._dashboard.t0
                QTimer.singleShot(0, lambda: self.painted.append((newest, time.time())))
        return False


def wait(application: QApplication, holds: Callable[[], bool], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit("latency: the run did not come so far in time")
        application.processEvents()
        time.sleep(0.001)


def measure(application: QApplication, folder: Path) -> list[float]:
    """Milliseconds from line to chart, one for each line with steps."""
    window = MainWindow(Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat)))
    window.resize(1280, 840)
    window.show()
    controller = window.controller
    window.actions_by_name["practice"].trigger()
    wait(application, lambda: controller.models.nodes.counts().get("ready") == 3, 120)
    document = controller.document
    document.set_training({**document.training(), "workers": 1, "steps": STEPS}, "bench")
    window.actions_by_name["launch"].trigger()
    run = controller.models.run
    assert run is not None
    watcher = Watcher(window.page("live").dashboard)  # type: ignore[attr-defined]
    wait(application, lambda: run.result is not None, 180)
    wait(application, lambda: bool(watcher.painted), 5)
    assert run.result is not None
    if run.result.state != "finished":
        raise SystemExit(f"latency: the run did not finish: {run.result.reason}")
    latencies = list(between(controller.history(), run.run_id, watcher.painted))
    closed: list[bool] = []
    controller.close(lambda: closed.append(True), stop_run=False)
    wait(application, lambda: bool(closed), 10)
    window.practice.stop()
    window.hide()  # closing would ask about the changed number of steps
    return latencies


def between(history: object, run_id: str, painted: list[tuple[float, float]]) -> list[float]:
    newest = [n for n, _ in painted]
    found = []
    for record in history.events(run_id, CHIEF):  # type: ignore[attr-defined]
        event = events.decode(record.raw)
        if isinstance(event.body, events.Steps):
            # An axis keeps 64-bit floats of elapsed seconds: a microsecond is lost on the way.
            at = bisect.bisect_left(newest, event.body.times[-1] - 1e-5)
            if at < len(painted):
                found.append(1000 * (painted[at][1] - event.t))
    return found


def main() -> int:
    report = Report("line on a node to chart")
    report.begin()
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        os.environ["CLEW_DATA_DIR"] = name
        application = QApplication(sys.argv)
        latencies = measure(application, Path(name))
    print(f"p99 {sorted(latencies)[int(0.99 * len(latencies))]:.0f} ms")
    report.add(Row(what="line on a node -> drawn", samples=latencies, bound=BOUND_MS, unit="ms"))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
