"""The event file: whole lines in order, and a full disk that costs events, never the training."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.cluster import LIMIT_S, REPOSITORY
from trainer.events import Event, Failed, Notice, Steps, decode
from trainer.sink import EventSink

ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from trainer.events import Notice, Steps
from trainer.sink import EventSink

def steps(*numbers):
    ones = tuple(1.0 for _ in numbers)
    return Steps(steps=numbers, losses=ones, times=ones, examples=64, window_s=0.1)

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

path = Path(sys.argv[1])
with EventSink(path, 1) as sink:
    sink.emit(steps(1, 2))
    limit(path.stat().st_size + 30)   # room for a part of the next line
    for first in range(3, 23, 2):
        sink.emit(steps(first, first + 1))
    sink.emit(Notice(level="info", text="kept"))
    limit(resource.RLIM_INFINITY)
    sink.emit(steps(23, 24))
    sink.emit(steps(25, 26))
"""


def read(path: Path) -> list[Event]:
    return [decode(line) for line in path.read_bytes().splitlines()]


def notice(text: str) -> Notice:
    return Notice(level="info", text=text)


def test_that_events_are_numbered_lines_of_their_attempt(weird_path: Path) -> None:
    path = weird_path / "events.jsonl"
    for attempt in (1, 2):
        with EventSink(path, attempt) as sink:
            sink.emit(notice("a"))
            sink.emit(notice("b\nc"))
    assert [(e.attempt, e.seq) for e in read(path)] == [(1, 0), (1, 1), (2, 0), (2, 1)]


def test_that_a_line_cut_by_a_crash_does_not_swallow_the_next_one(weird_path: Path) -> None:
    path = weird_path / "events.jsonl"
    path.write_bytes(b'{"v":1,"type":"ste')
    with EventSink(path, 2) as sink:
        sink.emit(notice("here"))
    _, line = path.read_bytes().splitlines()
    assert decode(line).body == notice("here")


def test_that_threads_never_mix_their_lines(weird_path: Path) -> None:
    path = weird_path / "events.jsonl"
    with EventSink(path, 1) as sink:

        def write(text: str) -> None:
            for _ in range(50):
                sink.emit(notice(text))

        threads = [threading.Thread(target=write, args=(f"{n}" * 500,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [event.seq for event in read(path)] == list(range(200))


def test_that_a_full_disk_is_told_once_and_training_goes_on(weird_path: Path) -> None:
    path = weird_path / "events.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, str(path)],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    events = read(path)
    assert [event.seq for event in events] == list(range(len(events)))
    numbers = [e.body.steps for e in events if isinstance(e.body, Steps)]
    assert numbers == [(1, 2), (3, 4), (23, 24), (25, 26)]  # 3 and 4 were on disk in part
    texts = [e.body.text for e in events if isinstance(e.body, Notice)]
    assert len(texts) == 2
    assert "metrics stopped at step 4" in texts[0]
    assert "18 steps" in texts[0]
    assert texts[1] == "kept"


def test_that_a_disk_without_any_room_raises_nothing() -> None:
    with EventSink(Path("/dev/full"), 1) as sink:
        for _ in range(3):
            sink.emit(Failed(reason="the sink takes it all the same"))


def test_that_a_line_is_one_json_object(weird_path: Path) -> None:
    path = weird_path / "events.jsonl"
    with EventSink(path, 3) as sink:
        sink.emit(notice("数据"))
    line: dict[str, Any] = json.loads(path.read_bytes())
    assert (line["v"], line["attempt"], line["text"]) == (1, 3, "数据")


WITHOUT_ROOM = """
import os, subprocess, sys
from pathlib import Path
from trainer.events import Notice, Steps
from trainer import sink as sinks
from trainer.output import survive_full_disk

disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", sys.argv[2], "tmpfs", disk], check=True)
if sys.argv[3]:
    subprocess.run(["mount", "-o", "remount," + sys.argv[3], disk], check=True)
sinks.BACKLOG = 5
sink = sinks.EventSink(disk / "events.jsonl", 1)
sink._backlog = type(sink._backlog)(maxlen=5)
for n in range(12):
    sink.emit(Notice(level="info", text=str(n)))
assert not os.listdir(disk), "nothing half-made"
subprocess.run(["mount", "-o", "remount,rw,nr_inodes=100", disk], check=True)
sink.emit(Notice(level="info", text="12"))
sink.close()
print((disk / "events.jsonl").read_text())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")
@pytest.mark.parametrize(
    ("options", "remount", "why"),
    [("nr_inodes=1", "", "disk full"), ("size=64k", "ro", "the disk became read-only")],
)
def test_that_events_are_kept_while_the_file_cannot_even_be_made(
    weird_path: Path, options: str, remount: str, why: str
) -> None:
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", WITHOUT_ROOM, weird_path, options, remount],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    found = [decode(line).body for line in done.stdout.splitlines() if line]
    texts = [body.text for body in found if isinstance(body, Notice)]
    assert texts[1:] == ["7", "8", "9", "10", "11", "12"]
    assert f"metrics stopped before the first step, {why} on " in texts[0]
    assert texts[0].endswith("0 steps are missing from the charts, and 7 other events are lost")


def test_that_printing_to_a_full_disk_raises_nothing() -> None:
    code = (
        "import sys; from trainer.output import survive_full_disk; survive_full_disk(); "
        "print('lost', flush=True); print('lost', file=sys.stderr); sys.exit(7)"
    )
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=REPOSITORY, stdout=full, stderr=full, timeout=LIMIT_S
        )
    assert done.returncode == 7


def test_that_printing_comes_through_as_ever() -> None:
    code = (
        "import sys; from trainer.output import survive_full_disk; survive_full_disk(); "
        "print('ü'); print('\\udcff', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, timeout=LIMIT_S
    )
    assert (done.stdout.decode(), done.stderr) == ("ü\n", b"\\udcff\n")
