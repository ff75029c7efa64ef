"""An agent comes up behind every login shell, or it is said why not."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remote.errors import ClewError, NodeError
from remote.link import COMMAND, AgentLink
from remote.link.bootstrap import MAX_NOISE_BYTES, script
from tests.support.local_node import PYTHONS, LocalNode
from tests.support.waiting import PATIENCE_S, until, within

FIXTURES = Path(__file__).parents[1] / "fixtures" / "shells"
SHELLS = ["sh", "bash", "dash", "fish", "csh", "tcsh", "zsh", "ksh"]


def start_failure(
    node: LocalNode, timeout_s: float = PATIENCE_S, python: str | None = None
) -> ClewError:
    with pytest.raises(ClewError) as caught:
        node.connect(timeout_s, python)
    assert caught.value.node == node.name
    assert caught.value.remedy
    return caught.value


def fake_pythons(node: LocalNode, **scripts: str) -> None:
    """A node where only these programs and the base tools exist."""
    for name in ("sh", "bash", "sleep", "cat"):
        (node.tools / name).symlink_to(shutil.which(name) or "")
    for name, text in scripts.items():
        path = node.tools / name
        path.write_text(text)
        path.chmod(0o755)
    node.env["PATH"] = str(node.tools)


@pytest.mark.parametrize("shell", SHELLS)
def test_that_every_login_shell_brings_up_the_agent(node: LocalNode, shell: str) -> None:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    node.shell = [path]
    found = node.connect()
    assert found.link.hello.pid > 0
    assert found.link.hello.noise is False
    assert found.link.verify_path("~") == str(node.home)


def test_that_a_restricted_shell_is_told_with_a_test_that_fails_for_it(node: LocalNode) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    node.shell = [bash, "-r"]
    error = start_failure(node)
    assert "restricted" in error.what
    tried = subprocess.run(
        [*node.shell, "-c", "exec /bin/sh -c env"], capture_output=True, timeout=PATIENCE_S
    )
    assert tried.returncode != 0
    assert "exec /bin/sh -c env" in error.remedy
    assert "rbash" in error.remedy


def test_that_the_fixed_line_has_nothing_that_shells_read_differently() -> None:
    assert not set(COMMAND) & set("\n!\\`")
    line = script("0" * 32, '~/it\'s a "venv"/bin/python')
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


def test_that_a_talking_start_up_file_is_survived_and_noted(node: LocalNode) -> None:
    noisy = (FIXTURES / "noisy.bashrc").read_text()
    (node.home / ".bashrc").write_text(noisy)
    # bash reads ~/.bashrc for sshd; here BASH_ENV has it read the same file.
    node.env["BASH_ENV"] = str(node.home / ".bashrc")
    node.shell = ["/bin/bash"]
    found = node.connect()
    assert found.link.hello.noise is True
    assert found.link.verify_path("~") == str(node.home)


def test_that_a_start_up_file_that_becomes_another_shell_is_survived(node: LocalNode) -> None:
    (node.home / "rc").write_text("echo hello\nunset BASH_ENV\nexec dash\n")
    node.env["BASH_ENV"] = str(node.home / "rc")
    node.shell = ["/bin/bash"]
    assert node.connect().link.hello.noise is True


@pytest.mark.parametrize("other", ["fish", "sleep 6"])
def test_that_a_start_up_file_that_replaces_the_shell_is_named(node: LocalNode, other: str) -> None:
    if shutil.which(other.split()[0]) is None:
        pytest.skip(f"{other} is not installed")
    (node.home / "rc").write_text(f"exec {other}\n")
    node.env["BASH_ENV"] = str(node.home / "rc")
    node.shell = ["/bin/bash"]
    with within(5):
        error = start_failure(node, timeout_s=1.5)
    assert "your shell start-up file replaces the shell" in error.what
    assert ".bashrc" in error.remedy


def test_that_a_shell_that_ends_at_once_is_reported_with_its_words(node: LocalNode) -> None:
    (node.home / "rc").write_text("echo This account is not available >&2; exit 1\n")
    node.env["BASH_ENV"] = str(node.home / "rc")
    node.shell = ["/bin/bash"]
    assert "This account is not available" in start_failure(node).what


def test_that_endless_noise_ends_in_an_error(node: LocalNode) -> None:
    (node.home / "rc").write_text("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done\n")
    node.env["BASH_ENV"] = str(node.home / "rc")
    node.shell = ["/bin/bash"]
    assert f"more than {MAX_NOISE_BYTES} bytes" in start_failure(node).what


def test_that_a_node_without_python_is_said_to_have_none(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remote.link.bootstrap._CANDIDATES", ("python",))
    fake_pythons(node)
    error = start_failure(node)
    assert isinstance(error, NodeError)
    assert "no Python 3.6 or newer" in error.what
    assert "environment.python" in error.remedy


def test_that_pythons_that_are_too_old_or_broken_are_passed_over(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = PYTHONS / "2.7.18/bin/python2.7"
    if not old.exists():
        pytest.skip("there is no Python 2.7 here")
    monkeypatch.setattr("remote.link.bootstrap._CANDIDATES", ("python",))
    fake_pythons(node, python3="#!/bin/sh\necho broken >&2; exit 1\n")
    (node.tools / "python").symlink_to(old)
    assert "found only Python 2.7.18" in start_failure(node).what
    profile = node.home / "it's a venv"
    profile.symlink_to(sys.executable)
    assert node.connect(python="~/it's a venv").link.hello.python_version.startswith("3.")


def test_that_an_agent_that_cannot_run_is_reported_with_its_last_words(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"remote.node.loader": "raise RuntimeError('broken on purpose')"}
    monkeypatch.setattr("remote.link.bootstrap.node_sources", lambda: broken)
    assert "broken on purpose" in start_failure(node).what


def test_that_the_agent_ends_when_its_input_ends(node: LocalNode) -> None:
    found = node.connect()
    pid = found.link.hello.pid
    found.link.close()
    until(lambda: not Path(f"/proc/{pid}").exists())
    assert found.ends == [None]


def test_that_the_clock_offset_is_small_on_one_machine(node: LocalNode) -> None:
    link: AgentLink = node.connect().link
    until(lambda: abs(link.clock_offset_s) < 0.05)  # the quickest of several pings counts
    until(lambda: abs(link.last_heard - time.time()) < 3)
