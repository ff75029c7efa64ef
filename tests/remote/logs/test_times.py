"""Lines of all tasks are put in order by when they were written, as far as that can be known."""

from __future__ import annotations

import calendar
import json
from pathlib import Path

import pytest

from remote.history import by_time
from remote.history.logtext import rising
from remote.logs import LineLevel, TaskLog, level_of, merged, time_text
from remote.logs.stamps import epoch_stamp, local_stamp, zone_s
from trainer.spec import TaskId

W0, W1 = TaskId("worker", 0), TaskId("worker", 1)
NOON = calendar.timegm((2026, 11, 30, 12, 0, 0, 0, 0, 0))
CLOCKS = json.loads((Path(__file__).parents[2] / "fixtures/gui/times.json").read_text())


@pytest.mark.parametrize(
    ("line", "t"),
    [
        ("I0000 00:00:1796073486.510480   15824 port.cc:153] x", 1796073486.51048),
        ("2026-11-30 12:00:00,250Z INFO x", NOON + 0.25),
        ("2026-11-30T14:00:00+02:00 x", NOON),
        ("2026-11-30 07:00:00-0500 x", NOON),
        ("2026-11-30 12:00:00.250: W tensorflow/x.cc:1] x", None),
        ("step 3 at 2026-11-30 12:00:00Z", None),
    ],
)
def test_that_a_line_that_says_its_time_without_doubt_is_believed(
    line: str, t: float | None
) -> None:
    assert epoch_stamp(line) == (pytest.approx(t) if t is not None else None)


@pytest.mark.parametrize("zone", [-12.0, -3.5, 0.0, 1.0, 5.75, 12.75, 14.0])
def test_that_the_nodes_zone_follows_from_when_the_task_began(zone: float) -> None:
    for late in (0.0, 3.0, 600.0, 890.0):
        assert zone_s(NOON + late + zone * 3600, NOON) == zone * 3600
    assert zone_s(NOON + 40 * 3600, NOON) is None
    assert local_stamp("2026-11-30 12:00:00.25: I x") == NOON + 0.25


def test_that_a_line_without_a_time_is_bounded_by_what_is_known() -> None:
    log = TaskLog(W0)
    log.feed("first\n", NOON + 1.0)
    log.feed(
        "second\n2026-11-30 13:00:04.500: I tensorflow/x.cc:1] third\nfourth\n",
        NOON + 9.0,
        begun=NOON,
    )
    found = [(row.text[:6], row.t, row.exact) for row in log.rows]
    assert found == [
        ("first", NOON + 1.0, False),
        ("second", NOON + 4.5, False),
        ("2026-1", NOON + 4.5, True),
        ("fourth", NOON + 9.0, False),
    ]
    assert time_text(log.rows[2]).endswith(":04.500")
    assert time_text(log.rows[0]).startswith("by ")


def test_that_times_never_go_back_within_a_task() -> None:
    log = TaskLog(W0)
    log.feed("plain\n", NOON + 60.0)
    log.feed(f"I0000 00:00:{NOON + 5}.000000 1 x.cc:1] earlier\nlater\n", NOON + 61.0, begun=NOON)
    assert [row.t for row in log.rows] == [NOON + 60.0, NOON + 60.0, NOON + 61.0]
    assert not log.rows[1].exact, "it was handed out after another"
    whole = TaskLog(W0)
    text = f"plain\nI0000 00:00:{NOON + 5}.000000 1 x.cc:1] earlier\nlater\n"
    whole.feed(text, NOON + 60.0, begun=NOON)
    assert [row.t for row in whole.rows] == [NOON + 5.0, NOON + 5.0, NOON + 60.0]


def test_that_a_time_that_cannot_be_is_not_believed() -> None:
    log = TaskLog(W0)
    text = f"I0000 00:00:{NOON - 900}.0 1 x.cc:1] old\nI0000 00:00:{NOON + 900}.0 1 x.cc:1] new\n"
    log.feed(text, NOON + 5.0, begun=NOON)
    assert [(row.t, row.exact) for row in log.rows] == [(NOON + 5.0, False)] * 2


