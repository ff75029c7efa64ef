"""What the tasks of a run wrote, by command: recorded runs, and one that goes on."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from remote.cli.main import main
from remote.history import Batch, FilePart, History, PlacedEvent, RunRecord, TaskRecord
from remote.practice import PracticeCluster
from remote.profile import save
from remote.updates import Cause, Consequence, ResultUpdate
from tests.support.commands import LIMIT_S, clew, objects, start_clew
from tests.support.sessions import practice_profile
from trainer.events import Event, Started
from trainer.spec import TaskId

pytestmark = pytest.mark.timeout(1500)
RUN = "20261130-1502-k3f9"
PS, W0, W1 = TaskId("ps", 0), TaskId("worker", 0), TaskId("worker", 1)
NODES = {PS: "gpu001", W0: "gpu001", W1: "gpu002"}
BEGUN = 1796050000.0
SHIFTS = {PS: 0.0, W0: 0.0, W1: -357.0}
"""The clock of gpu002 is ahead."""
HELLO = b"\x1b[32mhello\x1b[0m\nWARNING: odd\nbar 1\rbar 2\rbar done\n"
FAILURE = (
    b'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
    b"ValueError: no such column: caf\xc3\xa9\n"
)
PIECES: dict[TaskId, list[tuple[float, bytes]]] = {
    PS: [(2.0, b"ps ready\n"), (20.0, b"I0000 00:00:1796050015.500000   7 x.cc:1] serving\n")],
    W0: [(1.0, HELLO), (9.0, b"after nine\n"), (30.0, b"half a li")],
    W1: [(5.0, HELLO), (12.0, FAILURE), (18.0, b"I0000 00:00:1796050372.250000   7 x.cc:1] end\n")],
}


@pytest.fixture
def recorded(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of three tasks that failed, in the history of a user."""
    monkeypatch.setenv("CLEW_DATA_DIR", str(data))
    history = History(data / "history.db")
    tasks = [TaskRecord(task=task, node=node, root="/r") for task, node in NODES.items()]
    history.add_run(RunRecord(run_id=RUN, name="é", started_at=BEGUN), tasks)
    for task, pieces in PIECES.items():
        _write(history, task, pieces)
    cause = Cause(
        found=True,
        task=W1,
        node="gpu002",
        t=BEGUN + 12,
        kind="exception",
        text="worker:1 on gpu002: ValueError: no such column: café (train.py line 3)",
        place="train.py line 3",
        row=5,
        consequences=(Consequence(task=W0, node="gpu001", text="lost worker:1"),),
    )
    history.finish(_result(cause), BEGUN + 40)
    history.close()
    return data


def _write(history: History, task: TaskId, pieces: list[tuple[float, bytes]]) -> None:
    started = Started(task=str(task), pid=1, host="h", python="3", tensorflow="2")
    event = Event(t=BEGUN - SHIFTS[task], seq=0, attempt=1, body=started)
    placed = PlacedEvent(0, _encoded(event), event)
    parts = [FilePart(task=task, file="events", generation=0, offset=9, events=[(BEGUN, placed)])]
    history.append(RUN, Batch(files=parts))
    offset = 0
    for at, piece in pieces:
        end = offset + len(piece)
        part = FilePart(
            task=task,
            file="log",
            generation=0,
            offset=end,
            log=[(offset, piece)],
            read_at=BEGUN + at + 0.3,
        )
        history.append(RUN, Batch(files=[part]))
        offset = end


def _encoded(event: Event) -> bytes:
    from trainer.events import encode

    return encode(event).rstrip(b"\n")


def _result(cause: Cause) -> ResultUpdate:
    return ResultUpdate(
        run_id=RUN,
        state="failed",
        global_step=4,
        final_loss=0.25,
        accuracy=None,
        examples=16,
        examples_per_second=None,
        time_to_first_step_s=None,
        reason=cause.text,
        cause=cause,
    )


