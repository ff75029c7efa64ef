"""A byte channel over files: segments, positions, whom it serves, and what it leaves."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.node.refused import Refused
from remote.node.slurm import mail_files, mailbox
from remote.node.slurm.mail_client import MailProcess, why_not_served
from tests.support.waiting import PATIENCE_S, until


@pytest.fixture
def served(weird_path: Path) -> Iterator[Path]:
    """A folder that is served by a thread, as the keeper of a job does it."""
    folder, stop = weird_path / "slurm" / "mail" / "gpu001", threading.Event()
    thread = threading.Thread(target=mailbox.serve, args=(str(folder), stop))
    thread.start()
    try:
        until((folder / "served.json").exists)
        yield folder
    finally:
        stop.set()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert list(folder.iterdir()) == []


def _read_all(process: MailProcess) -> bytes:
    pieces = []
    while piece := os.read(process.stdout, 1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def _end(process: MailProcess) -> None:
    process.hang_up()
    assert process.wait(PATIENCE_S)
    os.close(process.stdin)
    os.close(process.stdout)


def test_that_a_process_answers_and_its_call_is_cleaned_up(served: Path) -> None:
    assert why_not_served(str(served), PATIENCE_S) == ""
    process = MailProcess(str(served), 'echo "it\'s up"; echo complaint >&2; read line; echo $line')
    os.write(process.stdin, b"hello\n")
    assert _read_all(process) == b"it's up\nhello\n"
    assert process.said() == "complaint\n"
    assert process.lost == ""
    _end(process)
    until(lambda: not list(served.glob("c-*")))


def test_that_segments_follow_each_other_and_old_ones_are_removed(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_files, "SEGMENT_BYTES", 100_003)
    data = os.urandom(700_000)
    process = MailProcess(str(served), "exec cat")
    writer = threading.Thread(target=_write_all, args=(process.stdin, data))
    writer.start()
    got = b""
    while len(got) < len(data):
        got += os.read(process.stdout, 1 << 16)
    writer.join()
    assert got == data
    (call,) = served.glob("c-*")
    until(lambda: [path.suffix for path in call.glob("out.*")] == [".6"])
    until(lambda: [path.suffix for path in call.glob("in.*")] == [".6"])
    _end(process)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def test_that_a_slow_reader_keeps_the_disk_small(served: Path) -> None:
    process = MailProcess(str(served), "exec head -c 20000000 /dev/zero")
    until(lambda: _size(served) >= mail_files.WINDOW_BYTES)
    assert _size(served) <= mail_files.WINDOW_BYTES + mail_files.SEGMENT_BYTES
    assert len(_read_all(process)) == 20_000_000
    _end(process)


def _size(served: Path) -> int:
    return sum(path.stat().st_size for path in served.glob("c-*/out.*"))


def test_that_the_reader_never_looks_beyond_what_was_said(tmp_path: Path) -> None:
    writer = mail_files.Writer(str(tmp_path), "out")
    reader = mail_files.Reader(str(tmp_path), "out")
    assert reader.read(10) == b""
    writer.write(b"0123456789")
    assert reader.read(0) == b""
    assert reader.read(4) == b"0123"
    assert reader.read(10) == b"456789"
    assert reader.took == writer.wrote == 10


def test_that_a_client_that_is_gone_takes_its_process_along(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_files, "DEAD_S", 0.5)
    call = served / "c-1234"
    made = served / ".new-1234"
    made.mkdir(mode=0o700)
    (made / "call.json").write_text('{"command": "echo $$; sleep 600"}')
    made.rename(call)
    until(lambda: not call.exists())


@pytest.mark.parametrize("call", ["", "{", '{"command": 7}', '{"command": "a\\u0000b"}', "[]"])
def test_that_a_call_that_makes_no_sense_is_removed(served: Path, call: str) -> None:
    made = served / ".new-77"
    made.mkdir(mode=0o700)
    (made / "call.json").write_text(call)
    made.rename(served / "c-77")
    until(lambda: not (served / "c-77").exists())


def test_that_only_the_accounts_own_closed_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    folder = tmp_path / "mail" / "gpu001"
    folder.mkdir(mode=0o700)
    folder.chmod(0o750)
    with pytest.raises(Refused, match="others may enter"):
        mailbox.serve(str(folder), threading.Event())
    with pytest.raises(Refused, match="others may enter"):
        MailProcess(str(folder), "true")
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="not a folder of this account"):
        mailbox.serve(str(folder), threading.Event())


def test_that_a_folder_that_nobody_serves_is_seen_as_such(tmp_path: Path) -> None:
    assert "has made no folder" in why_not_served(str(tmp_path / "none"), 0.1)
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    (folder / "served.json").write_text('{"pid": 1, "beat": 7}')
    assert "no sign of life" in why_not_served(str(folder), 0.3)
