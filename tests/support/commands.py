"""The ``clew`` command as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 400.0


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "gui.entry", *map(str, words)]


def surroundings(data: Path, **more: str) -> dict[str, str]:
    """Variables of a user whose history lies in ``data`` and who has no display."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    kept = {key: value for key, value in os.environ.items() if key not in hidden}
    return {**kept, "PYTHONPATH": str(ROOT), "CLEW_DATA_DIR": str(data), **more}


def clew(*words: object, data: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; nobody sits at its standard input."""
    return subprocess.run(
        command(*words),
        cwd=data,
        env=surroundings(data, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def start_clew(*words: object, data: Path, **more: str) -> subprocess.Popen[str]:
    """Start a command; its standard output can be read line by line."""
    return subprocess.Popen(
        command(*words),
        cwd=data,
        env=surroundings(data, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON lines of an output; anything that is not strict JSON fails."""
    return [json.loads(line, parse_constant=_refuse) for line in text.splitlines()]


def _refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not strict JSON")
