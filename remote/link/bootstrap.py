"""Gets an agent running behind whatever login shell an account has.

The login shell sees one fixed line, which sh, bash, csh, tcsh and fish read alike: it becomes
``/bin/sh``, which takes one more line from standard input. That line prints a random mark and
looks for a Python that is new enough. Everything before the mark is noise of start-up files.
Only after Python has printed the mark too are the sources sent, so that no other program ever
reads them as commands.
"""

from __future__ import annotations

import functools
import json
import secrets
import shlex
import threading
from pathlib import Path

import remote.node
from remote.channel import Channel
from remote.errors import ClewError, LinkLost, NodeError
from remote.node.procs import AGENT

COMMAND = """exec /bin/sh -c 'IFS= read -r c && eval "$c"'"""
"""What a connector is asked to run. Fixed, without line breaks, ``!`` and backslashes."""

MAX_NOISE_BYTES = 1 << 20
_TOO_OLD = 97
_CANDIDATES = ("/usr/bin/python3", "/usr/libexec/platform-python", "python")

# Old Pythons must be able to read this, up to the version check.
_LOADER = f"""
import os, sys
mark = sys.argv[1]
def say(word):
    os.write(1, (mark + " " + word + " %d.%d.%d\\n" % sys.version_info[:3]).encode("ascii"))
if sys.version_info < (3, 6):
    say("old")
    sys.exit({_TOO_OLD})
say("python")
def take(count):
    data = b""
    while len(data) < count:
        piece = os.read(0, min(65536, count - len(data)))
        if not piece:
            os._exit(0)
        data += piece
    return data
try:
    import json
    bundle = json.loads(take(int.from_bytes(take(8), "big")).decode("ascii"))
    space = {{"__name__": "clew_loader"}}
    exec(compile(bundle["sources"]["remote.node.loader"], "clew:loader", "exec"), space)
    space["start"](bundle)
except BaseException:
    import traceback
    traceback.print_exc()
    os._exit(0)
"""

_SCRIPT = (
    "m={mark}; printf '\\n%s sh\\n' \"$m\"; l={loader}; "
    "for p in {pythons}; do "
    'if command -v "$p" >/dev/null 2>&1; then '
    '"$p" -E -s -S -B -u -c "$l" "$m" {agent}; s=$?; '
    "if [ $s -eq 0 ] || [ $s -gt 128 ]; then exit $s; fi; "
    "fi; done; printf '%s none\\n' \"$m\"\n"
)


@functools.cache
def node_sources() -> dict[str, str]:
    """Module name -> source of everything that runs on a node."""
    folder = Path(remote.node.__path__[0])
    sources = {"remote": '"""Sent by Clew."""\n'}
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).with_suffix("").parts
        name = ".".join(("remote.node", *inside)).removesuffix(".__init__")
        sources[name] = path.read_text(encoding="utf-8")
    return sources


def script(mark: str, python: str | None) -> bytes:
    """The one line that ``/bin/sh`` reads from standard input."""
    pythons = ["python3"]
    # A line break cannot travel in one line, and no real path has one.
    if python and python.isprintable():
        pythons.append(_shell_path(python))
    pythons += _CANDIDATES
    loader = shlex.quote(f"exec({_LOADER!r})")
    line = _SCRIPT.format(mark=mark, loader=loader, agent=AGENT, pythons=" ".join(pythons))
    return line.encode("utf-8", "surrogateescape")


def _shell_path(path: str) -> str:
    if path.startswith("~/"):
        return '"$HOME"/' + shlex.quote(path[2:])
    return shlex.quote(path)


def bundle(node: str) -> bytes:
    """What the loader reads: eight bytes of length, then JSON."""
    text = json.dumps({"node": node, "sources": node_sources()}).encode("ascii")
    return len(text).to_bytes(8, "big") + text


