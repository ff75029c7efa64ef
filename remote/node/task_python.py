"""Tries the Python that tasks will run with, through the very wrapper that tasks use."""

import os
import signal
import subprocess
import uuid
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from remote.node import procs, texts, wrapper
from remote.node.refused import Refused

MIN_VERSION = (3, 10)
"""The trainer's own requirement."""
LIMIT_S = 40.0
_DRAIN_S = 2.0
_CHECK = "CLEW_CHECK"
"""In the environment of a check's processes, so that they can be found."""
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy", "no_grpc_proxy", "no_proxy")
"""What gRPC reads of a task's environment, in lower case only (gRPC core, ``HttpProxyMapper``)."""

# Python 2 must be able to run this far, to be named. TensorFlow is looked up, not imported:
# importing takes seconds and may start the GPU.
_SCRIPT = """
import os, sys, json
mark = sys.argv[1]
out = {"executable": sys.executable or "", "version": "%d.%d.%d" % sys.version_info[:3],
       "tensorflow": None,
       "proxies": dict((n, os.environ[n][:2000]) for n in sys.argv[2:] if os.environ.get(n))}
names = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm", "tf-nightly",
         "tf-nightly-cpu", "intel-tensorflow", "tensorflow-intel", "tensorflow-cpu-aws",
         "tensorflow-macos", "tensorflow-aarch64")
if sys.version_info >= (3, 8):
    import importlib.util, importlib.metadata
    if importlib.util.find_spec("tensorflow") is not None:
        out["tensorflow"] = "unknown"
        for name in names:
            try:
                out["tensorflow"] = importlib.metadata.version(name)
                break
            except importlib.metadata.PackageNotFoundError:
                pass
#base
sys.stdout.write("\\n" + mark + json.dumps(out) + "\\n")
"""

# What decides which wheels fit (PEP 425, 508, 600), and whether environments can be made.
_BASE = """
import platform, sysconfig
pips = []
try:
    import ensurepip, venv, glob
    ensurepip.version()
    has_pip = True
    places = [os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"),
              sysconfig.get_config_var("WHEEL_PKG_DIR") or "/usr/share/python-wheels"]
    for place in places:
        pips = pips or glob.glob(os.path.join(glob.escape(place), "pip-*.whl"))
except Exception:
    has_pip = False
try:
    libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
except (AttributeError, ValueError, OSError):
    libc = ""
i = sys.implementation.version
kind = "" if i.releaselevel == "final" else i.releaselevel[0] + str(i.serial)
out["base"] = {
    "executable": sys.executable or "", "version": out["version"], "prefix": sys.prefix,
    "machine": platform.machine(), "platform": sysconfig.get_platform(), "libc": libc,
    "soabi": sysconfig.get_config_var("SOABI") or "", "ensurepip": has_pip,
    "pip_wheel": (pips or [""])[0],
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "markers": {
        "implementation_name": sys.implementation.name,
        "implementation_version": "%d.%d.%d" % i[:3] + kind,
        "os_name": os.name, "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(), "platform_system": platform.system(),
        "platform_version": platform.version(), "sys_platform": sys.platform,
        "python_full_version": platform.python_version(),
        "python_version": "%d.%d" % sys.version_info[:2]}}
"""


class TaskPython(NamedTuple):
    """What was found. ``problems``: (what, remedy), each of which keeps a node from training."""

    executable: str
    version: str
    tensorflow: Optional[str]
    problems: Tuple[Tuple[str, str], ...]
    proxies: Dict[str, str] = {}
    base: Dict[str, Any] = {}
    """What an environment that is made from it depends on, where that was asked for."""
    too_old: bool = False


def examine(
    python: str, setup: Sequence[str], variables: Dict[str, str], base: bool = False
) -> TaskPython:
    """Run ``python`` as a task would be run and report its version and TensorFlow's.

    ``base``: environments are to be made from it, so TensorFlow need not be there.
    """
    mark = uuid.uuid4().hex
    # Python 2 and 3.7 lack modules that the longer script needs; they are told by the shorter one.
    extra = "if sys.version_info >= (3, 8):\n" + _indented(_BASE) if base else ""
    script = _SCRIPT.replace("#base\n", extra)
    argv = [os.path.expanduser(python), "-c", script, mark, *PROXIES]
    try:
        wrapper.check_variables(variables)
        status, out, err = run(wrapper.wrap(argv, setup, variables), variables)
    except Refused as error:
        return _broken(python, error.what, error.remedy)
    except OSError as error:
        return _broken(python, *_no_python(python, setup, error.strerror or str(error)))
    found = report(out, mark)
    if found is None:
        return _broken(python, *_explain(python, setup, status, err))
    return _judge(found, base)


def _indented(script: str) -> str:
    return "".join("    %s\n" % line for line in script.splitlines() if line)


