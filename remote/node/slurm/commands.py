"""Calls of Slurm's clients: found, in a fixed language, under a time limit, and their errors.

A controller that does not answer is :class:`Silent`: nothing is known then, and never that a job
has ended. Clients wait for it for minutes by themselves.
"""

import os
import re
import shutil
import signal
import subprocess
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

from remote.node import wrapper
from remote.node.refused import Refused

FIELD, RECORD = "\x1f", "\x1e"
"""Between the fields of an answer, and before each of its lines: names hold blanks and bars."""
QUERY_LIMIT_S = 15.0
SUBMIT_LIMIT_S = 60.0
_SHELL_LIMIT_S = 30.0
_MOST_BYTES = 256 << 20
_PLACES = (
    "/usr/bin", "/usr/local/bin", "/opt/slurm/bin", "/opt/slurm/current/bin",
    "/usr/local/slurm/bin", "/usr/local/slurm/current/bin", "/cm/shared/apps/slurm/current/bin",
    "/cm/local/apps/slurm/current/bin", "/opt/software/slurm/bin", "/usr/slurm/bin",
)  # fmt: skip
"""Where sites put the clients, for accounts whose start-up files do not say it."""
_CHANGE_ANSWERS = re.compile(
    r"(SQUEUE|SINFO|SACCT|SCANCEL|SCONTROL)_.*|SLURM_(TIME_FORMAT|BITSTR_LEN|JSON|YAML|DEBUG)|"
    r"SBATCH_(WAIT|ARRAY_INX|EXPORT|GET_USER_ENV|TEST_ONLY|REQUEUE|NO_REQUEUE|SIGNAL|OPEN_MODE|"
    r"JOB_NAME|INPUT|OUTPUT|ERROR|DEBUG|QUIET|PARSABLE)"
)
"""Variables that would give a client other fields or forms than those asked for."""
_OF_A_JOB = re.compile(
    r"SLURM_(JOB|JOBID|STEP|TASK|NODE|NNODES|NTASKS|NPROCS|PROCID|LOCALID|GTIDS|SUBMIT|CPUS|GPUS|"
    r"MEM|PRIO|SRUN|LAUNCH|TOPOLOGY|WORKING|UMASK|DISTRIBUTION|EXPORT|HET|ARRAY|RESTART).*"
)
"""Variables of a job that the login itself runs in."""
_SILENT = re.compile(
    r"unable to contact slurm controller|socket timed out|zero bytes were transmitted|"
    r"connection (?:refused|reset|timed out|failure)|communication connection failure|"
    r"unable to establish controller machine|transport endpoint is not connected|no route to host|"
    r"connect failure|controller.{0,40}not respond|backup controller|in standby mode|"
    r"unexpected message (?:received|type)|insane message length|munge|"
    r"protocol authentication error|name or service not known|message receive failure|"
    r"temporarily unable to (?:accept|process)|resource temporarily unavailable|"
    r"could not resolve|host is unreachable|slurm backup controller",
    re.IGNORECASE,
)
_UNKNOWN_JOB = re.compile(r"invalid job ?id|job.{0,40}not found", re.IGNORECASE)
_MOST_SHOWN = 300


class Silent(Refused):
    """The controller did not answer, or not in time: nothing is known."""


class UnknownJob(Refused):
    """The controller answered, and knows no such job (any more)."""


class NoClient(Refused):
    """There is no such program."""


def run(
    argv: Sequence[str],
    limit_s: Optional[float] = None,
    setup: Sequence[str] = (),
    keep_open: Tuple[int, ...] = (),
) -> str:
    """Standard output of a client of Slurm, found by its name.

    Args:
        limit_s: None: what is enough for a question.
        setup: the profile's lines of shell, in case only they bring the clients.
        keep_open: descriptors that the client holds, too, for as long as it runs.

    Raises:
        NoClient: there is no program of that name.
        Silent: nothing came within ``limit_s``, or no controller was reached; the client and
            what it started are ended.
        UnknownJob: there is no such job.
        Refused: it said no; the message has its own words.
    """
    path, environment = _found(argv[0], tuple(setup))
    limit_s = QUERY_LIMIT_S if limit_s is None else limit_s
    out, said, status = _bounded([path, *argv[1:]], limit_s, environment, keep_open)
    if status is None:
        what = "Slurm's %s did not answer in %g s" % (argv[0], limit_s)
        raise Silent(what, "The job goes on by itself; try again later.")
    if status == 0:
        return out
    words = _words(said or out, argv[0])
    if _SILENT.search(said):
        what = "Slurm's controller does not answer: %s" % words
        raise Silent(what, "The job goes on by itself; try again later.")
    if _UNKNOWN_JOB.search(said):
        raise UnknownJob("Slurm knows no such job: %s" % words)
    raise Refused("Slurm's %s said: %s" % (argv[0], words or "nothing, and failed"))


