"""What stands in the way of the file when it is opened, and what becomes of it."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import Batch, EventAssembler, History, TaskRecord, open_or_stand_in
from remote.history.database import Database
from remote.history.disks import over_network
from remote.history.schema import _STEPS, VERSION
from tests.remote.history.records import W0, add_run, event_file, part_of
from tests.support.waiting import within
from trainer.spec import TaskId

SAMPLE = {
    "cpu_percent": 5.0,
    "memory_used_bytes": 1,
    "memory_total_bytes": 2,
    "gpus": [],
    "gpu_note": "no GPU",
}


def old_history(path: Path) -> None:
    """A file as the first Clew wrote it, with a run, an event, a log, a sample and a mark."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as db:
        for statement in _STEPS[0]:
            db.execute(statement)
        db.execute("PRAGMA user_version=1")
        run = (1, "20261130-1502-k3f9", "lab", "clew: 1", "", "{}", 9.0, None, "training", None)
        db.execute("INSERT INTO runs VALUES (?,?,?,?,?,?,?,?,?,?)", run)
        task = (1, 1, "worker:0", "n", "/r", "", "[]", "training", "", 1)
        db.execute("INSERT INTO tasks VALUES (?,?,?,?,?,?,?,?,?,?)", task)
        line = event_file(1).rstrip(b"\n")
        db.execute("INSERT INTO events VALUES (1, 0, 0, 0, 1, 'steps', 5.0, 0, ?)", (line,))
        db.execute("INSERT INTO files VALUES (1, 'events', 0, ?, 2)", (len(line) + 1,))
        db.execute("INSERT INTO log VALUES (1, 0, 0, ?)", (b"hello\n",))
        db.execute("INSERT INTO samples VALUES (1, 'n', 4.0, ?)", (json.dumps(SAMPLE),))
        db.execute("INSERT INTO marks VALUES (1, 3.0, 'restart', 'worker:0', 'again')")
    db.close()


def test_that_a_history_of_the_first_version_keeps_everything(path: Path) -> None:
    old_history(path)
    history = History(path)
    run_id = "20261130-1502-k3f9"
    assert history.notice == ""
    assert b"".join(e.raw + b"\n" for e in history.events(run_id, W0)) == event_file(1)
    assert history.log(run_id, W0) == ["hello"]
    assert [(s.t, s.cpu_percent, s.tick) for s in history.samples(run_id)] == [(4.0, 5.0, None)]
    assert [m.text for m in history.marks(run_id)] == ["again"]
    assert history.oddities(run_id)[W0].odd_lines == 2
    resume = history.resume(run_id)[W0]
    assert (resume.offsets["events"], resume.before["events"]) == (len(event_file(1)), b"")
    data = event_file(4)
    assembler = EventAssembler(resume.offsets["events"], seen=resume.seen)
    history.append(
        run_id, Batch(files=[part_of(assembler, len(event_file(1)), data[len(event_file(1)) :])])
    )
    assert b"".join(e.raw + b"\n" for e in history.events(run_id, W0)) == data
    history.close()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.close()


def test_that_old_and_new_files_have_the_same_tables(path: Path, tmp_path: Path) -> None:
    old_history(path)
    History(path).close()
    History(tmp_path / "new.db").close()
    shapes = []
    for file in (path, tmp_path / "new.db"):
        with sqlite3.connect(file) as db:
            shapes.append(db.execute("SELECT type, name, sql FROM sqlite_master").fetchall())
        db.close()
    assert shapes[0] == shapes[1]


