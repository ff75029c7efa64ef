"""What is delivered is recorded once and told once, also while nothing can be recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.history import History, RunRecord, TaskRecord
from remote.link import FileData
from remote.session.clock import ClockView
from remote.session.follow import Follower
from remote.session.picture import RunPicture
from remote.session.tasks import Task
from remote.updates import LogUpdate, NoticeUpdate, StepsUpdate, Update
from trainer.events import Event, Steps, encode
from trainer.spec import TaskId

RUN, W0 = "20261130-1502-k3f9", TaskId("worker", 0)


class Desk:
    """A follower of one task, what it told, and what it asked for."""

    def __init__(self, path: Path) -> None:
        self.history = History(path)
        self.history.add_run(
            RunRecord(run_id=RUN, name="n", started_at=0.0),
            [TaskRecord(task=W0, node="n", root="/r")],
        )
        self.told: list[Update] = []
        self.asked = 0
        self.take_up()

    def take_up(self) -> None:
        """As a new process does."""
        picture = RunPicture(RUN, [Task(task=W0, node="n", root="/r")], 0.0)
        clock = ClockView(lambda node: 2.0)
        self.follower = Follower(self.history, picture, clock, self.ask, self.told.append)

    def ask(self) -> None:
        self.asked += 1

    def give(self, offset: int, data: bytes, *, file: str = "events", reset: bool = False) -> None:
        self.follower.take(
            FileData(run_id=RUN, task=W0, file=file, offset=offset, data=data, reset=reset)  # type: ignore[arg-type]
        )
        self.follower.flush()

    @property
    def steps(self) -> list[int]:
        return [s for u in self.told if isinstance(u, StepsUpdate) for s in u.steps]

    @property
    def notices(self) -> list[str]:
        return [u.text for u in self.told if isinstance(u, NoticeUpdate)]

    def recorded(self) -> bytes:
        return b"".join(e.raw + b"\n" for e in self.history.events(RUN, W0))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "history.db")
    yield made
    made.history.close()


def events(first: int, count: int) -> bytes:
    data = bytearray()
    for i in range(first, first + count):
        body = Steps(steps=(i,), losses=(0.5,), times=(float(i),), examples=64, window_s=0.1)
        data += encode(Event(t=float(i), seq=i, attempt=1, body=body))
    return bytes(data)


def test_that_events_are_recorded_with_their_offset_and_told_in_this_clock(desk: Desk) -> None:
    data = events(10, 3)
    desk.give(0, data[:-20])
    assert desk.follower.offsets("n") == {
        ("worker:0", "events"): data.rindex(b"\n", 0, -1) + 1,
        ("worker:0", "log"): 0,
    }
    desk.give(len(data) - 20, data[-20:])
    assert desk.steps == [10, 11, 12]
    assert [u.times[0] for u in desk.told if isinstance(u, StepsUpdate)] == [8.0, 9.0, 10.0]
    assert desk.recorded() == data


def test_that_a_new_process_goes_on_where_the_old_one_stood(desk: Desk) -> None:
    data = events(0, 10)
    desk.give(0, data[: len(data) // 2])
    desk.take_up()
    at = desk.follower.offsets("n")["worker:0", "events"]
    assert 0 < at <= len(data) // 2
    desk.give(at, data[at:])
    assert desk.steps == list(range(10))
    assert desk.recorded() == data


def test_that_a_gap_is_asked_for_again(desk: Desk) -> None:
    data = events(0, 4)
    desk.give(100, data[100:])
    assert (desk.asked, desk.steps) == (1, [])
    desk.give(0, data)
    assert desk.steps == [0, 1, 2, 3]


def test_that_a_full_disk_stops_recording_but_not_telling(desk: Desk) -> None:
    first, second, third = events(0, 50), events(50, 2000), events(2050, 5)
    desk.give(0, first)
    writer = desk.history._database._writer
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count={pages}")
    desk.give(len(first), second)
    assert desk.follower.behind
    assert desk.steps == list(range(2050)), "what cannot be recorded is still told"
    assert len([n for n in desk.notices if "not being recorded" in n]) == 1
    assert desk.recorded() == first

    writer.execute("PRAGMA max_page_count=1000000")
    desk.follower._retry_at = 0.0  # the pause is over
    desk.follower.flush()
    assert not desk.follower.behind
    assert desk.asked == 1
    assert desk.follower.offsets("n")["worker:0", "events"] == len(first)
    desk.give(len(first), second + third)
    assert desk.steps == list(range(2055)), "nothing is told twice"
    assert desk.recorded() == first + second + third
    assert len(desk.notices) == 2


def test_that_a_log_is_kept_as_bytes_and_told_as_text(desk: Desk) -> None:
    log = "größer\rnoch \x1b[31mgrößer\n".encode()
    for at in range(0, len(log), 3):
        desk.give(at, log[at : at + 3], file="log")
    desk.give(0, log, file="log")  # once more, after a reconnect
    assert desk.history.log_bytes(RUN, W0) == (0, log)
    text = "".join(u.text for u in desk.told if isinstance(u, LogUpdate))
    assert text == log.decode()


def test_that_a_replaced_file_is_noticed_and_counted(desk: Desk) -> None:
    data = events(0, 5)
    desk.give(0, data)
    desk.give(0, data[: len(data) // 2], reset=True)
    desk.give(len(data) // 2, data[len(data) // 2 :] + events(5, 2))
    assert desk.steps == list(range(7))
    assert len([n for n in desk.notices if "replaced" in n]) == 1
    assert desk.history.oddities(RUN)[W0].replaced == 1
    assert desk.recorded() == events(0, 7)


def test_that_odd_lines_are_counted_and_skipped(desk: Desk) -> None:
    desk.give(0, b"{\n" + b"\0" * 10 + b"\n" + events(0, 1) + b"not an event\n")
    assert desk.steps == [0]
    assert desk.history.oddities(RUN)[W0].odd_lines == 3
