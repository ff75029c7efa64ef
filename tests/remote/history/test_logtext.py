"""A log looks as a terminal would show it, however its bytes are cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.history import LogText
from remote.history.logtext import CUT, MAX_LINE

FIXTURES = Path(__file__).parents[2] / "fixtures"
RAW = (FIXTURES / "log-raw.bin").read_bytes()
NEXT = (FIXTURES / "log-raw-next.bin").read_bytes()


def shown(data: bytes, chunk: int) -> list[str]:
    text = LogText()
    for at in range(0, len(data), chunk):
        text.feed(data[at : at + chunk])
    return text.lines()


def test_that_of_a_progress_bar_only_the_newest_state_is_kept() -> None:
    lines = shown(RAW, 1 << 16)
    bars = [line for line in lines if line.startswith("Epoch")]
    assert len(bars) == 1
    assert "100%" in bars[0]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1 << 16])
def test_that_the_pieces_do_not_matter(chunk: int) -> None:
    lines = shown(RAW + NEXT, chunk)
    assert lines == shown(RAW + NEXT, len(RAW))
    assert not any(c in line for line in lines for c in "\x1b\r\x07\x00")
    assert any("step 200 loss 1.95" in line for line in lines)
    assert any("█ done" in line for line in lines), "a character split over two pieces is joined"
    assert all(len(line) <= MAX_LINE + len(CUT) for line in lines)


@given(st.binary(max_size=200), st.integers(1, 7))
def test_that_any_bytes_are_shown_without_control_characters(data: bytes, chunk: int) -> None:
    for line in shown(data, chunk):
        assert not any(ord(c) < 32 and c != "\t" for c in line)


def test_that_lines_end_as_windows_writes_them_too() -> None:
    assert shown(b"one\r\ntwo\r\n", 1) == ["one", "two"]


def test_that_the_view_keeps_the_newest_lines() -> None:
    text = LogText(limit=3)
    text.feed(b"".join(b"%d\n" % i for i in range(10)))
    assert text.lines() == ["7", "8", "9"]
