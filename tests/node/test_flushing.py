"""Files that are flushed several at a time are noted one after another."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from remote.node.flushing import GROUP, MOST_WAITING, Flushing
from remote.node.parts import Part
from tests.support.waiting import PATIENCE_S, until


def part_in(folder: Path) -> Part:
    part = Part.open(str(folder), "a" * 64)
    assert part is not None
    return part


def written(part: Part, name: str) -> int:
    path = Path(part.path, name)
    path.write_bytes(b"1234")
    return os.open(path, os.O_RDWR)


def test_that_a_slow_flush_holds_up_the_notes_of_the_next_but_not_their_flush(
    weird_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, flushed = threading.Event(), list[int]()
    part = part_in(weird_path)
    names = [f"{number:02}" for number in range(2 * GROUP)]
    fds = [written(part, name) for name in names]

    def slow(fd: int) -> None:
        if fd == fds[0]:
            assert go_on.wait(PATIENCE_S)
        flushed.append(fd)

    monkeypatch.setattr(os, "fsync", slow)
    files = Flushing(part)
    for fd, name in zip(fds, names, strict=True):
        files.finish(fd, name, 4)
    until(lambda: flushed == fds[GROUP:])
    assert part.finished == []
    go_on.set()
    files.begin("large", 1 << 20)  # what is noted of it comes after all before it
    assert part.finished == [(name, 4) for name in names]
    files.close()
    part.close()
    again = part_in(weird_path)
    assert again.finished == [(name, 4) for name in names]
    again.close()


def test_that_no_more_files_than_that_wait_for_a_slow_disk(
    weird_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, part = threading.Event(), part_in(weird_path)
    monkeypatch.setattr(os, "fsync", lambda fd: go_on.wait(PATIENCE_S))
    files, taken = Flushing(part), list[str]()

    def finish_many() -> None:
        for number in range(2 * MOST_WAITING):
            files.finish(written(part, f"{number}"), f"{number}", 4)
            taken.append(f"{number}")

    writer = threading.Thread(target=finish_many)
    writer.start()
    until(lambda: len(taken) == MOST_WAITING - 1)
    writer.join(0.2)
    assert len(taken) == MOST_WAITING - 1
    go_on.set()
    writer.join(PATIENCE_S)
    files.close()
    assert len(part.finished) == 2 * MOST_WAITING
    part.close()


def test_that_nothing_is_noted_from_a_file_on_that_the_disk_refused(
    weird_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = part_in(weird_path)
    fds = [written(part, name) for name in ("a", "b", "c")]

    def full(fd: int) -> None:
        if fd == fds[1]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    files = Flushing(part)

    def finish_all() -> None:
        for fd, name in zip(fds, ("a", "b", "c"), strict=True):
            files.finish(fd, name, 4)
        files.wait()

    with pytest.raises(OSError, match="No space left"):
        finish_all()
    files.close()
    part.close()
    again = part_in(weird_path)
    assert again.finished == [("a", 4)]
    again.close()
