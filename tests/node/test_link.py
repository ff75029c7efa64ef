"""A link survives whatever a node sends, and notices a node that sends nothing."""

import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.errors import ClewError, LinkLost, NodeError
from remote.link import AgentLink, StreamItem, bootstrap, heartbeat
from remote.node import wire
from tests.support.local_node import APP, LocalNode
from tests.support.waiting import PATIENCE_S, until, within

HELLO = {
    "hostname": "h",
    "boot_id": "b",
    "network_namespace": "n",
    "user": "u",
    "home": "/h",
    "python": "/p",
    "python_version": "3.9.1",
    "pid": 7,
    "t": 0.0,
}
FACTS = {
    "t": 0.0,
    "boot_id": "b",
    "network_namespace": "n",
    "root": "/r",
    "python": "/p",
    "python_version": "3.11.1",
    "tensorflow_version": None,
    "cpus": 2,
    "memory_bytes": 1,
    "disk_free_bytes": 1,
    "gpus": [],
    "gpu_note": "",
    "ports": [],
    "problems": [],
}
PROBE: dict[str, Any] = {
    "root": "~/.clew",
    "python": None,
    "setup": [],
    "variables": {},
    "ports_from": 1,
    "gpus": "all",
}


class Puppet:
    """A channel whose node is played by the test."""

    def __init__(self) -> None:
        self._desktop, self.node = socket.socketpair()
        self.requests: list[dict[str, Any]] = []
        self.answers: Callable[[dict[str, Any]], Any] = lambda message: None
        self.mute = False
        self._player: threading.Thread | None = None

    def read(self, limit: int) -> bytes:
        try:
            return self._desktop.recv(limit)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        try:
            self._desktop.sendall(data)
        except OSError as error:
            raise LinkLost(f"broken: {error}") from None

    def stderr_tail(self) -> str:
        return "words of the node"

    def kill(self) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._desktop.shutdown(socket.SHUT_RDWR)

    def dispose(self) -> None:
        if self._player is not None:
            self._player.join(PATIENCE_S)
        self._desktop.close()
        self.node.close()

    def play(self, hello: Any = HELLO, version: int = wire.VERSION) -> None:
        """Take the bootstrap as a node does, then answer pings and what `answers` answers."""
        self._player = threading.Thread(target=self._play, args=(hello, version), daemon=True)
        self._player.start()

    def send(self, message: Any, payload: bytes = b"") -> None:
        self.node.sendall(wire.pack(message, payload))

    def _play(self, hello: Any, version: int) -> None:
        stream = self.node.makefile("rb")
        mark = stream.readline().split(b";")[0].removeprefix(b"m=")
        self.node.sendall(b"Welcome\n" + mark + b" sh\n" + mark + b" python 3.9.1\n")
        stream.read(int.from_bytes(stream.read(8), "big"))
        self.send({"clew": version, "hello": hello})
        reader = wire.FrameReader()
        try:
            while data := self.node.recv(65536):
                for message, _ in reader.feed(data):
                    self._answer(message)
        except OSError:
            return
        finally:
            stream.close()

    def _answer(self, message: dict[str, Any]) -> None:
        self.requests.append(message)
        if self.mute:
            return
        if "ping" in message:
            self.send({"pong": message["ping"], "t": 1000.0 + time.time()})
        reply = self.answers(message)
        if reply is not None:
            self.send(reply)


class Watched:
    """A link to a puppet."""

    def __init__(self, puppet: Puppet, timeout_s: float = PATIENCE_S) -> None:
        self.items: list[StreamItem] = []
        self.ends: list[ClewError | None] = []
        self.link = AgentLink.start(
            puppet,
            node="gpu01",
            python=None,
            on_stream=self.items.append,
            on_closed=self.ends.append,
            timeout_s=timeout_s,
        )


@pytest.fixture
def puppet() -> Iterator[Puppet]:
    made = Puppet()
    yield made
    made.close()
    made.dispose()


def test_that_hello_and_noise_are_known_and_the_clock_is_measured(puppet: Puppet) -> None:
    puppet.play()
    link = Watched(puppet).link
    assert (link.hello.hostname, link.hello.noise) == ("h", True)
    until(lambda: abs(link.clock_offset_s - 1000.0) < 0.2)


