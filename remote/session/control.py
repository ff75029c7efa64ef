"""Who controls a run that several desktops watch, as this desktop knows it."""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from remote.errors import ClewError
from remote.link import ControlData, Desk
from remote.session.requests import in_background
from remote.updates import ControlUpdate
from trainer.spec import CHIEF

if TYPE_CHECKING:
    from remote.session.cluster import ClusterSession
    from remote.session.node import Node
    from remote.session.run import Run

NAME_VARIABLE = "CLEW_DESKTOP_NAME"
_ID_FILE = "desktop-id"


def this_desk(folder: Path) -> Desk:
    """This desktop: one for each folder of data, whichever program of it asks."""
    return Desk(id=_desk_id(folder), name=_name(), pid=os.getpid())


def _name() -> str:
    """``ana@laptop``, or what the user says."""
    named = os.environ.get(NAME_VARIABLE, "")
    if named:
        return named[:100]
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "somebody"
    return f"{user}@{socket.gethostname()}"[:100]


def _desk_id(folder: Path) -> str:
    path = folder / _ID_FILE
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), path.open("x", encoding="ascii") as file:
            file.write(secrets.token_hex(16))
        found = path.read_text(encoding="ascii", errors="replace").strip()
        if found:
            return found[:64]
    return secrets.token_hex(16)  # a folder that takes no file: this process is a desktop


class Control:
    """The control of one run. Where the chief's node cannot be asked, nobody is kept from it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._desk = this_desk(run.home.history.folder)
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        """Held while the node is asked, so that what is let go is not asked for after that."""
        self._released = False
        self._holder = ""

    @property
    def holder(self) -> str:
        """The other desktop that controls the run; empty: this one does, or none."""
        return self._holder

    def ask(self, node: str) -> None:
        """Ask for it when the chief's ``node`` has answered; blocks. Raises NodeError, LinkLost."""
        with self._asking:
            if node == self._node and not self._released:
                self._request(take=False)

    def take(self) -> None:
        """Take it from whoever has it; blocks.

        Raises:
            ClewError: the chief's node does not answer.
        """
        self._request(take=True)

    def told(self, item: ControlData) -> None:
        """Somebody else has taken it, or let it go."""
        holder = "" if item.desk == self._desk.id else item.name
        with self._lock:
            if holder == self._holder:
                return
            self._holder = holder
        self._run.home.tell(ControlUpdate(run_id=self._run.run_id, holder=holder))

    def release(self) -> None:
        """Let it go, in the background; agents that end do so too."""
        node = self._run.home.nodes.get(self._node)
        if node is not None and node.connected:
            in_background(self._run.run_id, lambda: self._release(node))

    def _release(self, node: Node) -> None:
        with self._asking:
            self._released = True
            node.link().release_control(self._run.run_id)

    @property
    def _node(self) -> str:
        tasks = self._run.picture.tasks
        first = tasks.get(CHIEF) or next(iter(tasks.values()), None)
        return first.node if first is not None else ""

    def _request(self, *, take: bool) -> None:
        node = self._run.home.nodes.get(self._node)
        if node is None:
            raise ClewError(f"the node of {CHIEF} is not in this profile")
        root = self._run.roots[self._node]
        item = node.link().control(root=root, run_id=self._run.run_id, desk=self._desk, take=take)
        self.told(item)


def claim(session: ClusterSession, run_id: str, *, take: bool) -> str:
    """Ask for the control of a run before something is done to it. Blocks.

    Returns:
        The other desktop that has it; empty: this one has it now, or nobody can be asked.
    """
    tasks = {task.task: task for task in session.history.tasks(run_id)}
    chief = tasks.get(CHIEF) or next(iter(tasks.values()), None)
    node = session.nodes.get(chief.node) if chief is not None else None
    if chief is None or node is None or not node.connected:
        return ""
    desk = this_desk(session.history.folder)
    try:
        item = node.link().control(root=chief.root, run_id=run_id, desk=desk, take=take)
    except ClewError:
        return ""  # it does not answer: whoever stops is told so by the stop itself
    return "" if item.desk == desk.id else item.name
