"""From process start to the first painted window: Clew against a bare PySide6 + pyqtgraph window.

Each start is a process of its own, in turns; the ratio of neighbours in time is what counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.report import Report, Row

ROOT = Path(__file__).parents[2]
ROUNDS = 9
MOST = 1.5
LIMIT_S = 60

_END = """
from PySide6.QtCore import QTimer
QTimer.singleShot(0, lambda: QTimer.singleShot(0, app.quit))
app.exec()
print("painted", flush=True)
import os; os._exit(0)
"""
BARE = (
    """
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph
app = QApplication([])
window = QMainWindow()
plot = pyqtgraph.PlotWidget()
plot.plot([1.0, 2.0, 3.0])
window.setCentralWidget(plot)
window.resize(1280, 840)
window.show()
app.processEvents()
"""
    + _END
)
CLEW = (
    """
import sys
from gui.app import make_application
from gui.settings import Settings
from gui.theme import Theme
from gui.window import MainWindow
app = make_application(["clew"])
settings = Settings()
Theme(app, settings.theme)
window = MainWindow(settings)
window.show()
if len(sys.argv) > 1:
    window.open_profile(sys.argv[1])
    window.show_page("live")
app.processEvents()
"""
    + _END
)


def start_s(code: str, home: str, *arguments: str) -> float:
    """Seconds from starting the process until its window is painted."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "CLEW_DATA_DIR": home,
    }
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        took = time.perf_counter() - began
        process.wait(LIMIT_S)
    if line != b"painted\n":
        raise RuntimeError("the window did not start")
    return took


def main() -> int:
    report = Report("Start of the window")
    report.begin()
    idle, charts = [], []
    with tempfile.TemporaryDirectory() as home:
        profile = Path(home) / "lab.yaml"
        profile.write_text("clew: 1\nnodes: [gpu001, gpu002]\n", encoding="utf-8")
        for number in range(ROUNDS + 1):
            bare = start_s(BARE, home)
            clew = start_s(CLEW, home)
            with_charts = start_s(CLEW, home, str(profile))
            if number:  # the first round only warms the file cache
                idle.append(clew / bare)
                charts.append(with_charts / bare)
    report.add(Row(what="idle window / bare window", samples=idle, bound=MOST))
    report.add(Row(what="profile and live page / bare window", samples=charts, bound=2 * MOST))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
