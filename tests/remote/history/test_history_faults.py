"""Nothing is lost and nothing doubled, whatever happens to the writer, the file or the disk."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import Batch, EventAssembler, History
from tests.remote.history.records import W0, add_run, event_file, part_of
from tests.support.waiting import PATIENCE_S, within

ROOT = Path(__file__).parents[3]

WRITER = """
    import sys
    from pathlib import Path
    from remote.history import Batch, EventAssembler, FilePart, History
    from trainer.spec import TaskId

    path, source, run_id = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    data, task = source.read_bytes(), TaskId("worker", 0)
    history = History(path)
    resume = history.resume(run_id)[task]
    at = resume.offsets.get("events", 0)
    assembler = EventAssembler(at, seen=resume.seen)
    while at < len(data):
        placed = assembler.feed(at, data[at : at + 300])
        at = min(len(data), at + 300)
        part = FilePart(task=task, file="events", generation=0, offset=assembler.committed,
                        events=[(p.event.t, p) for p in placed])
        history.append(run_id, Batch(files=[part]))
        print(at, flush=True)
        sys.stdin.readline()  # as far as the test lets it, and no further
    history.close()
"""


def test_that_a_writer_killed_at_any_moment_loses_and_doubles_nothing(
    path: Path, tmp_path: Path
) -> None:
    history = History(path)
    run_id = add_run(history)
    history.close()
    source = tmp_path / "events.jsonl"
    source.write_bytes(event_file(3000))
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(source), run_id]
    kills = 0
    while True:
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b"\n" * 250)
            process.stdin.flush()
            for _ in range(200):  # then it is killed at no special moment of the 50 that follow
                line = process.stdout.readline()
                if not line:
                    break
            if line:
                process.send_signal(signal.SIGKILL)
                kills += 1
        if process.returncode == 0:
            break
    assert kills >= 3
    history = History(path)
    assert history.notice == ""
    assert b"".join(e.raw + b"\n" for e in history.events(run_id, W0)) == source.read_bytes()
    history.close()


def test_that_a_damaged_file_is_kept_aside_and_a_new_one_started(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(2000))]))
    history.close()
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 4096)
    path.write_bytes(content)

    again = History(path)
    kept = list(path.parent.glob("history.db.damaged-*"))
    assert [k.read_bytes() for k in kept] == [bytes(content)]
    assert str(kept[0]) in again.notice
    assert again.runs() == []
    add_run(again)
    again.close()


def test_that_a_file_of_something_else_is_kept_aside(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"My diary. Nothing to do with databases.\n" * 100)
    history = History(path)
    assert "kept as" in history.notice
    assert next(path.parent.glob("*.damaged-*")).read_bytes().startswith(b"My diary")
    history.close()


def test_that_a_newer_history_is_left_alone(path: Path) -> None:
    History(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(HistoryError, match="newer Clew"):
        History(path)
    assert not list(path.parent.glob("*.damaged-*"))


def test_that_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HistoryError, match="cannot be used") as caught:
        History(tmp_path / "file" / "history.db")
    assert "CLEW_DATA_DIR" in caught.value.remedy


def test_that_the_data_folder_follows_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_DATA_DIR", str(tmp_path / "дом"))
    history = History()
    assert history.path == tmp_path / "дом" / "history.db"
    history.close()


FULL = """
    import sys
    from pathlib import Path
    from remote.errors import HistoryError
    from remote.history import Batch, FilePart, History, RunRecord, TaskRecord
    from trainer.spec import TaskId

    folder = Path(sys.argv[1])
    task = TaskId("worker", 0)
    history = History(folder / "history.db")
    history.add_run(RunRecord(run_id="r", name="n", started_at=1.0),
                    [TaskRecord(task=task, node="n", root="/r")])
    piece, at = bytes(60_000), 0
    def write():
        part = FilePart(task=task, file="log", generation=0, offset=at + len(piece),
                        log=[(at, piece)])
        history.append("r", Batch(files=[part]))
    try:
        while True:
            write()
            at += len(piece)
    except HistoryError as error:
        print(error)
    assert history.resume("r")[task].offsets["log"] == at
    (folder / "ballast").unlink()
    write()
    assert history.resume("r")[task].offsets["log"] == at + len(piece)
    assert len(history.log_bytes("r", task)[1]) == at + len(piece)
    history.close()
    print("whole")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a small disk")
def test_that_a_full_disk_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=3m tmpfs '{tmp_path}' && head -c 1000000 /dev/zero > "
    script = f"{mount}'{tmp_path}/ballast' && exec \"$@\""
    command = ["unshare", "--mount", "sh", "-c", script, "sh", sys.executable, "-c"]
    done = subprocess.run(
        [*command, textwrap.dedent(FULL), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Make room on this disk" in done.stdout
    assert done.stdout.endswith("whole\n")


def test_that_two_processes_may_write_one_history(path: Path) -> None:
    one, two = History(path), History(path)
    first, second = add_run(one, "20261130-1502-aaaa"), add_run(two, "20261130-1503-bbbb", 2000.0)
    data = event_file(5)
    one.append(second, Batch(files=[part_of(EventAssembler(), 0, data)]))
    two.append(first, Batch(files=[part_of(EventAssembler(), 0, data)]))
    assert [run.run_id for run in one.runs()] == [second, first]
    assert len(two.steps(second)[W0].steps) == 5
    one.close()
    two.close()


def test_that_reading_does_not_wait_for_a_writer(path: Path) -> None:
    history = History(path)
    add_run(history)
    with history._database.writing(), within(1):  # a writer would be waited for 10 s
        assert len(history.runs()) == 1
    history.close()