def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check at the start ends before it has looked at anything."""
    monkeypatch.setattr("remote.history.database._CHECK_S", -1.0)
    monkeypatch.setattr("remote.history.database._STEPS", 1)


def test_that_a_long_check_does_not_hold_up_the_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(path)
    run_id = add_run(history)
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(3000))]))
    history.close()
    no_time(monkeypatch)
    again = History(path)
    assert again.notice == ""
    assert len(again.runs()) == 1
    assert again.check() == ""
    again.close()


def test_that_a_check_on_request_finds_what_the_start_had_no_time_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(path)
    run_id = add_run(history)
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(3000))]))
    history.close()
    content = bytearray(path.read_bytes())
    content[-40_000:] = b"\xa5" * 40_000
    path.write_bytes(content)
    no_time(monkeypatch)
    again = History(path)
    assert again.check() != ""
    again.start_anew()
    assert [k.read_bytes() for k in path.parent.glob("*.damaged-*")] == [bytes(content)]
    assert "kept as" in again.notice
    assert "1 run was taken over from it; some of what was in it could not be read." in again.notice
    assert [run.run_id for run in again.runs()] == [run_id]
    add_run(again)
    assert again.check() == ""
    again.close()


def test_that_only_one_of_several_that_start_sets_a_damaged_file_aside(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"My diary. Nothing to do with databases.\n" * 100)
    opened: list[Database] = []
    threads = [threading.Thread(target=lambda: opened.append(Database(path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    assert len(list(path.parent.glob("*.damaged-*"))) == 1
    assert len([database for database in opened if database.notice]) == 1
    for database in opened:
        database.close()


def test_that_another_process_that_writes_keeps_nobody_from_opening(path: Path) -> None:
    History(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with within(1.0):
        history = History(path)
        assert history.runs() == []
    began = time.monotonic()
    with pytest.raises(HistoryError, match="locked") as caught:
        history.append("r", Batch(), wait_s=0.05)
    assert time.monotonic() - began < 3.0
    assert "tried again" in caught.value.remedy
    other.execute("ROLLBACK")
    other.close()
    add_run(history)
    history.close()


def test_that_a_window_goes_on_where_no_history_can_be_had(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "history.db"
    history = open_or_stand_in(path)
    assert history.folder == path.parent
    assert "their nodes keep them" in history.notice
    add_run(history)
    made = history.path
    assert made.exists()
    history.close()
    assert not made.parent.exists()


def test_that_no_stand_in_hides_that_a_newer_clew_is_needed(path: Path) -> None:
    History(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(HistoryError, match="newer Clew"):
        open_or_stand_in(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_that_a_folder_without_permission_gets_a_stand_in(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    history = open_or_stand_in(tmp_path / "history.db")
    assert history.notice
    history.close()


def test_that_file_systems_of_several_computers_are_known(tmp_path: Path) -> None:
    home = tmp_path / "home ü"
    (home / "ana").mkdir(parents=True)
    shown = str(home).replace(" ", "\\040")
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nsrv:/h {shown} nfs4 rw 0 0\nx {shown}2 ext4 rw\n")
    assert over_network(home / "ana" / "history.db", mounts)
    assert not over_network(tmp_path / "history.db", mounts)
    assert not over_network(tmp_path / "home ü2" / "history.db", mounts)
    assert not over_network(home, tmp_path / "no such file")


def test_that_over_a_network_nothing_depends_on_shared_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    History(path).close()
    monkeypatch.setattr("remote.history.database.over_network", lambda path: True)
    history = History(path)
    run_id = add_run(history)
    assert not path.with_name(path.name + "-shm").exists()
    assert history.run(run_id) is not None
    history.close()


def test_that_the_newest_runs_come_in_pages_without_their_profiles(path: Path) -> None:
    history = History(path)
    for number in range(30):
        add_run(history, f"20261130-15{number:02}-k3f9", at=float(number))
    first, second = history.summaries(20), history.summaries(20, 20)
    ids = [run.run_id for run in [*first, *second]]
    assert ids == [f"20261130-15{number:02}-k3f9" for number in reversed(range(30))]
    assert history.count() == 30
    assert {run.profile for run in first} == {""}
    history.close()


def test_that_the_newest_step_of_each_run_is_found(path: Path) -> None:
    history = History(path)
    steps, none = add_run(history), add_run(history, "20261130-1503-k3f9")
    w1 = TaskRecord(task=TaskId("worker", 1), node="n", root="/r")
    data = [part_of(EventAssembler(), 0, event_file(7), task) for task in (W0, w1.task)]
    history.append(steps, Batch(tasks=[w1], files=data[:1]))
    found = history.standings([steps, none])
    assert list(found) == [steps]
    assert found[steps].step == 6
    assert found[steps].loss == pytest.approx(1 / 7)
    assert found[steps].t == pytest.approx(5.6)
    history.close()
