"""Commands in ssh_config are run once the user has agreed, and not before."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remote.ssh import CommandConsent, CommandQuestion, ConfigSource, Fields, resolve
from tests.support.ssh import Recorder
from tests.support.waiting import PATIENCE_S


@pytest.fixture
def config(weird_path: Path) -> Path:
    path = weird_path / "config"
    command = f"echo >>{weird_path.parent}/ran"
    path.write_text(
        f'Host gpu\n  HostName 127.0.0.9\nMatch originalhost gpu exec "{command}"\n'
        "  User vpn\nHost *\n  User plain\n"
    )
    return path


def ran(config: Path) -> int:
    """How often the command was run."""
    proof = config.parent.parent / "ran"
    return proof.read_text().count("\n") if proof.exists() else 0


def consent(config: Path, prompter: Recorder) -> CommandConsent:
    return CommandConsent(config.parent / "data" / "agreed", prompter, pytest.fail)


def user_of(config: Path, agreed: CommandConsent, node: str = "n1") -> str:
    source = ConfigSource(user_file=config, may_run_commands=agreed.allows)
    return resolve(Fields(host="gpu", name=node), None, source).user


def test_that_nothing_runs_without_consent(config: Path) -> None:
    prompter = Recorder(trust=False)
    agreed = consent(config, prompter)
    assert user_of(config, agreed) == "plain"
    assert user_of(config, agreed) == "plain"
    assert ran(config) == 0
    assert len(prompter.commands) == 2  # a later attempt may ask again
    (line,) = prompter.commands[0].commands
    assert prompter.commands[0].file == config
    assert line.startswith("Match originalhost gpu exec echo >>")


def test_that_agreeing_counts_until_the_file_changes(config: Path) -> None:
    prompter = Recorder(trust=True)
    assert user_of(config, consent(config, prompter)) == "vpn"
    assert user_of(config, consent(config, Recorder(trust=False))) == "vpn"  # the next start
    assert len(prompter.commands) == 1
    assert ran(config) == 2
    config.write_text(config.read_text() + "# another\n")
    assert user_of(config, consent(config, Recorder(trust=False))) == "plain"


@pytest.mark.parametrize("trust", [True, False])
def test_that_32_nodes_together_ask_once(config: Path, trust: bool) -> None:
    all_wait = threading.Barrier(32)
    coming: list[int] = []

    class Slow(Recorder):
        def run_commands(self, question: CommandQuestion) -> bool:
            while len(coming) < 32:
                threading.Event().wait(0.01)
            threading.Event().wait(1.0)
            return super().run_commands(question)

    prompter = Slow(trust=trust)
    agreed = consent(config, prompter)

    def ask(number: int) -> bool:
        all_wait.wait(PATIENCE_S)
        coming.append(number)
        return agreed.allows(config, f"n{number}")

    with ThreadPoolExecutor(32) as threads:
        assert list(threads.map(ask, range(32))) == [trust] * 32
    assert len(prompter.commands) == 1


def test_that_an_answer_that_cannot_be_kept_counts_for_the_session(config: Path) -> None:
    (config.parent / "data").write_text("in the way")
    told: list[str] = []
    prompter = Recorder(trust=True)
    agreed = CommandConsent(config.parent / "data" / "agreed", prompter, told.append)
    assert agreed.allows(config, "n1")
    assert agreed.allows(config, "n2")
    assert len(prompter.commands) == 1
    assert "cannot be kept" in told[0]
