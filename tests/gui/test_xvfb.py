"""The program itself on a real (virtual) screen, worked with the keyboard only."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import History, RunRecord
from tests.support.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[2]
LIMIT_S = 400.0
TOOLS = ("Xvfb", "xdotool", "import")
pytestmark = [
    pytest.mark.tf,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(
        any(shutil.which(tool) is None for tool in TOOLS),
        reason=f"needs {', '.join(TOOLS)} (packages xvfb, xdotool, imagemagick)",
    ),
]


@pytest.fixture
def display() -> Iterator[str]:
    """A virtual screen of 1400 x 900."""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None
            yield f":{server.stdout.readline().decode().strip()}"
        finally:
            server.terminate()


class Screen:
    """The program on a display: keys in, pictures out."""

    def __init__(self, display: str, home: Path) -> None:
        self.data = home / "data é 'x'"
        self.environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "CLEW_DATA_DIR": str(self.data),
        }
        self.program = subprocess.Popen(
            [sys.executable, "-m", "gui.entry"],
            cwd=ROOT,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )

    def xdotool(self, *arguments: str) -> str:
        done = subprocess.run(
            ["xdotool", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.stdout.strip()

    def focus(self) -> bool:
        """Give the keyboard to the window; False while there is none."""
        found = self.xdotool("search", "--onlyvisible", "--name", "Clew").split()
        if found:
            self.xdotool("windowfocus", "--sync", found[0])
        return bool(found)

    def key(self, *keys: str) -> None:
        for key in keys:
            self.xdotool("key", key)
            time.sleep(0.3)

    def menu_opens(self) -> bool:
        """Ask for the menu Profile; False when nothing has appeared after a while."""
        before = self.windows()
        self.key("Escape", "alt+p")
        for _ in range(20):
            if self.windows() > before:
                return True
            time.sleep(0.1)
        return False

    def windows(self) -> int:
        return len(self.xdotool("search", "--onlyvisible", "--name", "").split())

    def quits(self) -> bool:
        """Ask the program to end; once more where it had not heard yet that its run is over."""
        if self.program.poll() is None:
            self.focus()  # without a window manager nobody has the keyboard once a dialog closes
            self.key("Escape", "ctrl+q")
        return self.program.poll() is not None

    def picture(self, name: str) -> Path:
        """The whole screen as a PNG, kept where CI collects its artifacts."""
        folder = Path(os.environ.get("CLEW_ARTIFACTS", str(self.data)))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        subprocess.run(
            ["import", "-window", "root", str(path)],
            env=self.environment,
            check=True,
            timeout=PATIENCE_S,
        )
        return path

    def run(self) -> RunRecord | None:
        """The newest run of the program's history; None: there is none yet."""
        if not (self.data / "history.db").exists():
            return None
        with contextlib.suppress(HistoryError):
            history = History(self.data / "history.db")
            try:
                return next(iter(history.runs()), None)
            finally:
                history.close()
        return None

    def steps(self) -> int:
        history = History(self.data / "history.db")
        try:
            found = self.run()
            series = history.steps(found.run_id).values() if found is not None else ()
            return sum(len(one.steps) for one in series)
        finally:
            history.close()


def wait(holds: Callable[[], bool], what: str, *, pause_s: float = 0.2) -> None:
    until(holds, LIMIT_S, what=lambda: f"waited in vain for {what}", pause_s=pause_s)


def test_that_the_main_job_works_with_the_keyboard_on_a_screen(
    display: str, tmp_path: Path
) -> None:
    pytest.importorskip("asyncssh")
    screen = Screen(display, tmp_path)
    try:
        wait(screen.focus, "the window")
        time.sleep(1.0)
        screen.picture("window-start")
        wait(screen.menu_opens, "the menu Profile")
        screen.key("p")  # Practice on this computer
        wait((screen.data / "practice" / "practice.yaml").exists, "the practice nodes")

        def launched() -> bool:
            screen.key("ctrl+Return")  # does nothing until all nodes are ready
            return screen.run() is not None

        wait(launched, "the launch", pause_s=1.0)
        wait(lambda: screen.steps() > 200, "steps")
        time.sleep(0.5)
        picture = screen.picture("window-live")
        assert picture.stat().st_size > 20_000
        shown = screen.windows()
        screen.key("ctrl+period")  # Stop
        wait(lambda: screen.windows() > shown, "the question how deep")
        screen.picture("window-stop")
        screen.key("Return")
        wait(lambda: _result(screen) is not None, "the end of the run")
        record = _result(screen)
        assert record is not None
        assert record.result is not None
        assert record.state in ("stopped", "finished")
        assert record.result.left_behind == ()
        wait(screen.quits, "the end of the program", pause_s=3.0)
        _, words = screen.program.communicate(timeout=LIMIT_S)
        assert screen.program.returncode == 0, words
        assert "Traceback" not in words
    finally:
        screen.program.kill()
        screen.program.wait()


def _result(screen: Screen) -> RunRecord | None:
    found = screen.run()
    return found if found is not None and found.result is not None else None