@pytest.mark.parametrize("hello", [None, [], {}, {**HELLO, "pid": "7"}, {**HELLO, "t": True}])
def test_that_a_wrong_hello_is_refused(puppet: Puppet, hello: Any) -> None:
    puppet.play(hello)
    with pytest.raises(LinkLost, match="nonsense"):
        Watched(puppet)


def test_that_another_version_is_refused(puppet: Puppet) -> None:
    puppet.play(version=99)
    with pytest.raises(LinkLost, match="another version"):
        Watched(puppet)


def test_that_a_node_that_never_answers_the_bootstrap_is_given_up(puppet: Puppet) -> None:
    words = r"did not run Clew's line .*words of the node"
    with within(2), pytest.raises(NodeError, match=words):
        Watched(puppet, timeout_s=0.3)


NONSENSE: list[bytes] = [
    b"\xff" * 100,
    b"\0\0\0\2\0\0\0\0[]",
    b"\0\0\0\2\0\0\0\0{]",
    wire.pack({"id": "one", "ok": 1}),
    wire.pack({"pong": None, "t": 1}),
    wire.pack({"data": 1, "run": "r", "task": "x", "file": "log", "offset": 0, "reset": False}),
    wire.pack({"data": 1, "run": "r", "task": "ps:0", "file": "etc", "offset": 0, "reset": False}),
    wire.pack({"data": 1, "run": "r", "task": "ps:0", "file": "log", "offset": -1, "reset": True}),
    wire.pack({"sample": {"t": "now"}}),
    wire.pack({"sample": []}),
    wire.pack({"up": {}}),
    b"\0\0\0\x10\0\0\0\0" + b'{"pong": Infinit',
]


@pytest.mark.parametrize("frame", NONSENSE)
def test_that_nonsense_ends_the_link_once_and_in_words(puppet: Puppet, frame: bytes) -> None:
    puppet.play()
    watched = Watched(puppet)
    puppet.node.sendall(frame)
    until(lambda: watched.ends)
    (error,) = watched.ends
    assert isinstance(error, LinkLost)
    assert "nonsense" in str(error)
    with pytest.raises(LinkLost):
        watched.link.verify_path("/")


@pytest.mark.parametrize(
    "change",
    [
        {"cpus": "2"},
        {"cpus": 1 << 70},
        {"gpus": {}},
        {"gpus": [{"index": 0}]},
        {"problems": ["full"]},
        {"root": None},
        {"ports": [{"port": 1, "pid": "x", "program": "", "run_id": "", "task": ""}]},
        None,
    ],
)
def test_that_facts_of_the_wrong_kind_are_refused(puppet: Puppet, change: Any) -> None:
    facts = None if change is None else {**FACTS, **change}
    puppet.answers = lambda m: {"id": m["id"], "ok": facts} if m.get("op") == "probe" else None
    puppet.play()
    with pytest.raises(LinkLost, match="nonsense"):
        Watched(puppet).link.probe(**PROBE)


def test_that_an_operation_that_fails_is_a_node_error_and_probe_makes_it_a_problem(
    puppet: Puppet,
) -> None:
    error = {"what": "the disk is on fire", "remedy": "Call somebody."}
    puppet.answers = lambda m: {"id": m["id"], "error": error} if "op" in m else None
    puppet.play()
    link = Watched(puppet).link
    with pytest.raises(NodeError) as caught:
        link.verify_path("/")
    assert str(caught.value) == "gpu01: the disk is on fire. Call somebody."
    facts = link.probe(**PROBE)
    assert not facts.usable
    assert facts.problems[0].what == "the disk is on fire"


