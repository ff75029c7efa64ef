"""Whatever is killed, cut or replaced, and in whatever order: each event arrives, and once."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from remote.history import History, RunRecord, TaskRecord
from remote.history.lines import EventAssembler
from remote.link import FileData
from remote.node.tail import Tail
from remote.session.clock import ClockView
from remote.session.follow import Follower
from remote.session.picture import RunPicture
from remote.session.tasks import Task
from remote.updates import NoticeUpdate, StepsUpdate, Update
from trainer.events import MAX_LINE_BYTES, Event, Steps, encode
from trainer.spec import TaskId

RUN, W0 = "20261130-1502-k3f9", TaskId("worker", 0)


def event(attempt: int, seq: int) -> bytes:
    step = attempt * 1000 + seq
    body = Steps(steps=(step,), losses=(0.5,), times=(float(seq),), examples=64, window_s=0.1)
    return encode(Event(t=float(seq), seq=seq, attempt=attempt, body=body))


class Desk(RuleBasedStateMachine):
    """A task that writes, an agent that reads its files, and a desktop that records them."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="clew ü "))
        self.path, self.log = (Path(self.folder, name) for name in ("events.jsonl", "log"))
        self.path.write_bytes(b"")
        self.log.write_bytes(b"")
        self.attempt, self.seq = 1, 0
        self.reached: set[int] = set()
        """Steps of every event that was in the file when the desktop looked."""
        self.written: set[int] = set()
        self.told: list[Update] = []
        self.history = History(Path(self.folder, "history.db"))
        tasks = [TaskRecord(task=W0, node="n", root="/r")]
        self.history.add_run(RunRecord(run_id=RUN, name="n", started_at=0.0), tasks)
        self.desktop_starts()

    def teardown(self) -> None:
        try:
            self.look()
            self.check()
        finally:
            for tail in self.tails.values():
                tail.close()
            self.history.close()
            shutil.rmtree(self.folder)

    def desktop_starts(self) -> None:
        picture = RunPicture(RUN, [Task(task=W0, node="n", root="/r")], 0.0)
        self.follower = Follower(
            self.history, picture, ClockView(lambda node: 0.0), lambda: None, self.told.append
        )
        self.agent_starts()

    def agent_starts(self) -> None:
        for tail in getattr(self, "tails", {}).values():
            tail.close()
        offsets, before = self.follower.places("n")
        self.tails = {
            name: Tail(str(path), offsets["worker:0", name], before["worker:0", name])
            for name, path in (("events", self.path), ("log", self.log))
        }

    def take(self, name: str, offset: int, reset: bool, data: bytes) -> None:
        file: Literal["events", "log"] = "log" if name == "log" else "events"
        self.follower.take(
            FileData(run_id=RUN, task=W0, file=file, offset=offset, data=data, reset=reset)
        )

    def write(self, data: bytes, path: Path | None = None) -> None:
        with (path or self.path).open("ab") as file:
            file.write(data)

    # -- what the task, or its node, does ------------------------------------------------------

    @rule(count=st.integers(1, 5))
    def task_writes(self, count: int) -> None:
        for _ in range(count):
            self.write(event(self.attempt, self.seq))
            self.written.add(self.attempt * 1000 + self.seq)
            self.seq += 1
        self.write(b"step \xff\xfe %d\r" % self.seq, self.log)

    @rule(part=st.floats(0.05, 0.95))
    def task_is_killed_in_a_line(self, part: float) -> None:
        line = event(self.attempt, self.seq)
        self.write(line[: max(1, int(len(line) * part))])
        self.attempt, self.seq = self.attempt + 1, 0

    @rule(size=st.sampled_from([1, 4096]))
    def node_loses_power(self, size: int) -> None:
        self.write(b"\0" * size)
        self.attempt, self.seq = self.attempt + 1, 0

    @rule(junk=st.sampled_from([b"\xff\xfe\n", b"{\n", b"[]\n", b"\n", b'{"v":1}\n']))
    def somebody_writes_a_line(self, junk: bytes) -> None:
        if self.path.read_bytes()[-1:] in (b"\n", b""):
            self.write(junk)

    @rule()
    @precondition(lambda self: self.path.stat().st_size < 1 << 20)
    def somebody_writes_a_huge_line(self) -> None:
        if self.path.read_bytes()[-1:] in (b"\n", b""):
            self.write(b"x" * (MAX_LINE_BYTES + 7) + b"\n")

    @rule(part=st.floats(0, 1), seen=st.booleans())
    def files_are_cut(self, part: float, seen: bool) -> None:
        if seen:
            self.look()
        for path in (self.path, self.log):
            os.truncate(path, int(path.stat().st_size * part))
        self.attempt, self.seq = self.attempt + 1, 0

    @rule(same=st.booleans())
    def files_are_replaced(self, same: bool) -> None:
        for path in (self.path, self.log):
            new = path.with_name("new")
            new.write_bytes(path.read_bytes() if same else b"")
            os.replace(new, path)
        if not same:
            self.attempt, self.seq = self.attempt + 1, 0

    # -- what the desktop and the agent do -----------------------------------------------------

    @rule()
    def look(self) -> None:
        self.note_reached()
        for name, tail in self.tails.items():
            while pieces := list(tail.pieces()):
                for offset, reset, data in pieces:
                    self.take(name, offset, reset, data)
                    tail.took(offset + len(data))
        self.follower.flush()

    @rule(pieces=st.integers(0, 3))
    def desktop_is_killed(self, pieces: int) -> None:
        """Some bytes had arrived; nothing of them was recorded."""
        for offset, reset, data in list(self.tails["events"].pieces())[:pieces]:
            self.take("events", offset, reset, data)
        self.desktop_starts()

    @rule()
    def agent_is_killed(self) -> None:
        self.agent_starts()

    # -- what holds ----------------------------------------------------------------------------

    def note_reached(self) -> None:
        content = self.path.read_bytes()
        placed = EventAssembler().feed(0, content)
        self.reached |= {p.event.attempt * 1000 + p.event.seq for p in placed}

    def check(self) -> None:
        recorded = [e.event.attempt * 1000 + e.event.seq for e in self.history.events(RUN, W0)]
        assert len(recorded) == len(set(recorded))
        # An agent that has a file open reads its end even where another has taken its place.
        assert self.reached <= set(recorded) <= self.written
        told = [s for u in self.told if isinstance(u, StepsUpdate) for s in u.steps]
        assert sorted(told) == sorted(recorded)
        _, log = self.history.log_bytes(RUN, W0)
        if self.log.stat().st_size:
            assert log == self.log.read_bytes()
        odd = self.history.oddities(RUN).get(W0)
        if odd is not None and odd.odd_lines:
            notices = [u.text for u in self.told if isinstance(u, NoticeUpdate)]
            assert any("could not be read" in text for text in notices)


