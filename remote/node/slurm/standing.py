"""How a job of Clew's stands: what squeue, scontrol and, where it is there, sacct say together.

Whatever cannot be learned is *unknown*; only a controller that answers ends a job here.
"""

import pwd
import re
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from remote.node.refused import Refused
from remote.node.slurm import commands, hostlist, jobids, queue, reasons, states, times
from remote.node.slurm.commands import Silent, UnknownJob

Known = NamedTuple("Known", [("job", str), ("cluster", str), ("token", str)])
"""A job that was submitted; ``token`` is its name, and in its comment."""

_FIELDS = ("%i", "%T", "%r", "%N", "%S", "%L", "%Q", "%P", "%k", "%j")
_FEWER = ("%i", "%T", "%r", "%N", "%j")
"""For clients that refuse a word of the above."""
_NOT_SOON_S = 300 * 86400.0
"""Behind jobs without a time limit Slurm's estimate is a year: that says nothing."""
_GONE = "Slurm does not know it any more"
_DETAIL = {
    "state": r"\bJobState=(\S+)",
    "reason": r"\bReason=(.*?) Dependency=",
    "restarts": r"\bRestarts=([0-9]+)",
    "exit": r"\bExitCode=([0-9]+:[0-9]+)",
    "name": r"\bJobName=(.*)",
    "comment": r"^\s*Comment=(.*)",
    "nodes": r"^\s*NodeList=(\S*)",
    "start": r"\bStartTime=(\S+)",
}


def stands(known: Known, setup: Sequence[str] = ()) -> Dict[str, Any]:
    """The fields of ``slurm_job``'s answer."""
    blank = empty(known.job, known.cluster)
    try:
        row, detail = _row(known, setup), _detail(known, setup)
        if row is None and detail is None:
            return dict(blank, **_remembered(known, setup))
    except Silent as error:
        return dict(blank, state=states.UNKNOWN, words=error.what)
    except Refused as error:
        return dict(blank, state=states.UNKNOWN, words=error.what, reason=error.what)
    found = dict(detail or {}, **(row or {}))
    told = _in_words(found)
    if told["state"] == states.CANCELLED:
        said = _remembered(known, setup)  # who did it, which squeue does not tell
        told["words"] = said["words"] if said["state"] == told["state"] else told["words"]
    return dict(blank, **told, **_when(known, found, setup))


def empty(job: str = "", cluster: str = "", words: str = "") -> Dict[str, Any]:
    """The answer about a job that nobody knows."""
    return {
        "job": job, "cluster": cluster, "state": states.NONE, "raw": "", "reason": "",
        "words": words, "will_start": None, "position": None, "start_at": None,
        "time_left_s": None, "nodes": [], "restarts": None, "exit": "", "partition": "",
    }  # fmt: skip


def _row(known: Known, setup: Sequence[str]) -> Optional[Dict[str, str]]:
    """What squeue lists; None: it knows no such job."""
    for letters in (_FIELDS, _FEWER):
        try:
            argv = ["squeue", "-h", *on(known.cluster), "-t", "all", "-j", known.job]
            answer = commands.run([*argv, "-o", commands.form(*letters)], setup=setup)
        except (Silent, commands.NoClient):
            raise
        except UnknownJob:
            return None
        except Refused:
            if letters is _FEWER:
                raise
            continue
        for values in commands.fields(answer, len(letters)):
            row = {_NAMES[letter]: values[at].strip() for at, letter in enumerate(letters)}
            if _is(known, row):
                return row
        return None
    return None


_NAMES = {
    "%i": "job", "%T": "state", "%r": "reason", "%N": "nodes", "%S": "start", "%L": "left",
    "%Q": "priority", "%P": "partition", "%k": "comment", "%j": "name",
}  # fmt: skip


def _is(known: Known, row: Dict[str, str]) -> bool:
    """Ids are given again after a while, and by a controller that was set up anew."""
    if known.token not in (row.get("name"), row.get("comment")):
        return False
    try:
        return "job" not in row or jobids.parse(row["job"]).parent == known.job
    except Refused:
        return False


