"""Log bytes to lines: what a terminal would leave on the screen, whatever the chunks."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.logtext import CUT_NOTE, MAX_LINE, LogLines

FIXTURES = Path(__file__).parent.parent / "fixtures" / "gui"


@pytest.fixture
def raw() -> bytes:
    parts = ("log-raw.bin", "log-raw-next.bin")
    return b"".join((FIXTURES / name).read_bytes() for name in parts)


def lines_of(data: bytes, size: int) -> tuple[list[str], str]:
    log = LogLines()
    for start in range(0, len(data), size):
        log.feed(data[start : start + size])
    return list(log.lines), log.current


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
    log = LogLines()
    log.feed(b"10%\r20%\r30%")
    assert log.current == "30%"
    assert not log.lines


def test_that_no_escape_is_shown_and_the_metric_is_found(raw: bytes) -> None:
    lines, current = lines_of(raw, 4096)
    text = "\n".join([*lines, current])
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert re.search(r"step 200 loss 1\.95", text)
    assert "window title" not in text
    assert "cleared" in text


def test_that_foreign_bytes_and_split_characters_are_no_error() -> None:
    log = LogLines()
    for byte in "损失 1.8 ✓\n".encode():
        log.feed(bytes([byte]))
    log.feed(b"donn\xe9es\n")
    assert list(log.lines) == ["损失 1.8 ✓", "donn�es"]


def test_that_a_long_line_is_cut_with_a_note_and_lines_are_bounded() -> None:
    log = LogLines(limit=10)
    log.feed(b"x" * 200_000 + b"\n")
    assert log.lines[0] == "x" * MAX_LINE + CUT_NOTE
    log.feed(b"line\n" * 1000)
    assert len(log.lines) == 10
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
    log = LogLines()
    log.feed(written.encode())
    assert list(log.lines) == shown


@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=8))
def test_that_no_way_of_cutting_changes_the_lines(data: bytes, cuts: list[int]) -> None:
    log = LogLines()
    for start, end in pairwise(sorted({0, len(data), *(min(c, len(data)) for c in cuts)})):
        log.feed(data[start:end])
    assert (list(log.lines), log.current) == lines_of(data, max(1, len(data)))