class Deadline:
    """Kills what is at the other end when the time is up, so that whoever reads it goes on."""

    def __init__(self, channel: Channel, timeout_s: float) -> None:
        self.passed = False
        self._channel = channel
        self._timer = threading.Timer(timeout_s, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()

    def _pass(self) -> None:
        self.passed = True
        self._channel.kill()  # a shell that waits in its start-up files would stay for ever


class Bootstrap:
    """Brings up the agent on a fresh channel; :meth:`run` gives what came after the mark."""

    def __init__(self, channel: Channel, node: str, python: str | None) -> None:
        self._channel = channel
        self._node = node
        self._python = python
        self._mark = secrets.token_hex(16)
        self._buffer = b""
        self._found: list[str] = []
        self.noise = b""
        self.stage = "the login shell"
        """Who is being waited for; part of the message when the time is up."""

    def run(self) -> bytes:
        """Blocks until the agent has its sources; raises NodeError or LinkLost."""
        self._write(script(self._mark, self._python))
        self._skip_noise()
        self.stage = "a Python on the node"
        while True:
            words = self._line().split()
            if words[:2] == [self._mark, "old"]:
                self._found.append(f"Python {' '.join(words[2:])}"[:40])
            elif words[:2] == [self._mark, "none"]:
                raise self._no_python()
            elif words[:2] == [self._mark, "python"]:
                break
        self.stage = "the agent"
        self._write(bundle(self._node))
        return self._buffer

    def _write(self, data: bytes) -> None:
        try:
            self._channel.write(data)
        except LinkLost:
            # Nobody takes it any more: either the program at the other end is gone, and what it
            # said can be read up to the end, or the connection is, and reading raises too.
            while True:
                self._read("too much output from a shell that ended")

    def _skip_noise(self) -> None:
        end = f"\n{self._mark} sh\n".encode("ascii")
        while end not in self._buffer:
            self._read(f"its shell prints more than {MAX_NOISE_BYTES} bytes on login")
        self.noise, _, self._buffer = self._buffer.partition(end)

    def _line(self) -> str:
        while b"\n" not in self._buffer:
            self._read("too much output where a Python was expected")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("ascii", "replace")

    def _read(self, too_much: str) -> None:
        data = self._channel.read(1 << 16)
        if not data:
            raise self.ended()
        self._buffer += data
        if len(self._buffer) > MAX_NOISE_BYTES:
            remedy = "Make its start-up files (~/.bashrc) quiet when no terminal is attached."
            raise NodeError(too_much, node=self._node, remedy=remedy)

    def ended(self) -> NodeError | LinkLost:
        """The channel ended before the agent ran: say as much as is known."""
        said = _last_line(self._channel.stderr_tail()) or _last_line(
            self._buffer.decode("utf-8", "replace")
        )
        what = f"{self.stage} ended before the agent ran" + (f": {said}" if said else "")
        remedy = (
            "See that `ssh HOST exec /bin/sh -c env` lists variables: the account needs an "
            "ordinary shell (not rbash or nologin, no ForceCommand) that its ~/.bashrc does not "
            "end."
        )
        return NodeError(what, node=self._node, remedy=remedy)

    def failed(self, error: Exception) -> ClewError:
        """Any error on the way, as one that names the node."""
        if not isinstance(error, ClewError):
            remedy = "Connect again."
            return LinkLost(f"the connection broke: {error}", node=self._node, remedy=remedy)
        error.node = error.node or self._node
        return error

    def timed_out(self, timeout_s: float) -> NodeError:
        """Nothing more came in time: say who was waited for, and the likely cause."""
        said = _last_line(self._channel.stderr_tail())
        because = f" ({said})" if said else ""
        if self.stage == "the login shell":
            what = (
                f"the login shell did not run Clew's line in {timeout_s:g} s{because}: your shell "
                "start-up file replaces the shell, or waits for something"
            )
            remedy = (
                "Look in ~/.bashrc (or the shell's own start-up file) for `exec` of another shell "
                "or a question, and let it only happen in a terminal."
            )
            return NodeError(what, node=self._node, remedy=remedy)
        what = f"{self.stage} did not start in {timeout_s:g} s{because}"
        return NodeError(what, node=self._node, remedy="See whether the node is overloaded.")

    def _no_python(self) -> NodeError:
        found = f"; found only {', '.join(self._found)}" if self._found else ""
        said = _last_line(self._channel.stderr_tail())
        what = f"there is no Python 3.6 or newer on this node{found}" + (
            f" ({said})" if said else ""
        )
        remedy = "Set environment.python in the profile to a Python 3 on the node, or install one."
        return NodeError(what, node=self._node, remedy=remedy)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(c if c.isprintable() else " " for c in lines[-1])[:200] if lines else ""
