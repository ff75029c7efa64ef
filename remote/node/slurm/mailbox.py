"""A way to processes on a node of a job where Slurm starts no steps: files on the shared disk.

The keeper serves the node's folder in a thread. Whoever has the account asks by making a folder
``c-<token>`` in it with ``call.json``; a process is started for it, and its bytes travel as
:mod:`remote.node.slurm.mail_files` says. The process ends with its call, with the other side, and
with the keeper; then the call's folder is removed. Nobody but the account can enter the folder.
"""

import os
import select
import shutil
import signal
import stat
import subprocess
import threading
import time
from typing import Dict, Optional

from remote.node import files, gpu_query, texts
from remote.node.refused import Refused
from remote.node.slurm.mail_files import Side, own_folder
from remote.node.slurm.mail_pump import Pump

CALL_PREFIX = "c-"
CALL, SERVED = "call.json", "served"
MAX_CALLS = 32
_LOOK_S = 0.2
_GRACE_S = 3.0
"""A process whose input has ended has so long to end by itself."""
_TAIL_BYTES = 4096
_MOST_CALL_BYTES = 1 << 20


def serve(folder: str, stop: threading.Event) -> None:
    """Serve calls to this node until ``stop`` is set; then end them all and clean up.

    A disk that fails for a while is tried again.

    Raises:
        Refused: the folder is somebody else's, or others may enter it.
    """
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    own_folder(folder)
    _remove_calls(folder)  # of an earlier start on this node
    side = Side(folder, SERVED)
    calls: Dict[str, _Call] = {}
    while not stop.is_set():
        try:
            side.say({"pid": os.getpid()})
            names = [n for n in os.listdir(folder) if n.startswith(CALL_PREFIX)]
        except OSError:
            names = []
        for name in names:
            if name not in calls and len(calls) < MAX_CALLS:
                calls[name] = _Call(os.path.join(folder, name), stop)
                calls[name].start()
        for name in [name for name, call in calls.items() if not call.is_alive()]:
            del calls[name]
        stop.wait(_LOOK_S)
    for call in calls.values():
        call.join(_GRACE_S)
    _remove_calls(folder)
    files.remove_quietly(os.path.join(folder, SERVED + ".json"))


def _remove_calls(folder: str) -> None:
    for name in os.listdir(folder):
        if name.startswith((CALL_PREFIX, ".new-")):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


class _Call(threading.Thread):
    """One process, started by the thread that serves it: it dies with it."""

    def __init__(self, folder: str, stop: threading.Event) -> None:
        super().__init__(name="clew-mail-call", daemon=True)
        self._folder = folder
        self._stopped = stop
        self._tail = b""

    def run(self) -> None:
        try:
            command = self._command()
            if command is not None:
                self._serve(command)
        except (OSError, Refused):
            pass  # the disk failed under it; the other side hears no sign of life any more
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _command(self) -> Optional[str]:
        found = os.lstat(self._folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise Refused("%s is not of this account" % self._folder)
        try:
            asked = texts.loads(
                files.read(os.path.join(self._folder, CALL), _MOST_CALL_BYTES) or b""
            )
        except (ValueError, RecursionError):
            return None
        command = asked.get("command") if isinstance(asked, dict) else None
        return command if isinstance(command, str) and "\0" not in command else None

    def _serve(self, command: str) -> None:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            start_new_session=True,
            preexec_fn=gpu_query.die_with_parent,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        source, sink = os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno())
        process.stdin.close()
        process.stdout.close()
        pump = Pump(self._folder, "server", "client", "out", "in", source, sink)
        try:
            self._turn(pump, process)
        finally:
            _kill_group(process)
            process.wait()
            pump.close()
            assert process.stderr is not None
            process.stderr.close()

    def _turn(self, pump: Pump, process: "subprocess.Popen[bytes]") -> None:
        ending_at: Optional[float] = None
        while not (self._stopped.is_set() or pump.peer.dead or pump.peer.word.get("kill")):
            pump.step()
            self._listen(process)
            pump.extra["said"] = self._tail.decode("utf-8", "replace")
            if pump.peer.word.get("end"):
                ending_at = ending_at or time.monotonic() + _GRACE_S
                if pump.source_ended or time.monotonic() > ending_at:
                    return
            elif pump.source_ended and pump.all_taken and pump.peer.word.get("closed"):
                return

    def _listen(self, process: "subprocess.Popen[bytes]") -> None:
        """Keep the end of what the process complains about, so that it is never held up."""
        assert process.stderr is not None
        fd = process.stderr.fileno()
        for _ in range(16):
            if not select.select([fd], [], [], 0)[0]:
                return
            data = os.read(fd, 1 << 16)
            if not data:
                return
            self._tail = (self._tail + data)[-_TAIL_BYTES:]


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
