"""Bytes that tasks write arrive once each, in order, from any offset, and soon."""

import os
import statistics
import time
from pathlib import Path

from remote.link import AgentLink, FileData
from remote.node import record, wire
from tests.support.local_node import LocalNode, until

SLEEP = "import time\ntime.sleep(60)\n"


def make_task(node: LocalNode, task: str = "worker-0") -> Path:
    """A task's folder whose files the test writes itself."""
    folder = Path(node.root, "runs", "r%201", "gpu%2001%2F%C3%BC", task)
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
    assert first.closed.wait(5)
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


def test_that_no_more_than_the_window_is_sent_ahead_of_a_slow_desktop(node: LocalNode) -> None:
    folder, found = make_task(node), node.connect()
    (folder / "log.txt").write_bytes(b"x" * 2_000_000)
    takes = found.link._wires.send  # what acknowledges on the desktop's side
    held: list[tuple[wire.Message, bytes]] = []

    def hold(message: wire.Message, payload: bytes = b"") -> None:
        if "took" in message:
            held.append((message, payload))
        else:
            takes(message, payload)

    found.link._wires.send = hold  # type: ignore[method-assign]
    follow(found.link, node)
    time.sleep(1.0)
    assert len(found.bytes_of("worker:0", "log")) == wire.FOLLOW_WINDOW_BYTES
    found.link._wires.send = takes  # type: ignore[method-assign]
    for message, payload in held:
        takes(message, payload)
    until(lambda: len(found.bytes_of("worker:0", "log")) == 2_000_000)


def test_that_a_line_is_here_within_60_ms_in_the_median(node: LocalNode) -> None:
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
    assert statistics.median(delays) < 0.06


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
    until(lambda: found.states() and found.states()[-1].alive and len(node.processes()) == 2)
    state = found.link.runs(root=node.root)[0].state
    for pid in (state["supervisor"]["pid"], state["attempts"][-1]["pid"]):
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
