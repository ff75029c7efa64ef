"""Files are hashed right, and only once while they stay as they are."""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from remote.errors import Cancelled
from remote.hashing import Hashing, KnownDigests
from remote.pace import Pace


def old_file(path: Path, data: bytes) -> Path:
    """A file that has been as it is for a while: change times cannot be set, so it waits."""
    path.write_bytes(data)
    return path


def settle() -> None:
    time.sleep(2.2)


def read_bytes(files: list[Path], known: KnownDigests | None) -> tuple[list[str], int]:
    """Digests, and how many steps of progress reading them took."""
    steps: list[int] = []
    hashing = Hashing(known, lambda done, total: steps.append(done))
    found = hashing.all([(file.name, file) for file in files])
    return [file.sha256 for file in found], len(steps)


def test_that_a_known_file_is_not_read_again_until_it_changes(tmp_path: Path) -> None:
    data = os.urandom(5_000_000)
    file = old_file(tmp_path / "ü 'x'", data)
    settle()
    with closing(KnownDigests(tmp_path / "d.db")) as known:
        first, blocks = read_bytes([file], known)
    assert first == [hashlib.sha256(data).hexdigest()]
    assert blocks > 1
    with closing(KnownDigests(tmp_path / "d.db")) as known:
        assert read_bytes([file], known) == (first, 1)
        times = file.stat()
        file.write_bytes(data[::-1])
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        again, blocks = read_bytes([file], known)
        assert again == [hashlib.sha256(data[::-1]).hexdigest()]
        assert blocks > 1


def test_that_a_file_that_has_just_changed_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remote.hashing._SETTLED_S", 3600.0)  # however long the test takes
    file = tmp_path / "new"
    with closing(KnownDigests(tmp_path / "d.db")) as known:
        file.write_bytes(os.urandom(3_000_000))
        read_bytes([file], known)
        assert known.get(file, file.stat()) is None


@pytest.mark.parametrize("content", [b"no database" * 1000, b""])
def test_that_a_memory_that_cannot_be_used_is_as_good_as_none(
    tmp_path: Path, content: bytes
) -> None:
    database = tmp_path / "d.db"
    database.write_bytes(content)
    file = old_file(tmp_path / "f", b"x")
    with closing(KnownDigests(database)) as known:
        assert read_bytes([file], known)[0] == [hashlib.sha256(b"x").hexdigest()]
    with closing(KnownDigests(tmp_path / "f" / "below a file")) as known:
        assert read_bytes([file], known)[0] == [hashlib.sha256(b"x").hexdigest()]


def test_that_reading_can_be_stopped(tmp_path: Path) -> None:
    files = [old_file(tmp_path / str(i), b"x" * 3_000_000) for i in range(8)]
    steps: list[int] = []
    hashing = Hashing(None, lambda done, total: steps.append(done), lambda: len(steps) > 3)
    with pytest.raises(Cancelled):
        hashing.all([(file.name, file) for file in files])
    assert len(steps) < 12


def test_that_the_pace_is_that_of_the_last_seconds() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert pace.rate(0) is None
    rates = []
    for second in range(1, 41):
        now[0] = float(second)
        rates.append(pace.rate(second * 100 if second <= 20 else 2000 + (second - 20) * 10))
    assert rates[19] == pytest.approx(100)
    assert rates[-1] == pytest.approx(10)
    assert pace.rate(0) is None  # it began anew
