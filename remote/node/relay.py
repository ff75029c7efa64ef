"""Byte channels to processes on nodes behind this one, over the desktop's one connection.

The agent on a login node starts a process on a node of a job, as a step of the job or through files
on the shared disk, and passes its bytes on as frames with the number of the request. Each relay has
a window each way, so that one whose reader is slow holds up neither the others nor the agent. It
ends with its channel, and with the agent.
"""

import importlib
import os
import select
import threading
import time
import uuid
from collections import deque
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, Optional, Set

from remote.node import layout, wire
from remote.node.refused import Refused

if TYPE_CHECKING:
    from remote.node.agent import Agent

OPEN_LIMIT_S = 40.0
_PROBE_LIFE_S = 5.0
_MOST_NOISE_BYTES = 256 << 10
_LOOK_S = 0.25
_END_S = 1.0
_ACKNOWLEDGE_BYTES = wire.RELAY_WINDOW_BYTES // 8
WAYS = ("step", "files")
Process = Any
"""What ``remote.node.slurm.step.Step`` and ``mail_client.MailProcess`` have in common."""


def relay_open(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """Start ``command`` on a node of the job; answers once it runs. The relay's number is ours.

    Raises:
        Refused: Slurm, or the job's keeper, does not start it.
    """
    make = _maker(agent, args, args["how"])
    relay = Relay(agent, number, make, args["command"])
    relay.open()
    return {"how": args["how"]}


def relay_probe(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> Dict[str, Any]:
    """Which way works: ``how``, and in ``why`` what is wrong with the one that was tried first.

    ``how`` of the request, if it is there, is the only one tried.

    Raises:
        Refused: none does.
    """
    asked = args.get("how")
    refusals = []
    for how in WAYS if asked is None else (asked,):
        try:
            if how == "files":
                _check_mail(agent, args)
            else:
                _try_step(_maker(agent, args, how))
        except Refused as error:
            refusals.append(error.what)
        else:
            return {"how": how, "why": "; ".join(refusals)}
    what = "no way leads to %s of job %s: %s" % (args["node"], args["job"], "; ".join(refusals))
    raise Refused(what, "See whether the job still runs there.")


class Relay:
    """One process and its two pumps. :meth:`take` is called by the agent's main loop."""

    def __init__(
        self, agent: "Agent", number: int, make: Callable[[str], Process], command: str
    ) -> None:
        self._agent = agent
        self._number = number
        self._make = make
        self._mark = uuid.uuid4().hex
        self._command = "printf '\\n%s\\n'; %s" % (self._mark, command)
        self._changed = threading.Condition()
        self._inbox: Deque[bytes] = deque()
        self._inbox_bytes = 0
        self._took = self._sent = 0
        self._closed = False
        self._process: Optional[Process] = None
        self._ready = threading.Event()
        self._failure: Optional[Refused] = None
        self._told = ""

    def open(self) -> None:
        """Start it and wait until it runs. Raises :class:`Refused`."""
        self._all().add(self)
        self._agent.relays[self._number] = self.take
        self._agent.background(self._run)
        if not self._ready.wait(OPEN_LIMIT_S):
            self.kill()
            self._failure = self._failure or Refused("nothing started in %d s" % OPEN_LIMIT_S)
        if self._failure is not None:
            raise self._failure

    def _all(self) -> "Set[Relay]":
        relays: Relays = self._agent.service("relays", lambda: Relays(self._agent))
        return relays.all

    def take(self, message: wire.Message, payload: bytes) -> None:
        """A frame of the desktop's; must not block."""
        with self._changed:
            if payload and not self._closed:
                self._inbox.append(payload)
                self._inbox_bytes += len(payload)
            # A desktop that breaks its window would fill this node's memory.
            too_much = self._inbox_bytes > 2 * wire.RELAY_WINDOW_BYTES
            self._took = max(self._took, int(message.get("took", 0)))
            self._changed.notify_all()
        if message.get("kill") or too_much:
            self.kill()
        elif message.get("end"):
            self._close(lambda process: process.hang_up())

    def kill(self) -> None:
        """End the process; nobody waits for it here."""
        self._close(lambda process: process.kill())

    def wait(self, limit_s: float) -> None:
        """Until nothing of the process is left, or the time is up."""
        process = self._process
        if process is not None:
            process.wait(limit_s)

    def _close(self, end: Callable[[Process], None]) -> None:
        with self._changed:
            self._closed = True
            process = self._process
            self._changed.notify_all()
        if process is not None:
            end(process)

    def _run(self) -> None:
        """Start the process and pass on what it writes; it ends with this thread."""
        try:
            process = self._make(self._command)
        except (Refused, OSError) as error:
            self._fail(error if isinstance(error, Refused) else Refused(str(error)))
            return
        with self._changed:
            self._process = process
            closed = self._closed
        if closed:
            process.kill()
        try:
            rest = self._skip_noise(process)
            if rest is not None:
                self._ready.set()
                self._agent.background(self._write)
                self._read(process, rest)
        finally:
            self._finish(process)

    def _skip_noise(self, process: Process) -> Optional[bytes]:
        """What came after the mark; None: it ended before, or too much came."""
        mark, buffer = ("\n%s\n" % self._mark).encode("ascii"), b""
        while mark not in buffer and len(buffer) < _MOST_NOISE_BYTES:
            data = _read_some(process.stdout)
            if not data:
                break
            buffer += data
        before, found, rest = buffer.partition(mark)
        if found:
            return rest
        os.close(process.stdin)
        process.kill()
        process.wait(_END_S)
        said = _one_line(process.said()) or _one_line(before.decode("utf-8", "replace"))
        self._fail(Refused("nothing starts there: %s" % (process.lost or said or "no word why")))
        return None

    def _fail(self, error: Refused) -> None:
        if self._failure is None:
            self._failure = error
        self._agent.relays.pop(self._number, None)
        self._ready.set()

    def _read(self, process: Process, data: bytes) -> None:
        while True:
            if data:
                self._send(data)
            if not self._wait_for_room():
                data = _read_some(process.stdout)  # nobody wants it; it must not be held up
                if not data:
                    return
                data = b""
                continue
            ready = select.select([process.stdout], [], [], _LOOK_S)[0]
            self._tell(process)
            data = _read_some(process.stdout) if ready else b""
            if ready and not data:
                return

    def _send(self, data: bytes) -> None:
        with self._changed:
            if self._closed:
                return
            self._sent += len(data)
        for at in range(0, len(data), wire.RELAY_PIECE_BYTES):
            piece = data[at : at + wire.RELAY_PIECE_BYTES]
            self._agent.send({"relay": self._number}, piece)

    def _wait_for_room(self) -> bool:
        """Until the desktop can take more; whether it still wants any."""
        with self._changed:
            while self._sent - self._took >= wire.RELAY_WINDOW_BYTES and not self._closed:
                self._changed.wait()
            return not self._closed

    def _tell(self, process: Process) -> None:
        said = process.said()
        if said != self._told:
            self._told = said
            self._agent.send({"relay": self._number, "said": said})

    def _finish(self, process: Process) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        process.hang_up()
        while not process.wait(_END_S):
            pass  # the thread is what it lives by; whoever hung up sees to its end
        os.close(process.stdout)
        self._all().discard(self)
        if self._agent.relays.pop(self._number, None) is not None:
            end = {"relay": self._number, "end": True, "said": process.said(), "lost": process.lost}
            self._agent.send(end)

    def _write(self) -> None:
        """Pass on what the desktop sends."""
        assert self._process is not None
        fd, passed, told = self._process.stdin, 0, 0
        try:
            while True:
                with self._changed:
                    while not self._inbox and not self._closed:
                        self._changed.wait()
                    if self._closed:
                        return
                    data = self._inbox.popleft()
                    self._inbox_bytes -= len(data)
                    empty = not self._inbox
                view = memoryview(data)
                while view:
                    if not select.select([], [fd], [], _LOOK_S)[1]:
                        if self._closed:
                            return
                        continue
                    view = view[os.write(fd, view[:4096]) :]  # a pipe with room takes so much
                passed += len(data)
                if empty or passed - told >= _ACKNOWLEDGE_BYTES:
                    told = passed
                    self._agent.send({"relay": self._number, "took": passed})
        except OSError:
            pass  # it reads no more; its end comes by its output
        finally:
            os.close(fd)


class Relays:
    """All relays of one agent, which end with it."""

    def __init__(self, agent: "Agent") -> None:
        self.all: Set[Relay] = set()
        agent.at_end.append(self._end)

    def _end(self) -> None:
        relays = list(self.all)
        for relay in relays:
            relay.kill()
        end = time.monotonic() + _END_S
        for relay in relays:
            relay.wait(max(0.0, end - time.monotonic()))


def _maker(agent: "Agent", args: Dict[str, Any], how: str) -> Callable[[str], Process]:
    """What starts a command there, that way."""
    if how == "step":
        step = importlib.import_module("remote.node.slurm.step")
        job, node = step.checked_job(args["job"]), step.checked_node(args["node"])
        return lambda command: step.Step(job, node, command)
    if how == "files":
        client = importlib.import_module("remote.node.slurm.mail_client")
        folder = mail_folder(agent, args)
        return lambda command: client.MailProcess(folder, command)
    raise Refused("%r is no way to a node" % (how,))


def mail_folder(agent: "Agent", args: Dict[str, Any]) -> str:
    """Where the keeper of a node is reached by files."""
    run = layout.Layout(args["root"], agent.node).run(args["run_id"])
    return os.path.join(run, "slurm", "mail", layout.component(args["node"]))


def _check_mail(agent: "Agent", args: Dict[str, Any]) -> None:
    client = importlib.import_module("remote.node.slurm.mail_client")
    why = client.why_not_served(mail_folder(agent, args), _PROBE_LIFE_S)
    if why:
        raise Refused(why)


def _try_step(make: Callable[[str], Process]) -> None:
    """Have a step print a word. Raises :class:`Refused`."""
    process = make("echo clew-relay-probe")
    os.close(process.stdin)
    out, end = b"", time.monotonic() + OPEN_LIMIT_S
    try:
        while time.monotonic() < end:
            if select.select([process.stdout], [], [], _LOOK_S)[0]:
                data = _read_some(process.stdout)
                out = (out + data)[-_MOST_NOISE_BYTES:]
                if not data or b"clew-relay-probe" in out:
                    break
    finally:
        process.hang_up()
        process.wait(_PROBE_LIFE_S)
        os.close(process.stdout)
    if b"clew-relay-probe" not in out:
        why = _one_line(process.said()) or "no step starts in %d s" % OPEN_LIMIT_S
        raise Refused("Slurm starts no step beside the job's own: %s" % why)


def _read_some(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 16)
    except OSError:
        return b""


def _one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(c if c.isprintable() else " " for c in "; ".join(lines))[-300:]
