"""A short program that an agent runs as a task would be run: its words, its end, its traces."""

from __future__ import annotations

import dataclasses
import threading

from remote.errors import LinkLost, NodeError
from remote.link import AgentLink
from remote.node import procs
from remote.survey import HelloOutput
from tests.support.local_node import LocalNode, until
from tests.support.waiting import PATIENCE_S

TOKEN, MARK = "d" * 32, "m@rk"
WORDS = """\
import os, sys, json
spec = json.loads(sys.stdin.read())
print("noise", flush=True)
print(sys.argv[-1] + json.dumps({"task": spec["task"], "a": os.environ["A"]}))
print(sys.argv[-1] + "no json")
import trainer
sys.exit(3)
"""
WAITS = "import os, time\nif not os.fork():\n    time.sleep(300)\ntime.sleep(300)\n"


def run(node: LocalNode, link: AgentLink, program: str, limit_s: float = PATIENCE_S) -> HelloOutput:
    launch = node.launch("", run_id="hello")
    launch = dataclasses.replace(
        launch, arguments=("-c", program), setup=("export A=ü",), variables={"CLEW_T": TOKEN}
    )
    return link.checks.hello(launch, token=TOKEN, mark=MARK, limit_s=limit_s)


def running() -> list[int]:
    return [pid for pid in procs.mine() if procs.environment(pid).get(b"CLEW_T") == TOKEN.encode()]


def test_that_marked_words_are_told_apart_and_no_file_is_left(node: LocalNode) -> None:
    link = node.connect().link
    node.deploy(link)
    found = run(node, link, WORDS)
    assert found.status == 3
    assert [dict(line) for line in found.lines] == [{"task": "worker:0", "a": "ü"}]
    assert found.last == ("noise",)
    assert not (node.home / ".clew" / "runs").exists()


def test_that_it_ends_with_its_whole_group_when_its_time_is_up(node: LocalNode) -> None:
    link = node.connect().link
    node.deploy(link)
    assert run(node, link, WAITS, 0.5).status is None
    until(lambda: not running())


def test_that_a_stop_ends_it_and_whatever_is_started_later(node: LocalNode) -> None:
    link = node.connect().link
    node.deploy(link)
    found: list[HelloOutput] = []
    thread = threading.Thread(target=lambda: found.append(run(node, link, WAITS)))
    thread.start()
    until(lambda: len(running()) == 2)
    link.checks.hello_stop(TOKEN)
    thread.join(PATIENCE_S)
    assert found[0].status == -9
    assert run(node, link, WAITS).status == -9
    until(lambda: not running())


def test_that_it_ends_with_the_link(node: LocalNode) -> None:
    connected = node.connect()
    node.deploy(connected.link)

    def ask() -> None:
        try:
            run(node, connected.link, WAITS)
        except (LinkLost, NodeError):
            lost.set()

    lost = threading.Event()
    thread = threading.Thread(target=ask)
    thread.start()
    until(lambda: len(running()) == 2)
    connected.link.close()
    thread.join(PATIENCE_S)
    assert lost.is_set()
    until(lambda: not running())
