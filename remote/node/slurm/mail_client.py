"""The asking side of :mod:`remote.node.slurm.mailbox`: a process on a node, as two descriptors."""

import os
import shutil
import threading
import time
import uuid

from remote.node import files, texts
from remote.node.slurm.mail_files import Peer, own_folder
from remote.node.slurm.mail_pump import Pump
from remote.node.slurm.mailbox import CALL, CALL_PREFIX, SERVED

_POLL_S = 0.05


def why_not_served(folder: str, limit_s: float) -> str:
    """Why nobody serves ``folder``; empty when somebody does. Waits ``limit_s`` for a sign of life.

    Raises:
        Refused: the folder is not only this account's.
    """
    if not os.path.isdir(folder):
        return "the job's keeper on that node has made no folder to be reached by"
    own_folder(folder)
    server = Peer(folder, SERVED)
    server.look()  # whatever lies there may be old; only a change shows life
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        time.sleep(_POLL_S)
        if server.look():
            return ""
    return "the job's keeper on that node gives no sign of life"


class MailProcess:
    """A process behind files; the interface is that of :class:`remote.node.slurm.step.Step`."""

    def __init__(self, folder: str, command: str) -> None:
        own_folder(folder)
        token = uuid.uuid4().hex
        made = os.path.join(folder, ".new-" + token)
        self._folder = os.path.join(folder, CALL_PREFIX + token)
        os.mkdir(made, 0o700)
        files.write_new(os.path.join(made, CALL), texts.dumps({"command": command}))
        taken, self.stdin = os.pipe()
        self.stdout, given = os.pipe()
        for fd in (self.stdin, self.stdout, taken, given):
            os.set_inheritable(fd, False)
        self._kill = threading.Event()
        self._closing = threading.Event()
        self.lost = ""
        """Why it broke off, where it did not end by itself."""
        os.rename(made, self._folder)
        files.sync_folder(folder)
        self._pump = Pump(self._folder, "client", "server", "in", "out", taken, given)
        self._thread = threading.Thread(target=self._run, name="clew-mail", daemon=True)
        self._thread.start()

    def said(self) -> str:
        """The last 4 KiB of its standard error."""
        said = self._pump.peer.word.get("said")
        return said if isinstance(said, str) else ""

    def hang_up(self) -> None:
        """Its input has ended; it has a moment to end by itself, and is killed then."""
        self._closing.set()

    def kill(self) -> None:
        """Have it killed."""
        self._kill.set()

    def wait(self, limit_s: float) -> bool:
        """Whether nothing is left of it within ``limit_s``."""
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pump = self._pump
        try:
            while not (self._kill.is_set() or pump.delivered):
                if self._closing.is_set():
                    pump.end_source()
                pump.step()
                if pump.peer.dead:
                    self.lost = "the job's keeper on that node gives no sign of life any more"
                    break
                if self._closing.is_set() and not os.path.isdir(self._folder):
                    break
            pump.extra.update({"kill": self._kill.is_set(), "closed": True})
            pump.end_source()
            pump.say()
        except FileNotFoundError:
            if not (self._closing.is_set() or self._kill.is_set()):
                self.lost = "the job's keeper on that node has ended"
        except OSError as error:
            if not (self._closing.is_set() or self._kill.is_set()):
                self.lost = "the shared disk failed: %s" % (error.strerror or error)
        finally:
            pump.close()
        if self.lost:  # nobody else will
            shutil.rmtree(self._folder, ignore_errors=True)
