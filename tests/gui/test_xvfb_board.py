"""The placement board on a real (virtual) screen: dragged with a mouse, moved with keys."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[2]
TOOLS = ("Xvfb", "xdotool", "import")
pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in TOOLS),
    reason=f"needs {', '.join(TOOLS)} (packages xvfb, xdotool, imagemagick)",
)


class BoardScreen:
    """The board in a process of its own; ``state`` is the last that it said."""

    def __init__(self, display: str, folder: Path) -> None:
        self.environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "HOME": str(folder),
            "CLEW_DATA_DIR": str(folder / "data"),
        }
        self.program = subprocess.Popen(
            [sys.executable, "-m", "tests.gui.board_app", str(folder)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.state: dict[str, Any] = {}
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def close(self) -> None:
        self.program.kill()
        self.program.wait()
        self._reader.join()
        assert self.program.stdout is not None
        self.program.stdout.close()

    def _read(self) -> None:
        assert self.program.stdout is not None
        for line in self.program.stdout:
            self._lines.put(line)

    def wait(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        """Take in what it says until ``holds`` of its state."""

        def look() -> bool:
            while not self._lines.empty():
                self.state = json.loads(self._lines.get())
            return bool(self.state) and holds(self.state)

        until(look, what=lambda: self.state)

    def spot(self, name: str) -> list[int]:
        found = [at for spoken, at in self.state["spots"].items() if spoken.startswith(name)]
        return list(found[0])

    def xdotool(self, *arguments: object) -> None:
        subprocess.run(
            ["xdotool", *map(str, arguments)],
            env=self.environment,
            check=True,
            timeout=PATIENCE_S,
        )

    def focus(self) -> bool:
        """Give the keyboard to the window, as a window manager would; False: it is not there."""
        done = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "Clew"],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        for window in done.stdout.split()[:1]:
            self.xdotool("windowfocus", "--sync", window)
        return bool(done.stdout.split())

    def picture(self, path: Path) -> None:
        subprocess.run(
            ["import", "-window", "root", str(path)],
            env=self.environment,
            check=True,
            timeout=PATIENCE_S,
        )


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[BoardScreen]:
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        found = BoardScreen(f":{server.stdout.readline().decode().strip()}", tmp_path)
        try:
            yield found
        finally:
            found.close()
            server.terminate()


def test_that_tasks_are_dragged_and_moved_with_keys_on_a_screen(
    screen: BoardScreen, tmp_path: Path
) -> None:
    screen.wait(lambda s: "worker:2, on GPU 0 of gpu002" in s["spots"])
    until(screen.focus)
    screen.wait(lambda s: bool(s["focus"]))
    screen.xdotool("mousemove", *screen.spot("worker:0"), "mousedown", 1)
    x, y = screen.spot("GPU 1 of gpu002")
    screen.xdotool("mousemove", x - 40, y - 10)
    screen.wait(lambda s: s["carried"] == "worker:0")
    screen.xdotool("mousemove", x, y)
    screen.wait(lambda s: s["hint"] == "worker:0 → GPU 1 of gpu002")
    folder = Path(os.environ.get("CLEW_ARTIFACTS", str(tmp_path)))
    screen.picture(folder / "window-board.png")
    screen.xdotool("mouseup", 1)
    screen.wait(lambda s: s["placement"].get("worker:0") == "gpu002/1" and not s["carried"])
    screen.xdotool("key", "m")
    screen.wait(lambda s: s["carried"] == "worker:0")
    screen.xdotool("key", "Left")
    screen.wait(lambda s: s["hint"].endswith("GPU 0 of gpu002, changing places with worker:2"))
    screen.xdotool("key", "Return")
    screen.wait(lambda s: s["placement"].get("worker:2") == "gpu002/1")
    screen.xdotool("key", "w")
    screen.wait(lambda s: s["workers"] == 4)
    screen.xdotool("key", "ctrl+z", "key", "ctrl+z", "key", "ctrl+z")
    screen.wait(lambda s: s["placement"] == {} and s["workers"] == 3)
