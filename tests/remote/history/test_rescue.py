"""What a damaged history still has is in the new one, as it was; what has lost its sense is not."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from remote.history import Batch, EventAssembler, Gap, History, StopOrder
from remote.updates import NodeSample, ResultUpdate
from tests.remote.history.records import W0, add_run, event_file, part_of

PAGE = 4096
EVENTS = 400
IDS = [f"20261130-15{n:02d}-{'abcdefgh'[n % 8]}k3f" for n in range(24)]
"""Of the runs; every third one has not ended."""


def fill(path: Path) -> None:
    """Runs with events, logs, samples, notes, an order and a gap."""
    history = History(path)
    for n, run_id in enumerate(IDS):
        add_run(history, run_id, at=1000.0 + n)
        sample = NodeSample(
            node="gpu 2", t=1.0, cpu_percent=5.0, memory_used_bytes=1, memory_total_bytes=2
        )
        part = part_of(EventAssembler(), 0, event_file(EVENTS))
        history.append(run_id, Batch(files=[part], samples=[sample]))
        history.set_note(run_id, f"note {n} ü")
        if n % 3:
            history.finish(result_of(run_id), 2000.0 + n, [gap_of(run_id)] if n == 1 else [])
    history.stop_orders.place([order_of(IDS[1])])
    history.close()


def result_of(run_id: str) -> ResultUpdate:
    return ResultUpdate(
        run_id=run_id, state="finished", global_step=EVENTS - 1, final_loss=0.1, accuracy=None,
        examples=64 * EVENTS, examples_per_second=1.0, time_to_first_step_s=1.0,
    )  # fmt: skip


def gap_of(run_id: str) -> Gap:
    return Gap(run_id=run_id, node="gpu 2", place="ana@gpu 2:22", root="/r ü")


def order_of(run_id: str) -> StopOrder:
    return StopOrder(
        run_id=run_id, node="gpu 2", place="ana@gpu 2:22", root="/r ü", depth="now", ordered_at=1.0
    )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound ü") / "history.db"
    fill(path)
    return path.read_bytes()


@pytest.fixture
def path(weird_path: Path, sound: bytes) -> Path:
    found = weird_path / "history.db"
    found.write_bytes(sound)
    return found


def written() -> list[bytes]:
    return [line + b"\n" for line in event_file(EVENTS).splitlines()]


def assert_sound(history: History, path: Path, damaged: bytes) -> None:
    assert [k.read_bytes() for k in path.parent.glob("*.damaged-*")] == [damaged]
    assert history.check() == ""
    lines = set(written())
    for run in history.runs():
        assert run.run_id in IDS
        assert {e.raw + b"\n" for e in history.events(run.run_id, W0)} <= lines
        history.samples(run.run_id), history.resume(run.run_id), history.remark(run.run_id)
    history.overview()


def page_of(path: Path, table: str) -> int:
    """A page that holds rows of a table, from 0."""
    with closing(sqlite3.connect(path)) as db:
        wanted = "SELECT pageno FROM dbstat WHERE name=? AND pagetype='leaf' ORDER BY pageno"
        try:
            pages = [int(row[0]) for row in db.execute(wanted, (table,))]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not tell which pages a table has")
    return pages[len(pages) // 2] - 1


def damage(path: Path, *pages: int) -> bytes:
    content = bytearray(path.read_bytes())
    for page in pages:
        content[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
    path.write_bytes(content)
    return bytes(content)


def test_that_what_lies_beside_a_damaged_page_is_taken_over(path: Path) -> None:
    damaged = damage(path, page_of(path, "events"))
    history = History(path)
    assert_sound(history, path, damaged)
    assert "24 runs were taken over from it; some of what was in it could not" in history.notice
    assert {run.run_id for run in history.runs()} == set(IDS)
    counts = [len(list(history.events(run_id, W0))) for run_id in IDS]
    assert counts.count(EVENTS) >= len(IDS) - 2, "a page holds rows of one run or of two"
    assert sum(counts) < EVENTS * len(IDS)
    assert history.find(IDS[1]).result == result_of(IDS[1])
    assert history.remark(IDS[5]).note == "note 5 ü"
    assert history.stop_orders.waiting() == [order_of(IDS[1])]
    assert history.gaps.waiting() == [gap_of(IDS[1])]
    history.close()


def test_that_an_open_run_is_read_again_where_something_is_missing(path: Path) -> None:
    damage(path, page_of(path, "events"))
    history = History(path)
    for n, run_id in enumerate(IDS):
        known = history.resume(run_id)[W0]
        assert known.offsets.get("events", 0) == (len(event_file(EVENTS)) if n % 3 else 0)
    for run_id in IDS[::3]:
        history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(EVENTS))]))
        assert [e.raw + b"\n" for e in history.events(run_id, W0)] == written(), "each event once"
    history.close()


def test_that_rows_without_sense_are_left_behind(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE runs SET result='{' WHERE id=?", (IDS[1],))
        db.execute("UPDATE runs SET state='glorious' WHERE id=?", (IDS[2],))
        db.execute("UPDATE events SET body=x'ff00' WHERE rowid=7")
        db.execute("UPDATE samples SET body='no json' WHERE run=4")
        db.execute("UPDATE tasks SET gpus='{}' WHERE run=5 AND task='worker:0'")
        db.commit()
    damage(path, page_of(path, "sqlite_autoindex_events_1"))
    history = History(path)
    assert {run.run_id for run in history.runs()} == set(IDS) - {IDS[1], IDS[2]}
    assert len(list(history.events(IDS[0], W0))) == EVENTS - 1
    assert list(history.samples(IDS[3])) == []
    assert [str(task.task) for task in history.tasks(IDS[4])] == ["ps:0"]
    history.close()


@pytest.mark.parametrize("seed", range(12))
def test_that_no_damage_gives_anything_that_was_not_there(path: Path, seed: int) -> None:
    draw = random.Random(seed)
    pages = path.stat().st_size // PAGE
    content = bytearray(damage(path, *draw.sample(range(1, pages), draw.randrange(1, 6))))
    if seed % 3 == 0:  # the file is cut as well
        del content[draw.randrange(PAGE * 4, len(content)) :]
    if seed % 4 == 1:  # single bytes of what can be read are others
        for _ in range(40):
            content[draw.randrange(PAGE, len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)
    history = History(path)
    if not history.notice:  # nothing that a quick look sees: then all of it is to be read
        history.start_anew()
    assert_sound_but_for_text(history, path)
    history.close()


def assert_sound_but_for_text(history: History, path: Path) -> None:
    """Bytes inside a text may be others, which nobody can see; all that is there can be used."""
    assert history.check() == ""
    assert len(list(path.parent.glob("*.damaged-*"))) == 1
    for run in history.runs():
        for task in history.tasks(run.run_id):
            assert len(list(history.events(run.run_id, task.task))) <= EVENTS
            history.log_bytes(run.run_id, task.task)
        history.samples(run.run_id), history.resume(run.run_id), history.remark(run.run_id)
    history.overview()


def test_that_a_history_of_the_first_version_is_taken_over(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP INDEX samples_ticks")
        for table, column in (("files", "before"), ("samples", "boot"), ("samples", "tick")):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("DROP TABLE sampled")
        db.execute("PRAGMA user_version=1")
        db.commit()
    damage(path, page_of(path, "sqlite_autoindex_events_1"))
    history = History(path)
    assert {run.run_id for run in history.runs()} == set(IDS)
    assert [len(list(history.events(run_id, W0))) for run_id in IDS] == [EVENTS] * len(IDS)
    assert [s.boot for s in history.samples(IDS[0])] == [""]
    history.close()
