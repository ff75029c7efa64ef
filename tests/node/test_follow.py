"""Bytes that tasks write arrive once each, in order, from any offset, and soon."""

import os
import statistics
import time
from pathlib import Path

import pytest

from remote.link import AgentLink, DrainedData, FileData, NoteData, StreamItem
from remote.node import record, wire
from remote.node.layout import component
from remote.node.tail import Tail
from tests.support.local_node import LocalNode
from tests.support.waiting import PATIENCE_S, SLACK, until

SLEEP = "import time\ntime.sleep(3600)\n"


def make_task(node: LocalNode, task: str = "worker-0") -> Path:
    """A task's folder whose files the test writes itself."""
    folder = Path(node.root, "runs", "r%201", component(node.name), task)
    folder.mkdir(parents=True)
    return folder


def follow(link: AgentLink, node: LocalNode, offset: int = 0) -> None:
    link.follow(root=node.root, run_id="r 1", offsets={("worker:0", "log"): offset})


def test_that_growing_files_arrive_byte_for_byte(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    follow(found.link, node)
    wanted = b""
    with open(folder / "events.jsonl", "ab", buffering=0) as events:
        for i in range(200):
            piece = os.urandom(i * 37 % 5000) + b"\n"
            events.write(piece)
            wanted += piece
    until(lambda: len(found.bytes_of("worker:0", "events")) == len(wanted))
    assert found.bytes_of("worker:0", "events") == wanted


def test_that_following_resumes_at_an_offset_after_the_agent_was_killed(node: LocalNode) -> None:
    folder, first = make_task(node), node.connect()
    content = os.urandom(300_000)
    (folder / "log.txt").write_bytes(content)
    follow(first.link, node)
    until(lambda: len(first.bytes_of("worker:0", "log")) > 100_000)
    os.kill(first.link.hello.pid, 9)
    assert first.closed.wait(PATIENCE_S)
    had = first.bytes_of("worker:0", "log")
    with open(folder / "log.txt", "ab") as log:
        log.write(b"more")
    second = node.connect()
    follow(second.link, node, len(had))
    wanted = (content + b"more")[len(had) :]
    until(lambda: len(second.bytes_of("worker:0", "log", len(had))) == len(wanted))
    assert had + second.bytes_of("worker:0", "log", len(had)) == content + b"more"


def test_that_a_cut_file_is_sent_anew(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    log = folder / "log.txt"
    log.write_bytes(b"long first content")
    follow(found.link, node)
    until(lambda: found.bytes_of("worker:0", "log") == b"long first content")
    log.write_bytes(b"short")
    until(lambda: found.bytes_of("worker:0", "log") == b"short")
    assert any(isinstance(item, FileData) and item.reset for item in found.items)


def test_that_a_replaced_file_is_first_read_to_its_end(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    log = folder / "log.txt"
    log.write_bytes(b"one")
    follow(found.link, node)
    until(lambda: found.bytes_of("worker:0", "log") == b"one")
    with open(log, "ab") as old:
        old.write(b" two")
    log.rename(folder / "log.txt.1")
    log.write_bytes(b"a new file that is longer")
    until(lambda: found.bytes_of("worker:0", "log") == b"a new file that is longer")
    sent = b"".join(i.data for i in found.items if isinstance(i, FileData) and i.file == "log")
    assert sent == b"one two" + b"a new file that is longer"


def test_that_an_offset_beyond_the_file_means_it_was_cut(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    (folder / "log.txt").write_bytes(b"new")
    follow(found.link, node, 1000)
    until(lambda: found.bytes_of("worker:0", "log", 1000) == b"new")


def test_that_no_more_than_the_window_is_read_ahead_of_a_slow_desktop(tmp_path: Path) -> None:
    path = tmp_path / "log ü"
    content = os.urandom(1_000_000)
    path.write_bytes(content)
    tail, got = Tail(str(path), 0), b""

    def read() -> int:
        nonlocal got
        got += b"".join(data for _, _, data in tail.pieces())
        return len(got)

    assert read() == wire.FOLLOW_WINDOW_BYTES
    assert read() == wire.FOLLOW_WINDOW_BYTES
    tail.took(100_000)
    assert read() == wire.FOLLOW_WINDOW_BYTES + 100_000
    assert not tail.is_drained()
    while len(got) < len(content):
        tail.took(len(got))
        read()
    assert got == content
    assert tail.is_drained()
    tail.close()


def test_that_a_desktop_that_is_busy_delays_bytes_but_loses_none(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    content = os.urandom(1_000_000)
    (folder / "log.txt").write_bytes(content)
    found.pause_s = 0.02
    follow(found.link, node)
    until(lambda: len(found.bytes_of("worker:0", "log")) == len(content))
    assert found.bytes_of("worker:0", "log") == content


def test_that_a_line_is_here_soon_in_the_median(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    follow(found.link, node)
    delays = []
    with open(folder / "events.jsonl", "ab", buffering=0) as events:
        for i in range(40):
            time.sleep(0.035 + i % 7 * 0.01)
            before, count = time.time(), len(found.items)
            events.write(b"a line\n")
            until(lambda count=count: len(found.items) > count)  # type: ignore[misc]
            delays.append(found.arrived[count] - before)
    assert statistics.median(delays) < 0.06 * SLACK  # 60 ms on a quiet machine


def test_that_a_final_state_comes_after_all_bytes_and_death_is_noticed(node: LocalNode) -> None:
    found = node.connect()
    node.deploy(found.link)
    program = "print('y' * 1000000)"
    found.link.start_task(node.launch(program))
    found.link.follow(root=node.root, run_id="r-1", offsets={})
    until(lambda: any(s.state["state"] in record.FINAL for s in found.states()))
    (last,) = [i for i, item in enumerate(found.items) if item in found.states()[-1:]]
    before = sum(len(i.data) for i in found.items[:last] if isinstance(i, FileData))
    assert before == 1_000_001
    until(lambda: not found.states()[-1].alive)


def test_that_a_killed_task_and_supervisor_are_reported_as_not_alive(node: LocalNode) -> None:
    found = node.connect()
    node.deploy(found.link)
    found.link.start_task(node.launch(SLEEP))
    found.link.follow(root=node.root, run_id="r-1", offsets={})
    # Its guard, its supervisor and the task itself.
    until(lambda: found.states() and found.states()[-1].alive and len(node.processes()) == 3)
    until(lambda: found.link.runs(root=node.root)[0].state["attempts"])
    state = found.link.runs(root=node.root)[0].state
    boss = state["supervisor"]
    for pid in (boss["guard"]["pid"], boss["pid"], state["attempts"][-1]["pid"]):
        os.kill(pid, 9)
    until(lambda: not found.states()[-1].alive)
    assert found.states()[-1].state["state"] == "running", "what is recorded is not invented"


def test_that_tasks_that_appear_later_are_followed_and_unfollow_ends_it(node: LocalNode) -> None:
    found = node.connect()
    follow(found.link, node)
    folder = make_task(node, "ps-0")
    (folder / "log.txt").write_bytes(b"hello")
    until(lambda: found.bytes_of("ps:0", "log") == b"hello")
    found.link.unfollow("r 1")
    with open(folder / "log.txt", "ab") as log:
        log.write(b"unseen")
    time.sleep(0.4)
    assert found.bytes_of("ps:0", "log") == b"hello"


def test_that_a_new_follow_replaces_the_old_one(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    (folder / "log.txt").write_bytes(b"0123456789")
    follow(found.link, node)
    until(lambda: found.bytes_of("worker:0", "log") == b"0123456789")
    found.items.clear()
    follow(found.link, node, 4)
    until(lambda: found.bytes_of("worker:0", "log", 4) == b"456789")
    time.sleep(0.3)
    assert found.bytes_of("worker:0", "log", 4) == b"456789"


def test_that_a_pipe_in_place_of_a_log_hangs_nothing(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    os.mkfifo(folder / "log.txt")
    (folder / "events.jsonl").write_bytes(b"still here")
    follow(found.link, node)
    until(lambda: found.bytes_of("worker:0", "events") == b"still here")


@pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")
def test_that_a_disk_that_fills_up_is_said_once(node: LocalNode) -> None:
    folder = f'"$HOME/.clew/runs/r%201/{component(node.name)}/worker-0"'
    mount = f'mount -t tmpfs -o size=256k tmpfs "$HOME" && mkdir -p {folder} && cd "$HOME"'
    fill = 'cat /dev/zero > "$HOME/fill" 2>/dev/null'
    script = f'cd / && {mount} && ! {fill} && exec /bin/sh "$@"'
    node.shell = ["unshare", "--mount", "/bin/sh", "-c", script, "x"]
    found = node.connect()
    follow(found.link, node)
    until(lambda: any(isinstance(item, NoteData) for item in found.items))
    (note,) = [item for item in found.items if isinstance(item, NoteData)]
    assert note.level == "warning"
    assert node.root in note.text
    assert "full" in note.text


def test_that_an_edited_record_is_no_record(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    good = '{"v": 1, "run_id": "r 1", "task": "worker:0", "state": "failed", "reason": "", '
    for rest in (
        '"attempts": [{}]}',
        '"attempts": 3}',
        '"attempts": [], "state": 5}',
        "nonsense",
        '"attempts": [], "x": NaN}',
        '"attempts": [], "x": 1e999}',
        '"attempts": [], "x": 99999999999999999999}',
    ):
        (folder / "state.json").write_text(good + rest)
        assert found.link.runs(root=node.root) == []
    (folder / "state.json").write_text(good + '"attempts": []}')
    (task,) = found.link.runs(root=node.root)
    assert not task.alive


def test_that_the_end_of_what_is_there_is_said_once_and_after_all_of_it(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    (folder / "events.jsonl").write_bytes(b"e\n")
    content = os.urandom(3 * wire.FOLLOW_WINDOW_BYTES)  # more than may be under way
    (folder / "log.txt").write_bytes(content)
    follow(found.link, node)
    until(lambda: drained(found.items) == 1)
    end = next(i for i, item in enumerate(found.items) if isinstance(item, DrainedData))
    had = sum(len(i.data) for i in found.items[:end] if isinstance(i, FileData))
    assert had == len(content) + 2
    (folder / "events.jsonl").write_bytes(b"e\nmore\n")
    until(lambda: found.bytes_of("worker:0", "events") == b"e\nmore\n")
    assert drained(found.items) == 1
    follow(found.link, node)
    until(lambda: drained(found.items) == 2)


def test_that_a_run_that_left_nothing_is_said_to_be_sent(node: LocalNode) -> None:
    found = node.connect()
    follow(found.link, node)
    until(lambda: drained(found.items) == 1)


def drained(items: list[StreamItem]) -> int:
    return sum(isinstance(item, DrainedData) for item in items)