def test_that_each_event_arrives_once_whatever_happens() -> None:
    run_state_machine_as_test(
        Desk,
        settings=settings(
            max_examples=30,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("grown", [False, True])
def test_that_a_file_that_was_replaced_while_nobody_looked_is_read_from_its_start(
    tmp_path: Path, grown: bool
) -> None:
    path = tmp_path / "log ü.txt"
    path.write_bytes(b"the first file\n" * 10)
    path.write_bytes(b"another\n" * (50 if grown else 2))
    tail = Tail(str(path), 150, b"the first file\n" * 4)
    pieces = list(tail.pieces())
    tail.close()
    assert pieces[0][:2] == (0, True)
    assert b"".join(data for _, _, data in pieces) == path.read_bytes()


def test_that_a_file_which_is_still_the_same_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"0123456789")
    tail = Tail(str(path), 4, b"123")
    assert list(tail.pieces()) == [(4, False, b"456789")]
    path.write_bytes(b"0123456789")  # the same bytes in the same place
    path.open("ab").close()
    assert list(tail.pieces()) == []
    with path.open("r+b") as file:  # cut and grown again between two looks
        file.truncate(0)
        file.write(b"abcdefghijklmn")
    assert list(tail.pieces()) == [(0, True, b""), (0, False, b"abcdefghijklmn")]
    tail.close()


def test_that_what_is_written_to_a_removed_file_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with path.open("ab", buffering=0) as file:
        file.write(b"one")
        tail = Tail(str(path), 0)
        assert list(tail.pieces()) == [(0, False, b"one")]
        path.unlink()
        file.write(b" two")
        assert list(tail.pieces()) == [(3, False, b" two")]
    path.write_bytes(b"new")
    assert list(tail.pieces()) == [(0, True, b""), (0, False, b"new")]
    tail.close()
