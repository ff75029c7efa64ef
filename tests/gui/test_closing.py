"""Closing in any state: the window goes at once, the process ends with status 0, silently."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE_S, SLACK, until, within

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
END_S = 3.0


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A port where connections are taken and nothing is ever said, like a dead host."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        yield int(listener.getsockname()[1])


@pytest.fixture
def profile(odd_path: Path, silent_server: int) -> Path:
    path = odd_path / "dead.yaml"
    path.write_text(
        f"clew: 1\nnodes:\n  - {{host: 127.0.0.1, port: {silent_server}, name: dead}}\n"
        "  - {host: 127.0.0.1, port: 9, name: closed}\n",
        encoding="utf-8",
    )
    return path


def start(state: str, delay_ms: int, profile: Path, home: Path) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CLEW_DATA_DIR": str(home / "data"),
        "PYTHONWARNINGS": "error",
    }
    return subprocess.Popen(
        [sys.executable, str(HERE / "closing_app.py"), state, str(delay_ms), str(profile)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> str:
    """Wait for the end and check how it was; returns what it wrote to standard output."""
    try:
        out, err = process.communicate(timeout=2 * PATIENCE_S)
    finally:
        process.kill()
    noise = [line for line in err.splitlines() if "This plugin does not support" not in line]
    assert process.returncode == 0, err
    assert noise == []
    return out


@pytest.mark.parametrize("delay_ms", [0, 50, 500])
@pytest.mark.parametrize("state", ["start", "connecting", "prompting"])
def test_that_the_window_goes_at_once_and_the_process_soon(
    state: str, delay_ms: int, profile: Path, tmp_path: Path
) -> None:
    process = start(state, delay_ms, profile, tmp_path)
    out = end(process)
    found = re.search(r"gone in ([\d.]+)", out)
    assert found is not None
    assert float(found[1]) < 1.0 * SLACK


def test_that_the_process_ends_within_three_seconds(profile: Path, tmp_path: Path) -> None:
    out = end(start("connecting", 300, profile, tmp_path))
    ended = time.monotonic()  # the same clock in both processes
    found = re.search(r"closed at ([\d.]+)", out)
    assert found is not None
    assert ended - float(found[1]) < END_S * SLACK


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_that_a_signal_closes_it_like_its_button(
    number: signal.Signals, profile: Path, tmp_path: Path
) -> None:
    code = "import sys; sys.path.insert(0, '.');from gui.app import run; sys.exit(run(sys.argv[1]))"
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "CLEW_DATA_DIR": str(tmp_path / "data"),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(profile)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for_handler(process)
    time.sleep(0.3)
    process.send_signal(number)
    end_of(process)


def _wait_for_handler(process: subprocess.Popen[str]) -> None:
    """Until the process catches SIGTERM: then its window is there."""

    def catches() -> bool:
        assert process.poll() is None
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace")
        found = re.search(r"^SigCgt:\s*([0-9a-f]+)", status, re.MULTILINE)
        return found is not None and bool(int(found[1], 16) >> (signal.SIGTERM - 1) & 1)

    until(catches, pause_s=0.05)


def end_of(process: subprocess.Popen[str]) -> None:
    with within(END_S):
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "Traceback" not in err
