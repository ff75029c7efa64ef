"""The agent: answers a desktop over standard input and output, and ends with it.

The main loop only reads frames, answers pings and hands work to threads, so that a hung file
system or driver never looks like a dead node. The agent owns no task: when it ends, for whatever
reason, every task and supervisor goes on.
"""

import fcntl
import importlib
import os
import pwd
import sys
import threading
import time
import traceback
from typing import Any, Callable, Dict, List

from remote.node import procs, texts, wire
from remote.node.refused import Refused, from_os_error

SILENCE_S = 60.0
"""Without a frame from the desktop for so long, the agent ends."""
MAX_JOBS = 64
_READ_BYTES = 1 << 20
_F_SETPIPE_SZ = 1031
"""Linux' fcntl(2); Python has a name for it from 3.10 on."""
OPS = {
    "probe": "probe",
    "missing": "trees",
    "put_tree": "trees",
    "verify_path": "storage",
    "start_task": "launch",
    "stop_run": "stop",
    "runs": "runs",
    "follow": "follow",
    "unfollow": "follow",
    "telemetry": "telemetry",
    "samples": "kept_samples",
    "control": "control",
    "release_control": "control",
    "survey": "survey",
    "mark": "marks",
    "marks_seen": "marks",
    "unmark": "marks",
    "reach_listen": "reach",
    "reach_close": "reach",
    "reach_dial": "dial",
    "reach_measure": "dial",
    "hello": "hello",
    "hello_stop": "hello",
    "make_environment": "env_make",
    "cancel_environment": "env_make",
    "environments": "env_list",
    "remove_environments": "env_list",
    "sweep_look": "sweep",
    "sweep_remove": "sweep",
}
"""Operation -> the module of this package whose function of that name does it."""


