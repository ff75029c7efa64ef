"""What of a task may be why a run failed: each end of an attempt that broke, in words. Pure."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remote.causes import Known, Sighting, find_known, sightings_in
from remote.session.tasks import Attempt, Task
from trainer.events import LOG_SAYS_MORE
from trainer.spec import (
    EXIT_BAD_DATA,
    EXIT_BAD_SPEC,
    EXIT_LOST_PEER,
    EXIT_UNAVAILABLE,
    TaskId,
)

_REMARK = re.compile(
    r"[IW]\d{4} [\d:.]+ |\d{4}-\d\d-\d\d [\d:.]+: [IW] "
    r"|WARNING: All log messages before absl::|To enable the following instructions: "
)
_PLACE = re.compile(r" at (.+?) line (\d+)\b")
_STAGED = re.compile(r"^.*/(?:data|code)/[^/]+-[0-9a-f]{12,}/(?=.)")
_UNEXPECTED = re.compile(r"unexpected \w+: ")
_FOLLOWED = re.compile(r"ended because (?:ps|worker):\d+ ")
"""What a supervisor records of a task that another one's end has ended."""
_TOLD_TO_STOP = frozenset({signal.SIGTERM, signal.SIGINT})
_ENDS_EARLY_S = 2.0
_OF_CLEW = frozenset({EXIT_BAD_DATA, EXIT_BAD_SPEC, EXIT_LOST_PEER, EXIT_UNAVAILABLE})
_BY_SIGNAL: dict[int, tuple[str, str]] = {
    signal.SIGSEGV: (
        "The program touched memory that is not its own: a bug of a compiled package, or "
        "packages that do not fit together.",
        "Update the package that the log names last; put faulthandler.enable() into the script.",
    ),
    signal.SIGABRT: (
        "A compiled package gave up; the last lines of the log say why.",
        "Look at the lines with F or Check failed at the end of the log.",
    ),
    signal.SIGILL: (
        "The program was built for a newer processor than this node's.",
        "Use a node with AVX, or a build of TensorFlow for older processors.",
    ),
    signal.SIGBUS: (
        "A mapped file could not be read or written: /dev/shm or a disk is full.",
        "Make room in /dev/shm and on the disk of the data.",
    ),
    signal.SIGXCPU: (
        "The processor time that this account may use there was up.",
        "Ask for a higher limit (ulimit -t), or use a node without one.",
    ),
}
_MEMORY = (
    "The memory of the node, or the share that the task may use, was full.",
    "Use a smaller batch or load less data at a time, or a node with more memory.",
)
_KILLED = (
    "Mostly the kernel does that when memory runs out, leaving no word; or somebody killed it.",
    "Look at the node's memory before the end, on the Live page.",
)