def test_that_a_change_to_winter_time_is_followed() -> None:
    begun = CLOCKS["points"][0][0]  # 02:00 in summer time, an hour before the clocks go back
    log = TaskLog(W0)
    minute = 60
    for local, after in (
        ("02:10", 10),
        ("02:59", 59),
        ("02:01", 61),
        ("02:58", 118),
        ("03:05", 125),
    ):
        log.feed(f"2024-10-27 {local}:00 INFO x\n", begun + after * minute + 1.0, begun=begun)
    assert [row.t for row in log.rows] == [begun + m * minute for m in (10, 59, 61, 118, 125)]


@pytest.mark.parametrize(("node", "offset"), sorted(CLOCKS["node_clocks"].items()))
def test_that_clocks_that_differ_are_put_right_before_lines_are_merged(
    node: str, offset: float
) -> None:
    right, wrong = TaskLog(W0), TaskLog(W1)
    for second in range(5):
        at = NOON + second
        right.feed(f"I0000 00:00:{at}.000000 1 x.cc:1] a{second}\n", at + 0.2, begun=NOON)
        stamp = f"{at + 0.5 + offset:.6f}"
        line = f"I0000 00:00:{stamp} 1 x.cc:1] b{second}\n"
        wrong.feed(line, at + 0.7, shift_s=-offset, begun=NOON)
    order = [row.text[-2:] for row in merged((right.all(), wrong.all()))]
    assert order == [f"{task}{second}" for second in range(5) for task in "ab"], node


def test_that_rows_without_times_stay_in_their_order() -> None:
    log, other = TaskLog(W0), TaskLog(W1)
    log.feed("one\ntwo\n")
    other.feed("three\n", NOON)
    assert [row.text for row in merged((other.all(), log.all()))] == ["one", "two", "three"]


def test_that_a_note_does_not_move_the_count_of_lines() -> None:
    log = TaskLog(W0)
    log.feed("one\n", NOON)
    log.note("stopped on request", NOON + 1)
    log.feed("two\nunfinished", NOON + 2)
    assert [(row.number, row.text) for row in log.rows] == [
        (0, "one"),
        (1, "stopped on request"),
        (1, "two"),
    ]
    assert [row.text for row in log.newest(2)] == ["stopped on request", "two"]
    tail = log.tail()
    assert tail is not None
    assert (tail.text, tail.number) == ("unfinished", 2)


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("2026-11-30 10:00:00.1: W tensorflow/core/x.cc:12] odd", "warning"),
        ("E0000 00:00:1738697930.202924    7665 cuda_dnn.cc:522] Loaded", "error"),
        ("F1130 10:00:00.000000  7 x.cc:74] Check failed: ret == 0", "error"),
        ("INFO:tensorflow:Restoring parameters", "info"),
        ("WARNING:tensorflow:From x.py: deprecated", "warning"),
        ("2024-05-01 10:00:00,123 - root - ERROR - it broke", "error"),
        ("2024-05-01 10:00:00 DEBUG details", "debug"),
        ("[WARNING] low", "warning"),
        ("train.py:12: DeprecationWarning: old", "warning"),
        ("keras.errors.OddError: message", "error"),
        ("Traceback (most recent call last):", "error"),
        ("step 12 error 0.3", "info"),
        ("Error rate: 0.3", "info"),
        ("INFORMATION about errors", "info"),
        ("", "info"),
    ],
)
def test_that_the_level_is_what_the_program_marked(line: str, level: LineLevel) -> None:
    assert level_of(line) == level


def test_that_all_of_a_traceback_is_an_error() -> None:
    log = TaskLog(W0)
    log.feed("a\nTraceback (most recent call last):\n  File 'x'\n    f()\nValueError: no\nb\n")
    levels = [row.level for row in log.rows]
    assert levels == ["info", "error", "error", "error", "error", "info"]


def test_that_recorded_bytes_are_cut_where_another_time_holds() -> None:
    times = rising([(4, 1.0), (4, 2.0), (9, 3.0)])
    assert times == [(4, 1.0), (9, 3.0)]
    pieces = list(by_time(2, b"abcdefghij", times))
    assert pieces == [(2, b"ab", 1.0), (4, b"cdefg", 3.0), (9, b"hij", None)]
    assert list(by_time(20, b"", times)) == []
    assert list(by_time(20, b"x", times)) == [(20, b"x", None)]