def test_that_what_belongs_to_a_replaced_follow_is_dropped(puppet: Puppet) -> None:
    puppet.answers = lambda m: {"id": m["id"], "ok": "/"} if "op" in m else None
    puppet.play()
    watched = Watched(puppet)
    watched.link.follow(root="/r", run_id="r", offsets={})
    first = [m for m in puppet.requests if m.get("op") == "follow"][-1]["id"]
    watched.link.follow(root="/r", run_id="r", offsets={})
    second = [m for m in puppet.requests if m.get("op") == "follow"][-1]["id"]
    head = {"run": "r", "task": "ps:0", "file": "log", "offset": 0, "reset": False}
    puppet.send({"data": first, **head}, b"old")
    puppet.send({"data": second, **head}, b"new")
    watched.link.verify_path("/")  # its answer comes after what was sent before
    until(lambda: watched.items)
    (item,) = watched.items
    assert getattr(item, "data", None) == b"new"


def test_that_lone_surrogates_do_not_reach_the_desktop(puppet: Puppet) -> None:
    puppet.answers = lambda m: {"id": m["id"], "ok": "/a\udcff"} if "op" in m else None
    puppet.play()
    path = Watched(puppet).link.verify_path("/")
    assert json.dumps(path)
    assert path.encode("utf-8")


def test_that_silence_ends_the_link(puppet: Puppet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "SILENCE_S", 3.0)
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 0.1)
    puppet.play()
    watched = Watched(puppet)
    time.sleep(3.6)
    assert watched.ends == [], "answers keep it alive"
    puppet.mute = True
    until(lambda: watched.ends)
    (error,) = watched.ends
    assert isinstance(error, LinkLost)
    assert error.node == "gpu01"


def test_that_an_agent_that_is_frozen_is_noticed(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "SILENCE_S", 0.9)
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 0.1)
    found = node.connect()
    os.kill(found.link.hello.pid, signal.SIGSTOP)
    try:
        assert found.closed.wait(PATIENCE_S)
        assert "has not answered for" in str(found.ends[0])
    finally:
        os.kill(found.link.hello.pid, signal.SIGCONT)


def test_that_close_is_quick_and_reported_once_to_all(puppet: Puppet) -> None:
    puppet.play()
    watched = Watched(puppet)
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            watched.link.verify_path("/")
        except LinkLost as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    until(lambda: sum("op" in m for m in puppet.requests) == 8)
    with within(1):
        watched.link.close()
        watched.link.close()
        for thread in threads:
            thread.join(PATIENCE_S)
    assert len(failures) == 8
    until(lambda: watched.ends)
    puppet.close()
    time.sleep(0.1)  # an end that came twice would be here by now
    assert watched.ends == [None]


def test_that_many_threads_may_ask_at_once(node: LocalNode) -> None:
    link = node.connect().link
    node.deploy(link)
    answers: list[object] = []

    def ask() -> None:
        for _ in range(20):
            answers.append(link.missing([APP.id], root=node.root))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert answers == [[]] * 160


def test_that_an_agent_whose_desktop_is_silent_ends(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = dict(bootstrap.node_sources())
    text = sources["remote.node.agent"]
    sources["remote.node.agent"] = text.replace("SILENCE_S = 60.0", "SILENCE_S = 0.5")
    assert sources["remote.node.agent"] != text
    monkeypatch.setattr(bootstrap, "node_sources", lambda: sources)
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 30.0)
    monkeypatch.setattr(heartbeat, "SILENCE_S", 30.0)
    found = node.connect()
    assert found.closed.wait(PATIENCE_S)
    assert isinstance(found.ends[0], LinkLost)


FRAMES = st.lists(
    st.tuples(
        st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(max_size=9))),
        st.binary(max_size=40),
    ),
    max_size=5,
)


@given(FRAMES, st.lists(st.integers(1, 30), min_size=1))
def test_that_frames_survive_any_cut(frames: list[Any], cuts: list[int]) -> None:
    stream = b"".join(wire.pack(message, payload) for message, payload in frames)
    reader, at = wire.FrameReader(), 0
    found: list[wire.Frame] = []
    for i in range(len(stream)):
        size = cuts[i % len(cuts)]
        found.extend(reader.feed(stream[at : at + size]))
        at += size
    assert found == frames


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_that_any_bytes_are_frames_or_an_error(data: bytes) -> None:
    try:
        for message, _ in wire.FrameReader().feed(data):
            assert isinstance(message, dict)
    except wire.WireError:
        pass