_SOMEBODY = (
    "Somebody, or a watchdog of that machine, killed it.",
    "Ask who looks after the node; start the run again.",
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """One attempt that broke. ``at`` is on this computer's clock."""

    task: TaskId
    node: str
    secondary: bool
    """It lost another task: what happened there came before."""
    overcome: bool
    at: float
    text: str
    kind: str = ""
    meaning: str = ""
    remedy: str = ""
    place: str = ""
    row: int | None = None
    quote: str = ""


def suspects_of(
    task: Task,
    failed_events: Mapping[tuple[TaskId, int], str],
    shift_s: float,
    sightings: Sequence[Sighting],
) -> Iterable[Suspect]:
    """Every attempt of ``task`` that broke, and a task that failed without any."""
    failed = task.state == "failed"
    final = max((a.number for a in task.attempts), default=0)
    for attempt in task.attempts:
        said = failed_events.get((task.task, attempt.number), "")
        if not attempt.broke and not (said and failed):
            continue
        if attempt.signal in _TOLD_TO_STOP and not failed:
            continue
        at = (attempt.ended_at or attempt.started_at or 0.0) + shift_s
        found = _in_log(attempt, at, sightings)
        yield _suspect(task, attempt, said, found, at, failed and attempt.number == final)
    if failed and not any(a.broke for a in task.attempts):
        text = task.reason or "failed"
        followed = _FOLLOWED.match(text) is not None
        yield Suspect(task.task, task.node, followed, False, task.last_heard or 0.0, text)


def _in_log(attempt: Attempt, at: float, sightings: Sequence[Sighting]) -> Sighting | None:
    """What the end of the attempt's log says; the log may hold that of other attempts as well."""
    tail = [s for s in sightings_in(attempt.last_lines) if _may_end(attempt, s)]
    if not tail:
        return _near_end(attempt, at, [s for s in sightings if _may_end(attempt, s)])
    last = tail[-1]
    same = [s for s in sightings if s.quote[:400] == last.quote[:400] and _may_be(s, at)]
    return same[-1] if same else last


def _near_end(attempt: Attempt, at: float, sightings: Sequence[Sighting]) -> Sighting | None:
    """A long message may have pushed its own beginning out of the attempt's last lines."""
    if not attempt.last_lines or not sightings:
        return None
    last = sightings[-1]
    continued = last.known is not None or last.traceback
    return last if continued and last.closing(attempt.last_lines) and _may_be(last, at) else None


def _may_end(attempt: Attempt, sighting: Sighting) -> bool:
    """An exception that nobody caught ends Python with status 1; others were overcome.

    Clew's own tasks end with more than that when the user's code fails, and say so.
    """
    fatal = sighting.known is not None and sighting.known.pattern.where == "line"
    return fatal or attempt.exit_code in (None, 1) or attempt.exit_code in _OF_CLEW


def _may_be(sighting: Sighting, at: float) -> bool:
    """Whether it was not written after the attempt's end; when it was read says nothing of that."""
    return sighting.t is None or not sighting.exact or sighting.t <= at + _ENDS_EARLY_S


def _suspect(
    task: Task, attempt: Attempt, said: str, found: Sighting | None, at: float, is_final: bool
) -> Suspect:
    text, known, own_words = _words(task, attempt, said, found)
    meaning, remedy = ("", "") if own_words else _advice(attempt, known)
    peer = attempt.exit_code == EXIT_LOST_PEER or (known is not None and known.pattern.peer)
    by_signal = attempt.signal is not None
    return Suspect(
        task=task.task,
        node=task.node,
        secondary=peer and not by_signal and not attempt.oom,
        overcome=not is_final,
        at=at,
        text=text,
        kind=_kind(attempt, known, found),
        meaning=meaning,
        remedy=remedy,
        place=_place(said, found),
        row=found.row if found is not None and found.in_log else None,
        quote=found.quote if found is not None else said,
    )


def _words(
    task: Task, attempt: Attempt, said: str, found: Sighting | None
) -> tuple[str, Known | None, bool]:
    """The sentence, what of it is known, and whether it says itself what to do."""
    if said and not _says_little(said):
        return said, find_known([said], ("exception", "line")), True
    if attempt.oom or attempt.signal is not None:
        fatal = found.known if found is not None and not found.traceback else None
        if fatal is None and found is not None and attempt.signal == signal.SIGABRT:
            fatal = found.known
        return _signal_words(attempt), fatal, False
    if found is not None and (found.traceback or found.known is not None):
        quote = found.quote
        if found.known is not None and found.known.line.strip() not in quote:
            quote = f"{quote} – {found.known.line.strip()}"
        place = f" ({found.place})" if found.place else ""
        return f"{quote[:400]}{place}", found.known, False
    return _plain_words(task, attempt, said), _known_of(said), False


def _known_of(said: str) -> Known | None:
    return find_known([said], ("exception", "line")) if said else None


def _says_little(said: str) -> bool:
    """Whether it only says that the log says more."""
    return said.endswith(LOG_SAYS_MORE) or bool(_UNEXPECTED.match(said))


def _signal_words(attempt: Attempt) -> str:
    words = _last_words(attempt.last_lines)
    last = f"; its last words: {words}" if words else ""
    evidence = f": {attempt.oom_evidence}" if attempt.oom_evidence else ""
    if attempt.oom:
        return f"was killed by the node because memory ran out{evidence}{_peak(attempt)}"
    if _by_somebody(attempt):
        return f"was killed (signal 9), and not by the kernel for memory{_peak(attempt)}{last}"
    if attempt.signal == signal.SIGKILL:
        what = "was killed by the node (signal 9), probably out of memory"
        return f"{what}{evidence}{_peak(attempt)}{last}"
    return f"was ended by {_signal_name(attempt.signal or 0)}{last}"


def _by_somebody(attempt: Attempt) -> bool:
    """Killed, where the node counts its own kills for memory and counted none."""
    killed = attempt.signal == signal.SIGKILL and not attempt.oom
    return killed and attempt.oom_counted and not attempt.oom_evidence


def _peak(attempt: Attempt) -> str:
    peak = attempt.peak_bytes
    return f"; it had used up to {peak / (1 << 30):.1f} GiB" if peak else ""


def _plain_words(task: Task, attempt: Attempt, said: str) -> str:
    words = _last_words(attempt.last_lines)
    last = f"; its last words: {words}" if words else ""
    if said:
        short = said.removesuffix(LOG_SAYS_MORE)
        return short + last if last and short != said else said
    if task.reason and attempt is task.attempts[-1]:
        return f"{task.reason}{last}" if last and words not in task.reason else task.reason
    return f"ended with exit status {attempt.exit_code}{last}"


def _advice(attempt: Attempt, known: Known | None) -> tuple[str, str]:
    if known is not None:
        return known.pattern.meaning, known.pattern.remedy
    if attempt.oom:
        return _MEMORY
    if _by_somebody(attempt):
        return _SOMEBODY
    if attempt.signal == signal.SIGKILL:
        return _KILLED
    return _BY_SIGNAL.get(attempt.signal or 0, ("", ""))


def _kind(attempt: Attempt, known: Known | None, found: Sighting | None) -> str:
    if attempt.oom:
        return "out of memory"
    if attempt.signal is not None:
        return known.pattern.kind if known is not None else f"signal {attempt.signal}"
    if known is not None:
        return known.pattern.kind
    return "exception" if found is not None and found.traceback else ""


def _place(said: str, found: Sighting | None) -> str:
    """The user's own file and line; of a traceback, else of the sentence about it."""
    if found is not None and found.place:
        return found.place
    named = _PLACE.search(said)
    return f"{_STAGED.sub('', named[1])} line {named[2]}" if named else ""


def _last_words(lines: Sequence[str]) -> str:
    """The last line that is not one of TensorFlow's remarks, which say nothing about an end."""
    telling = (line.strip() for line in reversed(lines) if not _REMARK.match(line.strip()))
    return next((line for line in telling if line), "")[:300]


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
