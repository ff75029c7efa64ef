"""The newest events of a task are found at the end of its file, whatever else is there."""

from __future__ import annotations

import json
from pathlib import Path

from remote.node.latest import finished, latest


def line(kind: str, number: int) -> str:
    return json.dumps({"type": kind, "seq": number})


def test_that_the_last_phase_and_the_last_steps_are_told_in_order(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    kinds = ["started", "phase", "steps", "phase", "steps", "notice"]
    lines = [line(kind, number) for number, kind in enumerate(kinds)]
    path.write_text("\n".join([*lines, "[]", "\x00 odd", line("steps", 99)]))
    assert latest(str(path)) == [lines[3], lines[4]], "the last line is not whole yet"


def test_that_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    end = line("steps", 1)
    path.write_text(line("phase", 0) + "\n" + "x" * 1_000_000 + "\n" + end + "\n")
    assert latest(str(path)) == [end]
    assert latest(str(tmp_path / "none")) == []


def test_that_work_is_done_when_the_last_attempt_says_so_last(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    done = json.dumps({"type": "finished", "attempt": 2})
    path.write_text(line("steps", 1) + "\n" + done + "\n" + '{"type": "sta')
    assert finished(str(path), 2)
    assert not finished(str(path), 3), "another attempt has begun since"
    path.write_text(done + "\n" + line("started", 0) + "\n")
    assert not finished(str(path), 2)
    assert not finished(str(tmp_path / "none"), 1)
