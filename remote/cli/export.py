"""``clew export``: a recorded run as tables, pictures, a report or a bundle."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from remote.cli.environment import GOOD, WRONG_INPUT, Environment
from remote.cli.longwork import LongWork
from remote.cli.view import JsonView
from remote.errors import ClewError
from remote.export.bundle import write_bundle
from remote.export.report import write_report
from remote.export.tables import write_tables

_RENDER_LIMIT_S = 120.0


def export(env: Environment) -> int:
    """Write what the arguments ask for."""
    arguments = env.arguments
    wanted = [name for name in _WRITERS if getattr(arguments, name) is not None]
    if not wanted:
        env.view.say(
            "Say what to write: --csv DIR, --png FILE, --svg FILE, --report FILE or --bundle FILE."
        )
        return WRONG_INPUT
    run_id = env.history.find(arguments.run).run_id
    for name in wanted:
        for path in _WRITERS[name](env, run_id, getattr(arguments, name)):
            if isinstance(env.view, JsonView):
                env.view.write({"type": "file", "run": run_id, "path": str(path)})
            else:
                print(path)
    if isinstance(env.view, JsonView):
        env.view.write({"type": "result", "run": run_id, "state": "ok"})
    return GOOD


def _csv(env: Environment, run_id: str, folder: Path) -> list[Path]:
    return write_tables(env.history, run_id, folder)


def _picture(env: Environment, run_id: str, target: Path) -> list[Path]:
    return [render(run_id, target, chart=env.arguments.chart or "")]


def _svg(env: Environment, run_id: str, target: Path) -> list[Path]:
    return [render(run_id, target, chart=env.arguments.chart or "", kind="svg")]


def _report(env: Environment, run_id: str, target: Path) -> list[Path]:
    with LongWork(env, f"writing {target.name}"):
        stop = env.interrupts
        return [write_report(env.history, run_id, target, lambda: stop.count > 0)]


def _bundle(env: Environment, run_id: str, target: Path) -> list[Path]:
    with LongWork(env, f"writing {target.name}") as work:
        stopped = env.interrupts
        return [
            write_bundle(
                env.history,
                run_id,
                target,
                progress=work.progress,
                cancelled=lambda: stopped.count > 0,
            )
        ]


_WRITERS: dict[str, Callable[[Environment, str, Path], list[Path]]] = {
    "csv": _csv,
    "png": _picture,
    "svg": _svg,
    "report": _report,
    "bundle": _bundle,
}


def render(run_id: str, target: Path, *, chart: str = "", kind: str = "png") -> Path:
    """Draw the run's charts, or one, in a process of its own: only that one needs Qt.

    Raises:
        ClewError: it could not be drawn.
    """
    command = [sys.executable, "-m", "gui.render", "--run", run_id, "--out", str(target.absolute())]
    command += ["--format", kind, *(["--chart", chart] if chart else [])]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_RENDER_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ClewError(f"the charts could not be drawn: {error}") from None
    if done.returncode or not target.exists():
        words = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise ClewError(f"the charts could not be drawn: {words[-1]}")
    return target
