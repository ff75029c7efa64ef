"""Every page in both themes and all languages: ``python -m tests.screenshots --out DIR``.

A real run on the practice cluster is recorded first (``--data DIR`` uses one that is there), so
that charts, logs and the list of runs have something to show. Nodes with GPUs are made up: what
stands on the Cluster and Training pages was never connected.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from gui.language import Language
    from gui.theme import Mode
    from gui.window import MainWindow

ROOT = Path(__file__).parents[1]
LANGUAGES: tuple[Language, ...] = ("en", "es")
THEMES: tuple[Mode, ...] = ("light", "dark")
SIZES = {"": (1280, 960), "-small": (1024, 680)}
GPUS = {"gpu001": 4, "gpu002": 4, "cpu001": 0}
STEPS = 8000
SETTLE_S = 0.6
"""Charts are drawn by timers."""
OPEN_S = 60.0
LIMIT_S = 600.0


def record(data: Path) -> None:
    """One real run in the history of ``data``; nothing is done where there is one."""
    if (data / "history.db").exists():
        return
    data.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "gui.entry", "demo", "--headless", "--steps", str(STEPS)]
    command += ["--png", str(data / "charts.png")]
    environment = {**os.environ, "CLEW_DATA_DIR": str(data)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=LIMIT_S)


def take(out: Path, data: Path, language: Language) -> None:
    """All pictures in one language; a process of its own, as texts are fixed when it starts."""
    os.environ["CLEW_DATA_DIR"] = str(data)
    from gui import language as languages
    from gui.app import make_application

    app = make_application(["clew"])
    languages.choose(language)
    languages.install(app)
    for theme in THEMES:
        for ending, size in SIZES.items():
            for name, widget in _pictures(app, data, theme, size):
                _settle(app)
                widget.grab().save(str(out / f"{language}-{theme}-{name}{ending}.png"))


def _pictures(
    app: QApplication, data: Path, mode: Mode, size: tuple[int, int]
) -> Iterator[tuple[str, QWidget]]:
    """Each thing to be seen, once it is there."""
    from PySide6.QtCore import QSettings

    from gui.settings import Settings
    from gui.theme import theme
    from gui.window import MainWindow

    store = QSettings(str(data / "pictures.ini"), QSettings.Format.IniFormat)
    store.clear()
    theme().choose(mode)
    window = MainWindow(Settings(store))
    window.resize(*size)
    window.show()
    yield "start", window
    yield from _pages(app, data, window)
    yield from _dialogs(window)
    window.controller.session = None
    window.finish()
    window.hide()
    window.deleteLater()
    app.processEvents()


def _pages(app: QApplication, data: Path, window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    from tests.gui.board_session import connected

    connected(window, GPUS, {"workers": 5, "dataset": {"path": "~/data"}})
    yield "training", window
    window.show_page("cluster")
    _check(window)
    yield "cluster", window
    history = window.controller.history()
    run = next(iter(history.runs())).run_id
    window.controller.session = None  # which knows of no runs
    window.controller.open_past_run(run)
    _wait(app, lambda: window.controller.models.run is not None)
    window.controller.document.open(data / "practice" / "practice.yaml")
    window.show_page("live")
    yield "live", window
    window.show_page("logs")
    yield "logs", window
    window.show_page("runs")
    yield "runs", window


def _check(window: MainWindow) -> None:
    """A check that found something."""
    from remote.checks import CheckEnd, Finding, Level, Pair, Topic

    check = window.controller.models.check
    check.begin(list(GPUS), hello=False)
    free = "runs and checkpoints go to /home/ana/.clew, and there is only 0.9 GiB free"
    found: tuple[tuple[str, Topic, Level, str, str], ...] = (
        ("gpu001", "disk", "problem", free, "Free some space there."),
        ("gpu002", "clock", "warning", "the clock is 5.2 s ahead of this computer's (± 0.1 s)",
         "Set up NTP on the node or here; Clew's charts take the difference into account."),
        ("cpu001", "gpu", "ok", "there is no GPU; tasks here run on the CPU", ""),
    )  # fmt: skip
    for node, topic, level, what, remedy in found:
        check.apply(Finding(node=node, topic=topic, level=level, what=what, remedy=remedy))
    for one in GPUS:
        for other in GPUS:
            if one != other:
                text = f"{one} reaches worker:0 on {other} at {other}:2222 in 0.21 ms"
                check.apply(
                    Pair(source=one, target=other, task="worker:0", how="open", text=text,
                         address=f"{other}:2222", rtt_s=0.00021, bytes_per_second=112e6)
                )  # fmt: skip
    check.apply(CheckEnd(state="problems", problems=1, warnings=1, seconds=3.4))
    window.controller.changed.emit()


def _dialogs(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    from PySide6.QtWidgets import QMenu

    from gui.help import show_keys

    palette = window.palettes.open()
    yield "palette", palette
    palette.close()
    keys = show_keys(window, window.actions_by_name)
    yield "keys", keys
    keys.close()
    for number, action in enumerate(window.menuBar().actions()):
        menu = action.menu()
        assert isinstance(menu, QMenu)
        menu.popup(window.mapToGlobal(window.rect().topLeft()))
        yield f"menu{number}", menu
        menu.hide()
    window.studies.show()
    study = window.studies.window
    assert study is not None
    yield "study", study
    study.close()


def _settle(app: QApplication) -> None:
    end = time.monotonic() + SETTLE_S
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.01)


def _wait(app: QApplication, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + OPEN_S
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("the run was not opened")
        app.processEvents()
        time.sleep(0.01)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures")
    parser.add_argument("--data", type=Path, help="data folder with a recorded run")
    parser.add_argument("--language", choices=LANGUAGES, help="this one only")
    given = parser.parse_args()
    out, data = given.out.resolve(), (given.data or given.out / "data").resolve()
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if given.language:
        take(out, data, given.language)
        return 0
    record(data)
    for language in LANGUAGES:
        command = [sys.executable, "-m", "tests.screenshots", "--language", language]
        places = ["--out", str(out), "--data", str(data)]
        subprocess.run([*command, *places], cwd=ROOT, check=True, timeout=LIMIT_S)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