class Agent:
    """One desktop's agent. Operations get it as their first argument."""

    def __init__(self, node: str, source_fd: int, sink_fd: int) -> None:
        self.node = node
        self.uploads: Dict[int, Callable[[List[wire.Frame]], None]] = {}
        self.took: Callable[[wire.Message], None] = _ignore
        self.at_end: List[Callable[[], None]] = []
        self._services: Dict[str, Any] = {}
        self._services_lock = threading.RLock()  # one service may need another
        self._source_fd = source_fd
        self._sink_fd = sink_fd
        self._write_lock = threading.Lock()
        self._jobs = threading.BoundedSemaphore(MAX_JOBS)
        self._heard = time.monotonic()

    def service(self, name: str, make: Callable[[], Any]) -> Any:
        """The one object of this name, made when it is first asked for."""
        with self._services_lock:
            if name not in self._services:
                self._services[name] = make()
            return self._services[name]

    def send(self, message: wire.Message, payload: bytes = b"") -> None:
        """Write one frame; ends the agent when the desktop is gone."""
        view = memoryview(wire.pack(texts.from_system(message), payload))
        with self._write_lock:
            try:
                while view:
                    view = view[os.write(self._sink_fd, view) :]
            except OSError:
                self.end()

    def background(self, target: Callable[[], None]) -> None:
        """Run something for as long as the agent lives; a fault in it ends the agent in words."""

        def run() -> None:
            try:
                target()
            except Exception:  # a link that goes on without its follower would look alive
                traceback.print_exc()
                self.end()

        threading.Thread(target=run, daemon=True).start()

    def run(self) -> None:
        """Serve until standard input ends or the desktop falls silent."""
        self.background(self._watch_silence)
        self.send({"clew": wire.VERSION, "hello": _hello()})
        reader, buffer = wire.FrameReader(), bytearray(_READ_BYTES)
        _widen(self._source_fd)
        try:
            while True:
                count = os.readv(self._source_fd, [buffer])
                if not count:
                    break
                self._heard = time.monotonic()
                self._take_all(reader.feed(memoryview(buffer)[:count]))
        except (OSError, wire.WireError) as error:
            sys.stderr.write("clew agent: %s\n" % error)
        self.end()

    def end(self) -> None:
        """Leave nothing of the agent's own behind and end the process."""
        for action in list(self.at_end):
            action()
        # Threads may hang in the driver or in a file system; they must not hold the process.
        os._exit(0)

    def _take_all(self, frames: List[wire.Frame]) -> None:
        # Many frames of an upload wake the thread that writes them once.
        uploaded: Dict[int, List[wire.Frame]] = {}
        for message, payload in frames:
            if "up" in message:
                uploaded.setdefault(message["up"], []).append((texts.to_system(message), payload))
            else:
                self._take(message, payload)
        for number, found in uploaded.items():
            take = self.uploads.get(number)
            if take is not None:
                take(found)

    def _take(self, message: wire.Message, payload: bytes) -> None:
        if "ping" in message:
            self.send({"pong": message["ping"], "t": time.time()})
        elif "took" in message:
            self.took(message)
        elif "op" in message:
            self._start_job(message, payload)

    def _start_job(self, message: wire.Message, payload: bytes) -> None:
        if not self._jobs.acquire(blocking=False):
            what = "the agent has %d operations under way" % MAX_JOBS
            self.send(_error(message["id"], Refused(what, "Wait until some of them end.")))
            return
        job = threading.Thread(target=self._job, args=(message, payload), daemon=True)
        job.start()

    def _job(self, message: wire.Message, payload: bytes) -> None:
        number, name = message["id"], message["op"]
        try:
            self.send({"id": number, "ok": self._call(number, name, message["args"], payload)})
        except Refused as error:
            self.send(_error(number, error))
        except OSError as error:
            self.send(_error(number, from_os_error(error, self.node)))
        except Exception as error:  # the desktop must get an answer, whatever went wrong
            what = "the agent failed at %s: %s: %s" % (name, type(error).__name__, error)
            self.send(_error(number, Refused(what, "Please report this as a fault of Clew.")))
        finally:
            self._jobs.release()

    def _call(self, number: int, name: str, args: Any, payload: bytes) -> Any:
        if name not in OPS:
            raise Refused("the agent knows no operation %r" % name)
        operation = getattr(importlib.import_module("remote.node." + OPS[name]), name)
        return operation(self, number, texts.to_system(args), payload)

    def _watch_silence(self) -> None:
        # A thread of its own: the main loop may be blocked writing to a desktop that sleeps.
        while time.monotonic() - self._heard < SILENCE_S:
            time.sleep(1.0)
        self.end()


def main(node: str) -> None:
    """Serve on standard input and output; anything that prints goes to standard error."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    Agent(texts.to_system(node), source, sink).run()


def _hello() -> Dict[str, Any]:
    uid = os.getuid()
    try:
        user = pwd.getpwuid(uid).pw_name
    except KeyError:
        user = os.environ.get("USER", str(uid))
    return {
        "hostname": os.uname().nodename,
        "boot_id": procs.boot_id(),
        "network_namespace": network_namespace(),
        "user": user,
        "home": os.path.expanduser("~"),
        "python": sys.executable or "",
        "python_version": "%d.%d.%d" % sys.version_info[:3],
        "pid": os.getpid(),
        "t": time.time(),
    }


def network_namespace() -> str:
    """The kernel's name of this process's network; tasks in one share their ports."""
    try:
        return os.readlink("/proc/self/ns/net")
    except OSError:
        return ""


def _widen(pipe: int) -> None:
    """Let more bytes wait in a pipe, so that both its ends are woken less often."""
    try:
        fcntl.fcntl(pipe, _F_SETPIPE_SZ, _READ_BYTES)
    except OSError:
        pass  # no pipe, no Linux, or this account has its share of them


def _error(number: int, error: Refused) -> wire.Message:
    return {"id": number, "error": {"what": error.what, "remedy": error.remedy}}


def _ignore(message: wire.Message) -> None:
    """Acknowledgements before anything is followed mean nothing."""
