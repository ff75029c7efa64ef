"""Which of the desktops that watch a run controls it: a small file, and whoever keeps it fresh.

The file lies with the run's tasks on one node, the chief's. Agents keep the lease of their desktop
fresh as long as they live, and give it back when they end; one that is not kept fresh for
``STALE_S`` is nobody's. So a desktop that is dead, or away, keeps nobody from controlling the run.
"""

import os
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any, Dict, Optional

from remote.node import files, layout, meter, procs, texts

if TYPE_CHECKING:
    from remote.node.agent import Agent

STALE_S = 20.0
_RENEW_S = 5.0
_MAX_BYTES = 16 * 1024
Lease = Dict[str, Any]


def control(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Lease:
    """Ask for the control of a run: had if it is free or this desktop's, or by ``take``.

    Returns who has it now. From then on a change is told, until the run is let go.
    """
    keeper: Keeper = agent.service("control", lambda: Keeper(agent))
    path = os.path.join(
        layout.Layout(args["root"], agent.node).tasks(args["run_id"]), layout.CONTROL
    )
    who = {"desk": args["desk"], "name": args["name"], "pid": args["pid"]}
    return keeper.ask(args["run_id"], path, who, bool(args["take"]))


def release_control(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Watch a run no more; its control is free if it was this desktop's."""
    keeper: Keeper = agent.service("control", lambda: Keeper(agent))
    keeper.release(args["run_id"])


class Keeper:
    """The leases that this agent asks for; one thread renews them."""

    def __init__(self, agent: "Agent") -> None:
        self._agent = agent
        self._lock = threading.Lock()
        self._asked: Dict[str, _Asked] = {}
        agent.at_end.append(self._release_all)
        agent.background(self._loop)

    def ask(self, run_id: str, path: str, who: Lease, take: bool) -> Lease:
        with self._lock:
            asked = self._asked[run_id] = _Asked(path, who)
            asked.told = asked.renew(take)
            return asked.told

    def release(self, run_id: str) -> None:
        with self._lock:
            asked = self._asked.pop(run_id, None)
            if asked is not None:
                asked.release()

    def _release_all(self) -> None:
        # Without waiting: a disk that hangs must not keep the agent from ending.
        if self._lock.acquire(timeout=0.5):
            for asked in self._asked.values():
                asked.release()

    def _loop(self) -> None:
        while True:
            time.sleep(_RENEW_S)
            with self._lock:
                for run_id, asked in self._asked.items():
                    holder = asked.renew(False)
                    if holder["token"] != asked.told["token"]:
                        asked.told = holder
                        self._agent.send({"control": holder, "run": run_id})


class _Asked:
    """One run whose control a desktop has, or would have if it were free."""

    def __init__(self, path: str, who: Lease) -> None:
        self._path = path
        self._who = who
        self._token = uuid.uuid4().hex
        self.told: Lease = {}

    def renew(self, take: bool) -> Lease:
        """Who has the control now; this desktop if it can be had."""
        found = load(self._path)
        if found is not None and found["token"] != self._token and not take:
            same = found["desk"] == self._who["desk"]
            if is_fresh(found) and not same:
                return found
        mine = dict(self._who, token=self._token, boot=procs.boot_id(), tick=meter.tick())
        try:
            files.publish(self._path, texts.dumps(mine))
        except OSError:
            pass  # a full disk: whoever asks may control, as without a lease
        return mine

    def release(self) -> None:
        found = load(self._path)
        if found is not None and found["token"] == self._token:
            files.remove_quietly(self._path)


def load(path: str) -> Optional[Lease]:
    """The lease in a file; None: nobody has it, or somebody has damaged it."""
    data = files.read(path, _MAX_BYTES)
    try:
        lease = texts.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(lease, dict) or not isinstance(lease.get("tick"), (int, float)):
        return None
    words = all(isinstance(lease.get(key), str) for key in ("desk", "name", "token", "boot"))
    return lease if words else None


def is_fresh(lease: Lease) -> bool:
    """Whether it was renewed a moment ago. Boot time is counted: clocks can be set."""
    age: float = meter.tick() - lease["tick"]
    return lease["boot"] == procs.boot_id() and 0 <= age < STALE_S
