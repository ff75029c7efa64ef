"""Clients of Slurm are found, answer in a fixed language, and are never waited for too long."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from remote.node.refused import Refused
from remote.node.slurm import commands
from tests.support.waiting import until, within

FOLDER = "o'tools \"ü"


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for clients, which is not on the PATH."""
    folder = tmp_path / FOLDER
    folder.mkdir()
    return folder


def client(folder: Path, text: str, name: str = "clewtest") -> Path:
    made = folder / name
    made.write_text("#!/bin/sh\n" + text)
    made.chmod(0o755)
    return made


def on_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_that_a_client_that_hangs_is_ended_with_all_it_started(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tools, monkeypatch)
    pids = tools / "pids"
    quoted = shlex.quote(str(pids))
    client(tools, f"sleep 600 & echo $! > {quoted}; echo $$ >> {quoted}; wait\n")
    with within(2.0), pytest.raises(commands.Silent, match=r"did not answer in 1\.5 s"):
        commands.run(["clewtest"], 1.5)
    found = [int(pid) for pid in pids.read_text().split()]
    assert len(found) == 2
    until(lambda: all(gone(pid) for pid in found))


def test_that_much_output_on_both_sides_is_read(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tools, monkeypatch)
    client(tools, "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero >&2\n")
    assert len(commands.run(["clewtest"], 60.0)) == 3_000_000


def test_that_the_language_is_fixed_and_nothing_changes_the_form(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tools, monkeypatch)
    client(tools, "env\n")
    changed = {
        "SQUEUE_FORMAT": "%i", "SINFO_SORT": "x", "SLURM_TIME_FORMAT": "relative",
        "SBATCH_WAIT": "1", "SBATCH_ARRAY_INX": "1-9", "SLURM_JOB_ID": "4", "LANG": "de_DE.UTF-8",
    }  # fmt: skip
    kept = {"SLURM_CONF": "/x/slurm.conf", "SBATCH_ACCOUNT": "physics", "HOME": "/home/ana"}
    for name, value in {**changed, **kept}.items():
        monkeypatch.setenv(name, value)
    seen = dict(line.split("=", 1) for line in commands.run(["clewtest"]).splitlines())
    assert seen["LC_ALL"] == "C"
    assert kept.items() <= seen.items()
    assert not (changed.keys() - {"LANG"}) & seen.keys()


@pytest.mark.parametrize(
    "said",
    [
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
        "slurm_load_partitions: Zero Bytes were transmitted or received",
        "squeue: error: Munge encode failed: Failed to access \"/run/munge/munge.socket.2\"",
        "scontrol: error: Unable to establish controller machine",
        "sinfo: error: slurm_persist_conn_open_without_init: Connection refused",
    ],
)  # fmt: skip
def test_that_no_answer_is_silence_and_never_an_end(
    said: str, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tools, monkeypatch)
    client(tools, f"cat >&2 <<'END'\n{said}\nEND\nexit 1\n")
    with pytest.raises(commands.Silent):
        commands.run(["clewtest"])


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("slurm_load_jobs error: Invalid job id specified", commands.UnknownJob, "Invalid job id"),
        ("clewtest: error: invalid partition specified: x", Refused, "said: invalid partition"),
        ("", Refused, "nothing, and failed"),
    ],
)
def test_that_a_no_is_told_in_its_own_words(
    said: str, kind: type[Refused], words: str, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tools, monkeypatch)
    client(tools, f"cat >&2 <<'END'\n{said}\nEND\nexit 1\n")
    with pytest.raises(Refused) as caught:
        commands.run(["clewtest"])
    assert type(caught.value) is kind
    assert words in caught.value.what


def test_that_setup_lines_may_bring_the_clients(tools: Path) -> None:
    client(tools, 'echo "here, $CLEW_SEEN"\n')
    with pytest.raises(commands.NoClient) as caught:
        commands.run(["clewtest"])
    assert "environment.setup" in caught.value.remedy
    setup = [f"export PATH=$PATH:{shlex.quote(str(tools))}", "export CLEW_SEEN='a\nb'"]
    assert commands.run(["clewtest"], setup=setup) == "here, a\nb\n"
    assert commands.there("clewtest", setup)
    assert not commands.there("clewtest")


def test_that_setup_lines_which_fail_leave_what_the_account_has(tools: Path) -> None:
    with pytest.raises(commands.NoClient):
        commands.run(["clewtest"], setup=["module load nothing", "false"])