def _detail(known: Known, setup: Sequence[str]) -> Optional[Dict[str, str]]:
    """What scontrol knows besides: restarts and the exit. None: it knows no such job."""
    try:
        answer = commands.run(
            ["scontrol", *on(known.cluster), "show", "job", known.job], setup=setup
        )
    except UnknownJob:
        return None
    except Silent:
        raise
    except Refused:
        return {}
    found = {}
    for name, pattern in _DETAIL.items():
        match = re.search(pattern, answer, re.MULTILINE)
        if match:
            found[name] = match.group(1).strip()
    return found if _is(known, found) else None


def _remembered(known: Known, setup: Sequence[str]) -> Dict[str, Any]:
    """What the accounting has of a job that the controller has forgotten, or of its end.

    A job that goes on there, and that the controller does not know, was lost by it.
    """
    gone = {"state": states.NONE, "words": _GONE}
    columns = ("JobID", "State", "ExitCode", "NodeList", "JobName")
    argv = ["sacct", "-n", "-X", "-P", "--delimiter=" + commands.FIELD, *on(known.cluster)]
    try:
        answer = commands.run([*argv, "-j", known.job, "-o", ",".join(columns)], setup=setup)
    except Refused:  # no accounting here, or it does not answer
        return gone
    for line in reversed(answer.split("\n")):
        values = line.split(commands.FIELD, len(columns) - 1)
        if len(values) < len(columns) or values[4].strip() != known.token:
            continue
        word = states.job_state(values[1])
        if not word.final and word.state not in states.MAYBE_AGAIN:
            return gone
        return _in_words({"state": values[1], "exit": values[2], "nodes": values[3]})
    return gone


def _in_words(found: Dict[str, str]) -> Dict[str, Any]:
    """State, reason and nodes."""
    raw = found.get("state", "")
    word = states.job_state(raw)
    why = reasons.explain(found.get("reason", ""))
    state, will_start = word.state, why.will_start
    if state == states.WAITING and found.get("reason", "").lower().startswith("jobheld"):
        state = states.HELD
    if state == states.HELD:
        will_start = False
    if state not in (states.WAITING, states.HELD):
        will_start = None
    try:
        nodes = hostlist.expand(found.get("nodes", ""))
    except Refused:
        nodes = []
    restarts = found.get("restarts", "")
    return {
        "state": state,
        "raw": raw,
        "reason": found.get("reason", ""),
        "words": _sentence(word, why.words),
        "will_start": will_start,
        "nodes": nodes,
        "restarts": int(restarts) if restarts else None,
        "exit": found.get("exit", ""),
        "partition": found.get("partition", ""),
    }


def _sentence(word: states.Word, why: str) -> str:
    who = "cancelled by %s" % _user(word.by) if word.by else ""
    again = "Slurm may start it again" if word.state in states.MAYBE_AGAIN else ""
    return ", ".join(part for part in (who, why, again) if part)


def _user(number: str) -> str:
    try:
        return pwd.getpwuid(int(number)).pw_name
    except (KeyError, OverflowError):
        return "user %s" % number


def _when(known: Known, found: Dict[str, str], setup: Sequence[str]) -> Dict[str, Any]:
    """When a waiting job will probably start, or how long a running one may go on."""
    state = states.job_state(found.get("state", "")).state
    if state == states.RUNNING:
        return {"time_left_s": times.duration_s(found.get("left", ""))}
    if state != states.WAITING:
        return {}
    start = times.moment(found.get("start", ""))
    if start is not None and not time.time() - 60 < start < time.time() + _NOT_SOON_S:
        start = None
    return {"start_at": start, "position": queue.ahead_of(known, found, setup)}


def on(cluster: str) -> List[str]:
    """``-M cluster`` where there is more than one."""
    return ["-M", cluster] if cluster else []
