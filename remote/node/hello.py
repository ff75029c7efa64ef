"""Runs a short program as a task would be run, with a time limit and without leaving a file.

The process gets its spec on standard input and says what it found in lines that begin with a
mark. It ends with the check (``hello_stop``), with the time limit, or with the agent; its whole
process group does.
"""

import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set

from remote.node import gpu_query, layout, texts, wrapper
from remote.node.refused import Refused

if TYPE_CHECKING:
    from remote.node.agent import Agent

_KEPT_BYTES = 1 << 18
_LAST_LINES = 6


class Hellos:
    """The processes of one check on this node."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Set[int] = set()
        self._stopped: Set[str] = set()

    def add(self, token: str, pid: int) -> bool:
        """Whether it may go on: the check may have been stopped meanwhile."""
        with self._lock:
            self._running.add(pid)
            return token not in self._stopped

    def remove(self, pid: int) -> None:
        with self._lock:
            self._running.discard(pid)

    def stop(self, token: str) -> None:
        """End all of them; what is started later under ``token`` ends at once."""
        with self._lock:
            self._stopped.add(token)
        self.kill()

    def kill(self) -> None:
        with self._lock:
            for pid in self._running:
                _kill_group(pid)


def hello(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """Run it to its end: ``status`` (None: the time was up), ``lines`` marked, ``last`` words.

    ``payload`` is what it reads; the rest is as for :func:`remote.node.launch.start_task`.
    """
    hellos = _hellos(agent)
    app = layout.Layout(args["root"], agent.node).tree("app", "app", args["app"])
    if not os.path.isdir(app):
        raise Refused("the trainer is not on this node", "Check again.")
    wrapper.check_variables(args["variables"])
    variables = dict(args["variables"])
    given = variables.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    variables["PYTHONPATH"] = os.pathsep.join([app] + ([given] if given else []))
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    argv = [os.path.expanduser(args["python"])] + args["argv"] + [args["mark"]]
    process = subprocess.Popen(
        wrapper.wrap(argv, args["setup"], variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
        env=dict(os.environ, **variables),
        start_new_session=True,
        preexec_fn=gpu_query.die_with_parent,
    )
    try:
        if not hellos.add(args["token"], process.pid):
            _kill_group(process.pid)
        status, out = _talk(process, payload, args["limit_s"])
    finally:
        _kill_group(process.pid)
        process.wait()
        hellos.remove(process.pid)
    return _answer(status, out, args["mark"])


def hello_stop(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """End every process of this check; returns when they are told."""
    _hellos(agent).stop(args["token"])


def _hellos(agent: "Agent") -> Hellos:
    def make() -> Hellos:
        made = Hellos()
        agent.at_end.append(made.kill)
        return made

    found: Hellos = agent.service("hellos", make)
    return found


def _talk(process: Any, payload: bytes, limit_s: float) -> Any:
    try:
        out, _ = process.communicate(payload, timeout=limit_s)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        _kill_group(process.pid)
        out, _ = process.communicate()
        return None, out


def _answer(status: Optional[int], out: bytes, mark: str) -> Dict[str, Any]:
    marked: List[Dict[str, Any]] = []
    rest: List[str] = []
    for raw in out[-_KEPT_BYTES:].decode("utf-8", "replace").splitlines():
        if raw.startswith(mark):
            try:
                marked.append(texts.loads(raw[len(mark) :].encode("utf-8")))
            except ValueError:
                continue
        else:
            line = "".join(c for c in raw.strip() if c.isprintable())[:300]
            rest += [line] if line else []
    return {"status": status, "lines": marked, "last": rest[-_LAST_LINES:]}


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
