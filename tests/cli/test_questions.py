"""Questions on a terminal: the answer decides, and is kept."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios
import threading
from pathlib import Path

from remote.practice import PracticeCluster
from remote.profile import save
from tests.support.commands import LIMIT_S, command, surroundings
from tests.support.sessions import practice_profile


def check_on_terminal(profile: Path, data: Path, answers: list[str]) -> tuple[int, str]:
    """``clew check`` by somebody at a terminal who gives ``answers``; status and what was said."""
    near, far = pty.openpty()
    quiet = termios.tcgetattr(far)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(far, termios.TCSANOW, quiet)
    waiting = list(answers)
    asked = re.compile(rb"\(yes/no\) |yes or no: ")
    try:
        with subprocess.Popen(
            command("check", profile),
            cwd=data,
            env=surroundings(data),
            stdin=far,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            timer = threading.Timer(LIMIT_S, process.kill)
            timer.start()
            assert process.stderr is not None
            said = b""
            while piece := os.read(process.stderr.fileno(), 4096):
                said += piece
                while waiting and len(asked.findall(said)) > len(answers) - len(waiting):
                    os.write(near, waiting.pop(0).encode() + b"\n")
            process.wait()
            timer.cancel()
        return process.returncode, said.decode()
    finally:
        os.close(near)
        os.close(far)


def test_that_yes_trusts_a_key_from_then_on(practice: PracticeCluster, weird_path: Path) -> None:
    profile = weird_path / "p.yaml"
    save(practice_profile(practice.profile), profile, None)
    status, said = check_on_terminal(profile, weird_path, ["perhaps", "yes", "yes", "yes"])
    assert status == 0, said
    assert said.count("SHA256:") == 3
    assert "Please write yes or no" in said
    assert (weird_path / "known_hosts").stat().st_mode & 0o777 == 0o600
    status, said = check_on_terminal(profile, weird_path, [])
    assert (status, said.count("SHA256:")) == (0, 0), said


def test_that_no_refuses_a_node_and_keeps_nothing(
    practice: PracticeCluster, weird_path: Path
) -> None:
    profile = weird_path / "p.yaml"
    save(practice_profile(practice.profile), profile, None)
    status, said = check_on_terminal(profile, weird_path, ["no", "no", "no"])
    assert status == 1
    assert "host key" in said
    assert not (weird_path / "known_hosts").exists()
