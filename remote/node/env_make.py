"""Makes an environment: a virtual environment of Python's own, filled by pip.

It is made where it will stay, because its programs name their place. Beside it lies an unfinished
folder with the lock of its only maker and the wheels that were fetched so far; they serve whoever
goes on after a killed agent. The environment is none before its note is in it, which comes last.
"""

import glob
import os
import threading
import time
import zipfile
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from remote.node import (
    children,
    environments,
    layout,
    parts,
    pip_words,
    refused,
    task_python,
    wrapper,
)
from remote.node.fetched import Fetched
from remote.node.refused import Refused

if TYPE_CHECKING:
    from remote.node.agent import Agent

_LOCK_POLL_S = 0.2
_TELL_S = 0.2
_STALE_S = 86400.0
_SILENCE_S = 900.0
"""Installing TensorFlow on a slow shared disk prints nothing for minutes."""
_PIP = ("--disable-pip-version-check", "--no-input", "--no-cache-dir", "--progress-bar", "off")
_QUICK = ("--retries", "1", "--timeout", "8")
_PATIENT = ("--timeout", "20")
_UNSET = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PYTHONHOME")
"""What would lead pip elsewhere than into the environment; what names an index stays."""


def make_environment(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> Dict[str, Any]:
    """Make an environment, unless it is there; ``python`` is its Python.

    Args of the request: ``root``, ``python``, ``setup``, ``variables``, ``packages``; ``wheels``:
    a folder of wheels on this node, with their ``digest``, or empty: an index; ``give_up``: be
    quick to say that no index answers; ``token``: names the request for a cancel.

    Where no index answers, ``no_index`` says why. Progress comes as ``progress`` frames.
    """
    stop: threading.Event = _stops(agent).setdefault(args["token"], threading.Event())
    try:
        return _Making(agent, number, args, stop.is_set).run()
    except OSError as error:
        raise refused.from_os_error(error, agent.node, args["root"])
    finally:
        _stops(agent).pop(args["token"], None)


def cancel_environment(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Stop the making that has this ``token``, which then leaves nothing."""
    _stops(agent).setdefault(args["token"], threading.Event()).set()


def _stops(agent: "Agent") -> Dict[str, threading.Event]:
    found: Dict[str, threading.Event] = agent.service("environment stops", dict)
    return found


class _Making:
    def __init__(
        self, agent: "Agent", number: int, args: Dict[str, Any], cancelled: Callable[[], bool]
    ) -> None:
        self._agent, self._number, self._args = agent, number, args
        self._cancelled = cancelled
        self._paths = layout.Layout(args["root"], agent.node)
        self._base: Dict[str, Any] = {}
        self._python = ""
        self._final = self._part = ""
        self._lock: Optional[int] = None
        self._told, self._told_at = "", 0.0

    def run(self) -> Dict[str, Any]:
        args = self._args
        wrapper.check_variables(args["variables"])
        self._python, found = environments.base_python(
            args["python"], args["setup"], args["variables"]
        )
        for what, remedy in found.problems:
            raise Refused(what, remedy)
        self._base = found.base
        key = environments.key_of(self._base, args["packages"], args["digest"])
        parent = self._paths.environments
        os.makedirs(parent, mode=0o700, exist_ok=True)
        _remove_stale(parent)
        there = self._hold(key)
        if there:
            return self._have(there)
        assert self._lock is not None
        try:
            if environments.is_whole(self._final):  # another's, just now
                parts.discard(self._part)
                return self._have(self._final)
            return self._make()
        finally:
            os.close(self._lock)

    def _have(self, folder: str) -> Dict[str, Any]:
        environments.used(folder)
        return {"python": environments.python_in(folder)}

    def _hold(self, key: str) -> str:
        """Become its only maker; the folder, if it turns out to be there."""
        while True:
            for folder in environments.names(self._paths, key):
                if environments.is_whole(folder):
                    return folder
            if self._cancelled():
                raise Refused("the environment was cancelled")
            try:
                self._name(key)
                self._lock = parts.hold(self._part)
                return ""
            except BlockingIOError:
                self._tell("environment: another node makes it", 0, 1, "steps")
                time.sleep(_LOCK_POLL_S)
            except OSError as error:
                if error.errno not in parts.NO_LOCKS:
                    raise
                parts.discard(self._part)
                self._name(environments.own_key(self._paths, key))
                os.makedirs(self._part, mode=0o700, exist_ok=True)
                self._lock = parts.open_journal(self._part)
                return ""

    def _name(self, key: str) -> None:
        self._final = self._paths.environment(key)
        self._part = os.path.join(self._paths.environments, layout.PART_PREFIX + key)

    def _make(self) -> Dict[str, Any]:
        fetched = Fetched(self._part)
        keep = False
        try:
            parts.discard(self._final)
            fetched.begin()
            no_index = self._start(fetched)
            if no_index:
                parts.discard(self._final)
                return {"no_index": no_index}
            self._install(fetched)
            self._finish()
            return {"python": environments.python_in(self._final)}
        except (_Failed, children.Stopped) as failed:
            parts.discard(self._final)
            keep = isinstance(failed, _Failed) and failed.why.network and bool(fetched.names())
            if isinstance(failed, children.Stopped):
                raise Refused("the environment was cancelled")
            raise Refused(failed.why.what, failed.why.remedy)
        except BaseException:
            parts.discard(self._final)
            raise
        finally:
            if not keep:  # last: whoever waits for it begins when it is gone
                parts.discard(self._part)

    def _start(self, fetched: Fetched) -> str:
        """Have the environment and its wheels at hand; why not, where wheels may be sent yet."""
        if not self._pip_wheel() and not self._base["ensurepip"]:
            why = _no_ensurepip(self._base)
            if self._args["give_up"]:
                return why.what
            raise _Failed(why)
        self._create(fetched)
        return "" if self._args["wheels"] else self._fetch(fetched)

    def _create(self, fetched: Fetched) -> None:
        """An empty environment with pip in it."""
        self._tell("environment: making it", 0, 1, "steps")
        argv = [os.path.expanduser(self._python), "-I", "-m", "venv"]
        wheel = self._pip_wheel()
        if wheel:
            argv.append("--without-pip")  # unpacking its wheel is done in no time
        ended = self._run(fetched, [*argv, self._final])
        if ended.status:
            raise _Failed(self._explain(ended, "no environment can be made from %s" % self._python))
        if wheel:
            self._unpack(wheel)

    def _pip_wheel(self) -> str:
        """A wheel of pip: Python's own, or one that was sent; empty: there is none."""
        own: str = self._base["pip_wheel"]
        if own and os.access(own, os.R_OK):
            return own
        sent = self._args["wheels"]
        found = glob.glob(os.path.join(glob.escape(sent), "pip-*.whl")) if sent else []
        return found[0] if found else ""

    def _unpack(self, wheel: str) -> None:
        (folder,) = self._site_packages()
        try:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        except (zipfile.BadZipFile, EOFError, ValueError) as error:
            raise Refused("%s is damaged: %s" % (wheel, error), "Look at that file on the node.")

    def _fetch(self, fetched: Fetched) -> str:
        """Have pip gather wheels, building those that there are only sources of.

        Returns why no index answers, where that is an answer.
        """
        argv = [*self._pip(), "wheel", *_PIP, "-w", fetched.wheels]

        def tick() -> int:
            done = fetched.harvest()
            self._tell("environment: fetching packages", done, fetched.total(done), "bytes")
            return done

        for patience in (_QUICK, _PATIENT) if self._args["give_up"] else (_PATIENT,):
            command = [*argv, *patience, "--", *self._args["packages"]]
            ended = self._run(fetched, command, fetched.heard, tick)
            if not ended.status:
                return ""
            why = self._explain(ended)
            if not why.network:
                raise _Failed(why)
            if patience is _QUICK and not fetched.answered:
                return why.what
        raise _Failed(why)

    def _install(self, fetched: Fetched) -> None:
        folder = self._args["wheels"] or fetched.wheels
        count = max(1, len(glob.glob(os.path.join(glob.escape(folder), "*.whl"))))
        before = self._installed()
        argv = [
            *self._pip(),
            "install",
            *_PIP,
            "--no-user",
            "--no-index",
            "--no-warn-script-location",
        ]

        def tick() -> int:
            done = self._installed() - before
            self._tell("environment: installing packages", min(done, count), count, "steps")
            return done

        ended = self._run(
            fetched, [*argv, "--find-links", folder, "--", *self._args["packages"]], on_tick=tick
        )
        if ended.status:
            raise _Failed(self._explain(ended))

    def _finish(self) -> None:
        """Try it as tasks will use it, then write the note that makes it one."""
        args = self._args
        found = task_python.examine(
            environments.python_in(self._final), args["setup"], args["variables"], base=True
        )
        for what, remedy in found.problems:
            raise Refused("the environment does not work: " + what, remedy)
        environments.finish(self._final, args, self._base, found)

    def _pip(self) -> List[str]:
        """How pip is called. Isolated from what modules put on PYTHONPATH, not from pip.conf."""
        return [environments.python_in(self._final), "-I", "-m", "pip"]

    def _installed(self) -> int:
        """How many packages are in it: pip writes these folders last."""
        (folder,) = self._site_packages()
        return sum(name.endswith(".dist-info") for name in os.listdir(folder))

    def _site_packages(self) -> List[str]:
        pattern = os.path.join(glob.escape(self._final), "lib", "python3*", "site-packages")
        return glob.glob(pattern)

    def _run(
        self,
        fetched: Fetched,
        argv: List[str],
        on_line: Callable[[str], None] = lambda line: None,
        on_tick: Callable[[], object] = lambda: None,
    ) -> children.Ended:
        assert self._lock is not None
        own = {"TMPDIR": fetched.scratch, "PYTHONUNBUFFERED": "1"}
        given = {k: v for k, v in self._args["variables"].items() if k not in _UNSET}
        variables = dict(given, **own)
        env = {k: v for k, v in os.environ.items() if k not in _UNSET}
        return children.run(
            wrapper.wrap(argv, self._args["setup"], variables),
            env=dict(env, **variables),
            cwd=fetched.scratch,
            cancelled=self._cancelled,
            on_line=on_line,
            on_tick=on_tick,
            silence_s=_SILENCE_S,
            keep_fds=[self._lock],
        )

    def _explain(self, ended: children.Ended, what: str = "") -> pip_words.Explained:
        where = "%s:%s" % (self._agent.node, self._paths.root)
        why = pip_words.explain(ended.lines, self._base["version"], where)
        if what and not why.full:
            last = ended.lines[-1] if ended.lines else "exit status %d" % ended.status
            return pip_words.Explained(
                "%s: %s" % (what, last[:300]), "Set environment.python to another Python."
            )
        return why

    def _tell(self, action: str, done: int, total: int, unit: str) -> None:
        now = time.monotonic()
        if action == self._told and now - self._told_at < _TELL_S:
            return
        self._told, self._told_at = action, now
        message = {"action": action, "done": done, "total": total, "unit": unit}
        self._agent.send(dict(message, progress=self._number))


class _Failed(Exception):
    def __init__(self, why: pip_words.Explained) -> None:
        super().__init__(why.what)
        self.why = why


def _no_ensurepip(base: Dict[str, Any]) -> pip_words.Explained:
    minor = ".".join(base["version"].split(".")[:2])
    what = "%s (Python %s) has no ensurepip, which environments are made with"
    remedy = (
        "Install it (on Debian and Ubuntu: apt-get install python%s-venv), set environment.python "
        "to another Python, or environment.wheels to desktop, which brings pip along." % minor
    )
    return pip_words.Explained(what % (base["executable"], base["version"]), remedy)


def _remove_stale(parent: str) -> None:
    """Remove what was left unfinished a day ago, and environments that nobody will finish."""
    parts.remove_stale(parent)
    limit = time.time() - _STALE_S
    for name in os.listdir(parent):
        folder = os.path.join(parent, name)
        part = os.path.join(parent, layout.PART_PREFIX + name)
        noted = os.path.exists(os.path.join(folder, layout.ENVIRONMENT))
        if name.startswith(".") or noted or os.path.lexists(part):
            continue
        # By age too: a network file system may not show another node's note at once.
        try:
            if os.lstat(folder).st_mtime < limit:
                parts.discard(folder)
        except OSError:
            continue
