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

ROOT = Path(__file__).parents[2]
TOOLS = ("Xvfb", "xdotool", "import")
pytestmark = [
    pytest.mark.tf,
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
            timeout=30,
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

    def picture(self, name: str) -> Path:
        """The whole screen as a PNG, kept where CI collects its artifacts."""
        folder = Path(os.environ.get("CLEW_ARTIFACTS", str(self.data)))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        subprocess.run(
            ["import", "-window", "root", str(path)], env=self.environment, check=True, timeout=30
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


def until(holds: Callable[[], bool], timeout_s: float, what: str, *, pause_s: float = 0.2) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(pause_s)


def test_that_the_main_job_works_with_the_keyboard_on_a_screen(
    display: str, tmp_path: Path
) -> None:
    pytest.importorskip("asyncssh")
    screen = Screen(display, tmp_path)
    try:
        until(screen.focus, 60, "the window")
        time.sleep(1.0)
        screen.picture("window-start")
        screen.key("alt+p", "p")  # Profile, Practice on this computer
        until((screen.data / "practice" / "practice.yaml").exists, 60, "the practice nodes")

        def launched() -> bool:
            screen.key("ctrl+Return")  # does nothing until all nodes are ready
            return screen.run() is not None

        until(launched, 120, "the launch", pause_s=1.0)
        until(lambda: screen.steps() > 200, 120, "steps")
        time.sleep(0.5)
        picture = screen.picture("window-live")
        assert picture.stat().st_size > 20_000
        screen.key("ctrl+period")  # Stop
        until(lambda: _result(screen) is not None, 60, "the end of the run")
        record = _result(screen)
        assert record is not None
        assert record.result is not None
        assert record.state in ("stopped", "finished")
        assert record.result.left_behind == ()
        time.sleep(2.0)  # the window hears of the end a moment after the history has it
        screen.key("ctrl+q")
        _, words = screen.program.communicate(timeout=15)
        assert screen.program.returncode == 0, words
        assert "Traceback" not in words
    finally:
        screen.program.kill()
        screen.program.wait()


def _result(screen: Screen) -> RunRecord | None:
    found = screen.run()
    return found if found is not None and found.result is not None else None
