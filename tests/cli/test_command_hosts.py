"""``clew hosts``: the hosts of an ssh_config, for people, for programs, and as a profile."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from remote.profile import load
from tests.support.commands import clew, objects

FILES = Path(__file__).resolve().parents[1] / "fixtures" / "ssh_config"


@pytest.fixture
def config(weird_path: Path) -> Path:
    path = weird_path / "config"
    shutil.copy(FILES / "import-list.config", path)
    with path.open("a") as file:
        file.write('Match originalhost gpu02 exec "touch ran"\n  User vpn\n')
    return path


def test_that_hosts_are_listed_and_nothing_is_run(config: Path, weird_path: Path) -> None:
    done = clew("hosts", "--config", config, data=weird_path)
    assert done.returncode == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    assert rows["gpu01"][:3] == ["gpu01.lab.example", "alice", "2200"]
    assert rows["gpu02"][0] == "*"
    assert "gpu??" in done.stdout.splitlines()[-1]
    assert "canonicalizehostname is not applied" in done.stderr
    assert not (weird_path / "ran").exists()


def test_that_programs_get_objects_and_a_result(config: Path, weird_path: Path) -> None:
    done = clew("hosts", "gpu*", "!gpu99", "--json", "--config", config, data=weird_path)
    *hosts, result = objects(done.stdout)
    assert [host["host"] for host in hosts] == ["gpu01", "gpu02"]
    assert hosts[0]["port"] == 2200
    assert hosts[0]["file"] == str(config)
    assert [host["needs_command"] for host in hosts] == [False, True]
    assert result == {"type": "result", "state": "ok", "hosts": 2}


def test_that_chosen_hosts_become_a_profile(config: Path, weird_path: Path) -> None:
    path = weird_path / "läb.yaml"
    done = clew("hosts", "login", "gpu0?", "--save", path, "--config", config, data=weird_path)
    assert done.returncode == 0, done.stderr
    profile = load(path).profile
    assert profile.name == "läb"
    assert [node.host for node in profile.nodes] == ["gpu01", "gpu02", "login"]
    again = clew("hosts", "--save", path, "--config", config, data=weird_path)
    assert again.returncode == 2
    assert "is there already" in again.stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("nowhere",), 2, "no host of the SSH configuration is named like nowhere"),
        (("!*",), 0, "None of the hosts is left"),
        (("!gpu*",), 0, "login"),
        (("--config", "absent"), 2, "absent cannot be read: no such file or directory"),
        (("--config", "."), 2, ". cannot be read: is a directory"),
        (("--config", "pipe"), 2, "pipe cannot be read: not an ordinary file"),
        (("--config", "/dev/null"), 0, "/dev/null names no hosts"),
    ],
)
def test_that_nothing_found_is_said(
    config: Path, weird_path: Path, words: tuple[str, ...], status: int, said: str
) -> None:
    os.mkfifo(weird_path / "pipe")
    done = clew("hosts", "--config", config, *words, data=weird_path)
    assert done.returncode == status
    assert said in done.stdout + done.stderr
    assert said == "login" or "gpu01" not in done.stdout


def test_that_a_user_without_a_configuration_is_told_so(weird_path: Path) -> None:
    done = clew("hosts", data=weird_path, HOME=str(weird_path))
    assert done.returncode == 0
    assert f"There is no {weird_path}/.ssh/config" in done.stdout
