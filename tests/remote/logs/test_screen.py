"""Log bytes to lines: what a terminal would leave on the screen, whatever the chunks."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.logs import CUT_NOTE, MAX_LINE, Screen, TaskLog
from remote.logs.colors import Style
from trainer.spec import TaskId

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def raw() -> bytes:
    parts = ("log-raw.bin", "log-raw-next.bin")
    return b"".join((FIXTURES / name).read_bytes() for name in parts)


def lines_of(data: bytes, size: int) -> tuple[list[str], str]:
    screen, lines = Screen(), []
    for start in range(0, len(data), size):
        lines += [line.text for line in screen.feed(data[start : start + size])]
    return lines, screen.current.text


def test_that_any_chunking_of_a_real_log_gives_the_same_lines(raw: bytes) -> None:
    whole = lines_of(raw, len(raw))
    assert lines_of(raw, 1) == whole
    assert lines_of(raw, 64 * 1024) == whole
    assert lines_of(raw, 7) == whole


def test_that_of_a_progress_bar_only_the_newest_state_stays(raw: bytes) -> None:
    lines, _ = lines_of(raw, 4096)
    bars = [line for line in lines if line.startswith("Epoch 1")]
    assert len(bars) == 1
    assert bars[0].startswith("Epoch 1: 100%")


def test_that_a_running_bar_shows_before_its_line_ends() -> None:
    screen = Screen()
    assert screen.feed(b"10%\r20%\r30%") == []
    assert screen.current.text == "30%"


def test_that_no_escape_is_shown_and_the_metric_is_found(raw: bytes) -> None:
    lines, current = lines_of(raw, 4096)
    text = "\n".join([*lines, current])
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert re.search(r"step 200 loss 1\.95", text)
    assert "window title" not in text
    assert "cleared" in text


def test_that_foreign_bytes_and_split_characters_are_no_error() -> None:
    screen, lines = Screen(), []
    for byte in "损失 1.8 ✓\n".encode() + b"donn\xe9es\n":
        lines += [line.text for line in screen.feed(bytes([byte]))]
    assert lines == ["损失 1.8 ✓", "donn�es"]


def test_that_a_long_line_is_cut_with_a_note_and_lines_are_bounded() -> None:
    log = TaskLog(TaskId("worker", 0), limit=10)
    log.feed("x" * 200_000 + "\n")
    assert log.rows[0].text == "x" * MAX_LINE + CUT_NOTE
    log.feed("line\n" * 1000)
    assert len(log.rows) == 10
    assert log.added == 1001


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\r\nb\r\n", ["a", "b"]),
        ("\x1b[31mred\x1b[0m\n", ["red"]),
        ("\x1b]0;title\x07text\n", ["text"]),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", ["link"]),
        ("abc\b\bX\n", ["aX"]),
        ("a\tb\n", ["a       b"]),
        ("\x9b31mC1\n", ["C1"]),
        ("evil\u202egpj.exe\n", ["evilgpj.exe"]),
        ("<b>bold</b> &amp;\n", ["<b>bold</b> &amp;"]),
        ("unfinished \x1b[3\nnext\n", ["unfinished ", "next"]),
    ],
)
def test_that_text_reads_as_on_a_terminal(written: str, shown: list[str]) -> None:
    assert lines_of(written.encode(), len(written.encode()))[0] == shown


@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=8))
def test_that_no_way_of_cutting_changes_the_lines(data: bytes, cuts: list[int]) -> None:
    screen, lines = Screen(), []
    for start, end in pairwise(sorted({0, len(data), *(min(c, len(data)) for c in cuts)})):
        lines += screen.feed(data[start:end])
    whole = Screen()
    assert (lines, screen.current) == (whole.feed(data), whole.current)


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("31", Style("1")),
        ("1;92", Style("10", bold=True)),
        ("38;5;196", Style("#ff0000")),
        ("38;5;9", Style("9")),
        ("38;5;244", Style("#808080")),
        ("38:2:1:2:3", Style("#010203")),
        ("48;5;4;32", Style("2")),
        ("4;7", Style()),
        ("38;5", Style()),
        ("999;?;", Style()),
    ],
)
def test_that_colours_become_spans_of_the_text(codes: str, style: Style) -> None:
    (line,) = Screen().feed_text(f"a\x1b[{codes}mbc\x1b[0md\n")
    assert line.text == "abcd"
    assert line.spans == ((1, 3, style),) if style != Style() else not line.spans


def test_that_a_colour_lasts_to_the_next_line_and_ends_with_what_it_coloured() -> None:
    first, second, third = Screen().feed_text("\x1b[31mred\nstill\x1b[m not\nold\rnew\n")
    assert first.spans == ((0, 3, Style("1")),)
    assert second.spans == ((0, 5, Style("1")),)
    assert (third.text, third.spans) == ("new", ())
