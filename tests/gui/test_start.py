"""An idle window is light, and its Qt pair is sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
HEAVY = (
    "tensorflow",
    "keras",
    "asyncssh",
    "keyring",
    "paramiko",
    "pyqtgraph",
    "sklearn",
    "sqlite3",
)


def run_python(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
    )


WINDOW = """
import sys
sys.path.insert(0, ".")
from PySide6.QtCore import QTimer
from gui.app import make_application
from gui.settings import Settings
from gui.theme import Theme
from gui.window import MainWindow
app = make_application(["clew"])
Theme(app, "system")
window = MainWindow(Settings())
window.show()
{body}
QTimer.singleShot(300, window.close)
status = app.exec()
window.finish()
print("loaded", sorted(set(sys.modules) & {heavy!r}))
sys.exit(status)
"""


@pytest.mark.parametrize("opened", [False, True])
def test_that_an_idle_window_imports_nothing_heavy(opened: bool, tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text("clew: 1\nnodes: [gpu001]\n", encoding="utf-8")
    body = f"window.open_profile({str(path)!r})" if opened else ""
    done = run_python(WINDOW.format(body=body, heavy=set(HEAVY)), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "loaded []" in done.stdout


def test_that_twenty_thousand_emissions_leave_the_process_sound(tmp_path: Path) -> None:
    """Some versions of the binding lose a reference with every emitted signal, and then abort."""
    body = (
        "before = sys.getrefcount(True)\n"
        "window.controller.ticked.disconnect()\n"  # the emission is meant, not what follows it
        "for _ in range(20000): window.controller.ticked.emit()\n"
        "lost = before - sys.getrefcount(True)\n"
        "assert lost < 200, lost\n"
    )
    done = run_python(WINDOW.format(body=body, heavy=set()), tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
