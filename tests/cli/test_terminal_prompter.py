"""Several nodes ask at a terminal at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from remote.cli.prompts import TerminalPrompter
from remote.ssh import CommandQuestion, HostKeyQuestion
from tests.support.waiting import PATIENCE_S

NODES = ("gpu1", "gpu2", "gpu3")


class Typist:
    """A terminal at which somebody writes these lines."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return f"{self.lines.pop(0)}\n" if self.lines else ""


def question(node: str) -> HostKeyQuestion:
    return HostKeyQuestion(
        node=node,
        host=f"{node}.lab",
        key_type="ssh-ed25519",
        fingerprint=f"SHA256:{node}",
        stored_in=Path("/data/known_hosts"),
        note="\x1b[31mBeware",
    )


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> dict[str, bool]:
    """What each of three nodes is told that asked before anything was answered."""
    monkeypatch.setattr("sys.stdin", Typist(*lines))

    @contextmanager
    def when_all_ask() -> Iterator[None]:
        deadline = time.monotonic() + PATIENCE_S
        while not asked and len(prompter._unknown) < len(NODES) and time.monotonic() < deadline:
            time.sleep(0.01)
        asked.append(True)
        yield

    asked: list[bool] = []
    prompter = TerminalPrompter(when_all_ask)
    with ThreadPoolExecutor(len(NODES)) as threads:
        told = list(threads.map(lambda node: prompter.unknown_host(question(node)), NODES))
    return dict(zip(NODES, told, strict=True))


@pytest.mark.parametrize(("line", "trust"), [("yes", True), ("no", False), ("", False)])
def test_that_hosts_that_come_together_are_one_question(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, trust: bool
) -> None:
    lines = [line] if line else []  # nobody writes anything any more
    assert answers(monkeypatch, *lines) == dict.fromkeys(NODES, trust)
    said = capsys.readouterr().err
    assert said.count("SHA256:") == 3
    assert said.count("Beware") == 1
    assert "\x1b" not in said
    assert "Are these the 3 keys you expect?" in said


def test_that_they_can_be_asked_about_one_by_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = answers(monkeypatch, "what?", "each", "no", "no", "yes")
    assert sorted(told.values()) == [False, False, True]
    said = capsys.readouterr().err
    assert said.count("Is this the key you expect?") == 3


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_that_commands_of_a_config_are_shown_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    monkeypatch.setattr("sys.stdin", Typist(answer))
    asked = CommandQuestion(node="gpu1", file=Path("/h/config"), commands=("Match exec vpn\x07",))
    assert TerminalPrompter().run_commands(asked) is (answer == "yes")
    said = capsys.readouterr().err
    assert "/h/config" in said
    assert "Match exec vpn\n" in said