def client(name: str, setup: Sequence[str] = ()) -> Tuple[str, Dict[str, str]]:
    """Where a client is, and the environment to start it in. Raises :class:`NoClient`."""
    return _found(name, tuple(setup))


def fields(answer: str, count: int) -> List[List[str]]:
    """The records of an answer whose format begins with RECORD and has FIELD between its fields.

    The last field may hold anything; records with too few fields are left out, so that one odd job
    does not hide the others.
    """
    records = [piece.rstrip("\n").split(FIELD, count - 1) for piece in answer.split(RECORD)[1:]]
    return [record for record in records if len(record) == count]


def form(*letters: str) -> str:
    """A ``--format`` of squeue or sinfo for :func:`fields`: no widths, so that nothing is cut."""
    return RECORD + FIELD.join(letters)


def there(name: str, setup: Sequence[str] = ()) -> bool:
    """Whether the login has this program."""
    try:
        _found(name, tuple(setup))
    except NoClient:
        return False
    return True


_environments: Dict[Tuple[str, ...], Dict[str, str]] = {}
_environments_lock = threading.Lock()


def _found(name: str, setup: Tuple[str, ...]) -> Tuple[str, Dict[str, str]]:
    """Where a client is, and the environment to run it in.

    The agent's own PATH first, then that of a login shell after the profile's setup lines (``module
    load slurm``), then the places where sites put it.
    """
    own = dict(os.environ)
    path = shutil.which(name)
    if path is None and "/" not in name:
        own = _login_environment(setup)
        places = os.pathsep.join([own.get("PATH", ""), *_PLACES])
        path = shutil.which(name, path=places)
    if path is None:
        what = "there is no %s for this account" % name
        remedy = (
            "Log in where jobs are submitted; if a module brings it, add it to environment.setup."
        )
        raise NoClient(what, remedy)
    folder = os.path.dirname(path)
    if folder not in own.get("PATH", "").split(os.pathsep):
        own["PATH"] = os.pathsep.join(filter(None, [own.get("PATH", ""), folder]))
    kept = {
        key: value
        for key, value in own.items()
        if not _CHANGE_ANSWERS.fullmatch(key) and not _OF_A_JOB.fullmatch(key)
    }
    return path, dict(kept, LC_ALL="C")


def _login_environment(setup: Tuple[str, ...]) -> Dict[str, str]:
    """What a login shell has, after the setup lines; where that fails, what the agent has."""
    with _environments_lock:
        if setup not in _environments:
            found = _asked_environment(setup) or _asked_environment(())
            if not found:
                return dict(os.environ)
            _environments[setup] = found
        return dict(_environments[setup])


def _asked_environment(setup: Tuple[str, ...]) -> Dict[str, str]:
    mark = "CLEW-%s" % os.urandom(8).hex()
    # `true` as the only line: the shell is a login shell also where there are no lines.
    script = ["/bin/sh", "-c", "printf '%s\\0' \"$0\"; exec env -0", mark]
    try:
        argv = wrapper.wrap(script, list(setup) or ["true"], {})
    except Refused:  # there is no bash
        return {}
    out, _, status = _bounded(argv, _SHELL_LIMIT_S, dict(os.environ), ())
    if status != 0:
        return {}
    pairs = out.partition(mark + "\0")[2].split("\0")
    return {key: value for key, equals, value in (p.partition("=") for p in pairs) if equals}


def _bounded(
    argv: List[str], limit_s: float, environment: Dict[str, str], keep_open: Tuple[int, ...]
) -> Tuple[str, str, Optional[int]]:
    """Output, error output, status; None: the time was up, and the whole group was killed."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            pass_fds=keep_open,
            start_new_session=True,
        )
    except OSError as error:
        raise NoClient("%s cannot be started: %s" % (argv[0], error.strerror or error))
    reader = _Reader(process)
    reader.start()
    reader.join(limit_s)
    if reader.is_alive():
        _kill(process)
        reader.join(1.0)  # a client in a hung file system may stay; it is left to itself
        return "", "", None
    return reader.out, reader.said, process.returncode


class _Reader(threading.Thread):
    """Reads both outputs to their ends: a client may write much to either."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        super().__init__(daemon=True)
        self._process = process
        self.out = self.said = ""

    def run(self) -> None:
        out, said = self._process.communicate()
        self.out, self.said = os.fsdecode(out[:_MOST_BYTES]), os.fsdecode(said[-65536:])


def _kill(process: "subprocess.Popen[Any]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass


def _words(said: str, name: str) -> str:
    """What a client complained about, without its prefixes, in one line."""
    lines = [
        re.sub(r"^(?:\S*: )?(?:error|fatal): |^%s: " % re.escape(name), "", line.strip())
        for line in said.splitlines()
        if line.strip()
    ]
    text = "; ".join(line for line in lines if line)
    return "".join(c if c.isprintable() else " " for c in text)[:_MOST_SHOWN]
