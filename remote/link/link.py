"""One agent, as the rest of the desktop sees it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from remote.bundle import Tree, TreeId
from remote.channel import Channel
from remote.errors import ClewError, NodeError
from remote.facts import NodeFacts
from remote.link import decode, environment
from remote.link.bootstrap import Bootstrap, Deadline
from remote.link.checks import Checks
from remote.link.decode import Reader, nonsense
from remote.link.environments import NO_PACKAGES, Environments, Packages
from remote.link.heartbeat import Heartbeat
from remote.link.items import (
    ControlData,
    Desk,
    Hello,
    KeptSamples,
    TaskLaunch,
    TaskOnNode,
)
from remote.link.relay import Relays
from remote.link.slurm import SlurmClient
from remote.link.stream import OnStream, Stream
from remote.link.sweeping import Sweeping
from remote.link.upload import Upload
from remote.link.wires import Wires
from remote.node import wire
from remote.updates import Leftover, StopDepth
from trainer.spec import RETRIED_EXITS, to_json

OnClosed = Callable[[ClewError | None], None]
_PROBE_LIMIT_S = 90.0
_START_LIMIT_S = 60.0
_STOP_MARGIN_S = 40.0


class AgentLink:
    """One agent on one node over one channel. Every method may be called from any thread.

    Methods block; they raise :class:`NodeError` when the node says no, and :class:`LinkLost` when
    the connection is gone. Start one with :meth:`start`.
    """

    def __init__(
        self, channel: Channel, node: str, on_stream: OnStream, on_closed: OnClosed
    ) -> None:
        self.node = node
        self.hello: Hello
        self._user_on_closed = on_closed
        self._greeted = threading.Event()
        self._noise = False
        self._wires = Wires(channel, node, self._take, self._closed)
        self._heart: Heartbeat
        self._uploads: dict[int, Upload] = {}
        self.environments = Environments(self._wires, node)
        """What is asked of a node about environments that Clew makes."""
        self.sweeping = Sweeping(self._wires, node)
        """What is asked of a node about leftovers of runs."""
        self.slurm = SlurmClient(self._wires, node)
        """What is asked of a node where one logs in to a cluster of Slurm's."""
        self.relays = Relays(self._wires, node)
        """Ways to processes on nodes behind this one."""
        self._stream = Stream(on_stream, self._wires.send, lambda: self.clock_offset_s)
        self._lock = threading.Lock()
        self._is_up = False

    @classmethod
    def start(
        cls,
        channel: Channel,
        *,
        node: str,
        python: str | None,
        on_stream: OnStream,
        on_closed: OnClosed,
        timeout_s: float = 20.0,
    ) -> AgentLink:
        """Bring up an agent on a channel that runs :data:`~remote.link.COMMAND`.

        Args:
            node: the node's name in the profile.
            python: the profile's Python, tried as well when looking for one for the agent.
            on_stream: gets what comes unasked, on the link's reader thread; must be quick.
            on_closed: called once when a started link ends; None: :meth:`close` was called.
        """
        link = cls(channel, node, on_stream, on_closed)
        boot = Bootstrap(channel, node, python)
        with Deadline(channel, timeout_s) as deadline:
            try:
                link._bring_up(boot)
            except (ClewError, OSError) as error:
                link._wires.close()
                if deadline.passed:
                    raise boot.timed_out(timeout_s) from None
                raise boot.failed(error) from None
        return link

    @property
    def clock_offset_s(self) -> float:
        """Node clock minus desktop clock, from the pings with the shortest round trip."""
        return self._heart.offset_s

    @property
    def checks(self) -> Checks:
        """What only checks ask of a node."""
        return Checks(self._wires, self.node, self.hello, lambda: self._heart.round_trip_s)

    @property
    def last_heard(self) -> float:
        """When the agent last sent anything, in UTC epoch seconds."""
        return self._wires.last_heard

    def close(self) -> None:
        """End the link and the agent. Tasks go on."""
        self._wires.close()

    def probe(
        self,
        *,
        root: str,
        python: str | None,
        setup: Sequence[str],
        variables: Mapping[str, str],
        ports_from: int,
        gpus: Literal["all", "none"] | Sequence[int],
        packages: Packages = NO_PACKAGES,
    ) -> NodeFacts:
        """What the node has; everything wrong with it is in ``problems``. Raises LinkLost only."""
        args = {
            "root": root,
            "python": python,
            "setup": list(setup),
            "variables": dict(variables),
            "ports_from": ports_from,
            "packages": list(packages.packages),
            "wheels": packages.wheels,
            "digests": list(packages.digests),
            "gpus": gpus if isinstance(gpus, str) else list(gpus),
        }
        try:
            answer = self._wires.call("probe", args, timeout_s=_PROBE_LIMIT_S)
        except NodeError as error:
            return decode.no_facts(self.hello, error, time.time(), self.clock_offset_s)
        return decode.facts(self._reader(answer), self.hello, time.time(), self.clock_offset_s)

    def missing(self, trees: Sequence[TreeId], *, root: str) -> list[TreeId]:
        """Those of ``trees`` that are not whole on the node."""
        args = {"root": root, "trees": [list(tree) for tree in trees]}
        answer = self._wires.call("missing", args)
        positions = self._reader({"missing": answer}).items("missing")
        if not all(type(i) is int and 0 <= i < len(trees) for i in positions):
            raise nonsense(self.node, "it names trees that nobody asked for")
        return [trees[i] for i in positions]

    def put_tree(
        self,
        tree: Tree,
        *,
        root: str,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
    ) -> str:
        """Send a tree, unless it is there; its absolute path on the node.

        ``progress`` gets bytes sent and in total, on the calling thread. Raises also
        :class:`~remote.errors.Cancelled`, once ``cancelled`` says so.
        """
        upload = Upload(self._wires, self.node, tree)
        kind, name, digest = tree.id
        args = {"root": root, "kind": kind, "name": name, "digest": digest}

        def expect(number: int) -> None:
            self._uploads[number] = upload

        number, answer = self._wires.ask("put_tree", args, before=expect)
        try:
            return upload.run(number, answer, progress, cancelled)
        finally:
            self._uploads.pop(number, None)
            self._wires.forget(number)

    def verify_path(self, path: str) -> str:
        """The absolute form of a path that must be there and readable on the node."""
        return self._reader({"path": self._wires.call("verify_path", {"path": path})}).text("path")

    def start_task(self, launch: TaskLaunch) -> dict[str, Any]:
        """Start a task under a supervisor of its own; its record (see ``remote.node.record``).

        A task that runs or has ended already is not started again: its record is returned.
        """
        spec = launch.spec
        restart, max_hours = spec.training.restart, spec.training.max_hours
        args = {
            "root": launch.root,
            "app": launch.app.digest,
            "run_id": spec.run_id,
            "name": launch.name,
            "task": str(spec.task),
            "python": launch.python,
            "argv": list(launch.arguments),
            "setup": list(launch.setup),
            "variables": environment.of_task(launch),
            "ports": list(launch.ports),
            "grace_s": launch.grace_s,
            "final_exits": sorted(launch.final_exits),
            "retried_exits": sorted(RETRIED_EXITS),
            "max_s": None if max_hours is None else max_hours * 3600.0,
            "restart": {
                "max": restart.max if launch.restart_max is None else launch.restart_max,
                "policy": restart.policy,
                "backoff_s": restart.backoff_s if launch.backoff_s is None else launch.backoff_s,
                "backoff_cap_s": restart.backoff_cap_s,
                "reset_after_s": restart.reset_after_s,
            },
        }
        text = json.dumps(to_json(spec), indent=1).encode("ascii") + b"\n"
        answer = self._wires.call("start_task", args, text, timeout_s=_START_LIMIT_S)
        return self._reader({"record": answer}).record("record")

    def stop_run(
        self,
        *,
        root: str,
        run_id: str,
        grace_s: float = 10.0,
        depth: StopDepth = "now",
        by: str = "",
    ) -> list[Leftover]:
        """Stop all tasks of a run on this node: TERM, after ``grace_s`` KILL; what is left.

        ``by`` says in the tasks' records who wanted it.
        """
        args = {"root": root, "run_id": run_id, "grace_s": grace_s, "depth": depth, "by": by}
        answer = self._wires.call("stop_run", args, timeout_s=grace_s + _STOP_MARGIN_S)
        left = self._reader({"left": answer}).items("left")
        return [Leftover(node=self.node, what=str(what)[:500]) for what in left]

    def runs(self, *, root: str, wanted: str | None = None) -> list[TaskOnNode]:
        """Every task that is recorded on this node, newest run first.

        ``wanted``: the root that a profile names, where ``root`` may be one that stood in for it.
        """
        args = {"root": root, "wanted": wanted or root}
        answer = self._wires.call("runs", args, timeout_s=_START_LIMIT_S)
        found = self._reader({"tasks": answer}).objects("tasks")
        return [decode.task_on_node(task) for task in found]

    def follow(
        self,
        *,
        root: str,
        run_id: str,
        offsets: Mapping[tuple[str, str], int],
        before: Mapping[tuple[str, str], bytes] | None = None,
    ) -> None:
        """Have what a run's tasks write sent from ``offsets`` on (``("worker:0", "log"): 0``).

        Files that are not named are sent from their start; tasks that appear later too. A file
        that has other bytes than ``before`` just before its offset is sent from its start. Replaces
        an earlier call for the same run.
        """
        known = before or {}
        listed = [[*key, offset, known.get(key, b"").hex()] for key, offset in offsets.items()]
        args = {"root": root, "run_id": run_id, "offsets": listed}

        def expect(number: int) -> None:
            self._stream.follows[run_id] = number

        self._wires.call("follow", args, before=expect)

    def unfollow(self, run_id: str) -> None:
        """Have nothing more of that run sent."""
        self._stream.follows.pop(run_id, None)
        self._wires.call("unfollow", {"run_id": run_id})

    def telemetry(self, interval_s: float | None) -> None:
        """Have a sample sent every ``interval_s`` seconds; None: no more."""
        self._wires.call("telemetry", {"interval_s": interval_s})

    def kept_samples(self, *, root: str, run_id: str, after: int) -> Iterator[KeptSamples]:
        """What the node has kept of its samples of a run after number ``after``, piece by piece."""
        while True:
            args = {"root": root, "run_id": run_id, "after": after}
            answer = self._reader(self._wires.call("samples", args))
            found = answer.objects("samples")
            if not found:
                return
            after = found[-1].whole("n")
            kept = tuple(decode.sample(each, self.clock_offset_s) for each in found)
            yield KeptSamples(run_id=run_id, node=self.node, samples=kept, number=after)
            if after >= answer.whole("last"):
                return

    def control(self, *, root: str, run_id: str, desk: Desk, take: bool) -> ControlData:
        """Ask for the control of a run, or ``take`` it; who has it. Changes come in the stream."""
        who = {"desk": desk.id, "name": desk.name, "pid": desk.pid}
        args = {"root": root, "run_id": run_id, "take": take, **who}
        return decode.control_data(self._reader(self._wires.call("control", args)), run_id)

    def release_control(self, run_id: str) -> None:
        """Leave the control of a run to others."""
        self._wires.call("release_control", {"run_id": run_id})

    def _bring_up(self, boot: Bootstrap) -> None:
        first = boot.run()
        self._noise = bool(boot.noise.strip())
        self._wires.start(first)
        self._greeted.wait()
        with self._lock:
            if self._wires.ended:
                raise boot.ended()
            if self._wires.failure is not None:
                raise self._wires.failure
            self._is_up = True
        self._heart.start()

    def _take(self, message: wire.Message, payload: bytes) -> None:
        """One frame that is no answer; on the reader thread."""
        data = self._reader(message)
        if "hello" in message and not self._greeted.is_set():
            self._greet(data)
        elif not self._greeted.is_set() or self._is_streamed(data, message, payload):
            return
        elif "pong" in message:
            self._heart.pong(data)
        elif "progress" in message:
            self.environments.took(data)
        elif "up" in message:
            upload = self._uploads.get(data.whole("up"))
            if upload is not None:
                upload.acknowledged(data)

    def _is_streamed(self, data: Reader, message: wire.Message, payload: bytes) -> bool:
        relays, stream = self.relays, self._stream
        return relays.take(data, message, payload) or stream.take(data, message, payload)

    def _greet(self, data: Reader) -> None:
        if data.whole("clew") != wire.VERSION:
            raise nonsense(self.node, "another version of the protocol")
        inner = self._reader(data.mapping("hello"))
        self.hello = decode.hello(inner, self._noise)
        self._heart = Heartbeat(self._wires, self.node, inner.number("t") - time.time())
        self._greeted.set()

    def _closed(self, error: ClewError | None) -> None:
        if self._greeted.is_set():
            self._heart.stop()
        self.relays.lost(error)
        self._greeted.set()
        with self._lock:
            is_up = self._is_up
        if is_up:  # else start() raises
            self._user_on_closed(error)

    def _reader(self, data: object) -> Reader:
        return Reader(data, self.node)