def show(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    assert main(["logs", "last", *words]) == status
    return tuple(capsys.readouterr())  # type: ignore[return-value]


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    return objects(show(capsys, *words, "--json")[0])


def test_that_each_tasks_log_is_shown_as_on_a_terminal(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = show(capsys, "worker:1")
    lines = out.splitlines()
    assert lines[:3] == ["hello", "WARNING: odd", "bar done"]
    assert lines[5] == "ValueError: no such column: café"
    assert "First failure: worker:1 on gpu002: ValueError" in err
    assert "worker:0: lost worker:1" in err
    out, _ = show(capsys, "worker")
    assert out.splitlines()[0] == "==> worker:0 <=="
    assert out.splitlines()[5] == "half a li", "the unfinished line, too"
    assert "==> worker:1 <==" in out
    assert "==> ps:0 <==" not in out


def test_that_merged_lines_stand_in_the_order_in_which_they_were_written(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *rows, result = shown(capsys, "--merged")
    texts = [(row["task"], row["text"].rpartition("] ")[2]) for row in rows]
    assert texts == [
        *(("worker:0", text) for text in ("hello", "WARNING: odd", "bar done")),
        ("ps:0", "ps ready"),
        *(("worker:1", text) for text in ("hello", "WARNING: odd", "bar done")),
        ("worker:0", "after nine"),
        *(("worker:1", line) for line in FAILURE.decode().splitlines()),
        ("worker:1", "end"),
        ("ps:0", "serving"),
        ("worker:0", "half a li"),
    ]
    exact = {row["text"].rpartition("] ")[2]: row["t"] for row in rows if row["exact"]}
    assert exact["serving"] == BEGUN + 15.5
    assert exact["end"] == pytest.approx(BEGUN + 372.25 - 357.0), "put on this computer's clock"
    by = next(row for row in rows if row["text"] == "after nine")
    assert not by["exact"]
    assert BEGUN + 9.3 <= by["t"] <= BEGUN + 11, "by then it had been read"
    assert (result["state"], result["lines"]) == ("failed", len(rows))
    assert result["cause"]["consequences"][0]["task"] == "worker:0"
    out, _ = show(capsys, "--merged")
    assert out.splitlines()[0].split() == ["by", *out.split()[1:2], "worker:0", "hello"]


def test_that_lines_are_chosen_by_words_and_level(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *rows, _ = shown(capsys, "--grep", "hel+o|serving")
    assert [row["task"] for row in rows] == ["ps:0", "worker:0", "worker:1"]
    *rows, _ = shown(capsys, "worker:1", "--level", "error")
    assert [row["text"] for row in rows] == FAILURE.decode().splitlines()
    *rows, _ = shown(capsys, "worker:0", "--level", "warning")
    assert [(row["line"], row["level"]) for row in rows] == [(2, "warning")]


def test_that_raw_gives_the_bytes_as_they_were_written(
    recorded: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["logs", "last", "worker:1", "--raw"]) == 0
    assert capfdbinary.readouterr().out == b"".join(piece for _, piece in PIECES[W1])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("worker:7",), "has no task worker:7"),
        (("--grep", "("), "not a regular expression"),
        (("--raw",), "--raw shows one task; name it: ps:0, worker:0, worker:1"),
    ],
)
def test_that_what_cannot_be_shown_is_said(
    recorded: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    out, err = show(capsys, *words, status=2)
    assert says in err
    assert out == ""


SLOW = """
import os, sys, time
print('begins', flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
print('goes on', flush=True)
"""


def test_that_a_run_is_followed_to_its_end(
    practice: PracticeCluster, data: Path, trust: dict[str, str]
) -> None:
    code, marker, path = data / "code", data / "go on", data / "slow.yaml"
    code.mkdir()
    (code / "slow.py").write_text(SLOW)
    command = json.dumps(["python", "slow.py", str(marker)])
    save(practice_profile(practice.profile, code=str(code), command=command), path, None)
    begun = clew("run", path, "--detach", data=data, **trust)
    assert begun.returncode == 0, begun.stderr
    now = clew("logs", "last", "worker:0", data=data, **trust)
    assert (now.returncode, now.stdout) == (0, "begins\n"), now.stderr
    with start_clew("logs", "last", "--follow", data=data, **trust) as follow:
        assert follow.stdout is not None
        try:
            seen = [follow.stdout.readline() for _ in range(3)]
            assert all(line.endswith("begins\n") for line in seen)
            assert {line.split()[-2] for line in seen} == {"ps:0", "worker:0", "worker:1"}
            marker.touch()
            rest, _ = follow.communicate(timeout=LIMIT_S)
        finally:
            marker.touch()
            if follow.poll() is None:
                follow.send_signal(signal.SIGTERM)
    assert [line.split()[-2:] for line in rest.splitlines()] == [["goes", "on"]] * 3
    assert follow.returncode == 0