def run(argv: List[str], variables: Dict[str, str]) -> Tuple[Optional[int], bytes, bytes]:
    """Exit status (None: it took too long), standard output and error."""
    mark = uuid.uuid4().hex
    own = {wrapper.TELL_LINES: "1", _CHECK: mark}
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ, **dict(variables, **own)),
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=LIMIT_S)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        _end_all(process.pid, mark)
    try:
        out, err = process.communicate(timeout=_DRAIN_S)
    except subprocess.TimeoutExpired as late:  # somebody unknown holds the pipes
        out, err = late.stdout or b"", late.stderr or b""
    return None, out, err


def _end_all(group: int, mark: str) -> None:
    """Kill a check's process group, and what its setup lines have started beside it."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for pid in procs.mine():
        if procs.environment(pid).get(_CHECK.encode()) == mark.encode():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def report(out: bytes, mark: str) -> Optional[Dict[str, Any]]:
    """The JSON object on the line that begins with ``mark``; None: there is none."""
    for line in out.decode("utf-8", "replace").splitlines():
        if line.startswith(mark):
            try:
                found = texts.loads(line[len(mark) :].encode("utf-8"))
            except ValueError:
                return None
            return found if isinstance(found, dict) else None
    return None


def _judge(report: Dict[str, Any], base: bool) -> TaskPython:
    executable, version = str(report["executable"]), str(report["version"])
    tensorflow = report["tensorflow"]
    problems = []
    too_old = tuple(int(part) for part in version.split(".")[:2]) < MIN_VERSION
    if too_old:
        what = "%s is Python %s, and the trainer needs %d.%d or newer"
        has = "" if base else " that has TensorFlow"
        remedy = "Set environment.python in the profile to a newer Python%s." % has
        problems.append((what % (executable, version, *MIN_VERSION), remedy))
    elif tensorflow is None and not base:
        what = "there is no TensorFlow in %s (Python %s)" % (executable, version)
        remedy = (
            "Set environment.python in the profile to a Python that has TensorFlow, "
            "or environment.packages to what Clew is to install for it, like "
            '["tensorflow==2.21.*"].'
        )
        problems.append((what, remedy))
    return TaskPython(executable, version, tensorflow, tuple(problems), report["proxies"],
                      report.get("base", {}), too_old)  # fmt: skip


def _explain(
    python: str, setup: Sequence[str], status: Optional[int], err: bytes
) -> Tuple[str, str]:
    told = [line for line in _lines(err) if line.startswith(wrapper.LINE_MARK)]
    before, last = ["", "", *(line for line in _lines(err) if line not in told)][-2:]
    if status is None:
        return _hangs(python, setup, told)
    if status == wrapper.SETUP_FAILED and last.startswith(wrapper.SETUP_MARK):
        line = last.partition(": ")[2].partition(": ")[2]
        what = "the setup line %r failed%s" % (line, ": " + before if before else "")
        return what, "Correct environment.setup in the profile."
    if setup and status in (126, 127):
        return _no_python(python, setup, last)
    words = ": " + last if last else ""
    if setup:
        what = "%s gave no answer after the setup lines (exit status %d)%s"
        remedy = (
            "See on the node whether a line of environment.setup ends the shell (exit, set -u, "
            "exec), and whether environment.python is a working Python."
        )
        return what % (python, status, words), remedy
    what = "%s does not work (exit status %d)%s" % (python, status, words)
    return what, "Set environment.python in the profile to a working Python."


def _hangs(python: str, setup: Sequence[str], told: List[str]) -> Tuple[str, str]:
    """Who gave no answer: the shell's own files, one of the lines, or Python after all of them."""
    if setup and not told:
        what = "bash -l did not get to environment.setup in %d s" % LIMIT_S
        return what, "See what ~/.bash_profile, ~/.profile or ~/.bashrc wait for on the node."
    last = told[-1][len(wrapper.LINE_MARK) :] if told else ""
    number = int(last) if last.isdigit() else 0
    if 0 < number <= len(setup):
        what = "the setup line %r did not end in %d s" % (setup[number - 1], LIMIT_S)
        return what, "See what it waits for on the node, and correct environment.setup."
    what = "%s gave no answer in %d s" % (python, LIMIT_S)
    return what, "See what it waits for on the node."


def _lines(raw: bytes) -> List[str]:
    """Lines that hold something, printable, each cut to a readable length."""
    lines = [line.strip() for line in raw.decode("utf-8", "replace").splitlines()]
    shown = ["".join(c for c in line if c.isprintable())[:300] for line in lines if line]
    kept: List[str] = texts.to_system(shown)
    return kept


def _no_python(python: str, setup: Sequence[str], reason: str) -> Tuple[str, str]:
    where = " after the setup lines" if setup else ""
    what = "there is no Python at %s%s (%s)" % (python, where, reason)
    return what, "Set environment.python in the profile to a Python that has TensorFlow."


def _broken(python: str, what: str, remedy: str) -> TaskPython:
    return TaskPython(python, "", None, ((what, remedy),))
