"""Job ids: texts, not numbers. Arrays, heterogeneous jobs, steps, clusters, sbatch's answer."""

import re
from typing import Any, NamedTuple, Optional, Tuple

from remote.node.refused import Refused

JobId = NamedTuple(
    "JobId",
    [
        ("text", str),  # the id to keep and to show: without step and cluster
        ("parent", str),  # the id that stands for all parts; it is what is cancelled
        ("cluster", str),  # for -M of squeue and scancel; empty: the only one
        ("kind", str),  # job, array, array task, heterogeneous part
        ("tasks", Optional[int]),  # of an array that waits; None: no array, or a cut list
        ("step", str),  # batch, 0, ...; empty: the job itself
    ],
)

_ID = re.compile(
    r"(?P<parent>[0-9]{1,20})"
    r"(?:_(?P<task>[0-9]{1,10}|\[(?P<tasks>[0-9][0-9,:.…-]*)(?:%[0-9]{1,10})?\]?))?"
    r"(?:\+(?P<part>[0-9]{1,10}))?"
    r"(?:\.(?P<step>[A-Za-z0-9+_]{1,40}))?"
    r"(?:;(?P<cluster>[A-Za-z0-9_.-]{1,200}))?",
    re.ASCII,
)
_SUBMITTED = re.compile(
    r"Submitted batch job ([0-9]{1,20})(?: on cluster ([A-Za-z0-9_.-]{1,200}))?\.?", re.ASCII
)
_PARSABLE = re.compile(r"([0-9]{1,20})(?:;([A-Za-z0-9_.-]{1,200}))?", re.ASCII)
_SPAN = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10})(?::([0-9]{1,10}))?)?", re.ASCII)


def parse(text: str) -> JobId:
    """Any form of an id that squeue, sacct and sbatch use.

    Raises:
        Refused: it is none.
    """
    bare = text.strip()
    match = _ID.fullmatch(bare)
    if match is None:
        cut = "".join(c if c.isprintable() else "?" for c in bare[:60])
        raise Refused('"%s" is not the id of a job' % cut)
    parent, part, step = match.group("parent"), match.group("part"), match.group("step") or ""
    cluster = match.group("cluster") or ""
    kept = bare.partition(";")[0]
    if step:
        kept = kept[: -len(step) - 1]
    kind = "job"
    tasks: Optional[int] = None
    if match.group("tasks") is not None:
        kind, tasks = "array", _count(match.group("tasks"))
    elif match.group("task") is not None:
        kind = "array task"
    elif part is not None:
        kind = "heterogeneous part"
    return JobId(kept, parent, cluster, kind, tasks, step)


def submitted(text: str) -> Optional[JobId]:
    """The job in sbatch's answer, plain or ``--parsable``; None: there is none.

    Sites print warnings, prologues and greetings around it; the last line that is one counts.
    """
    for line in reversed(text.splitlines()):
        match = _SUBMITTED.fullmatch(line.strip()) or _PARSABLE.fullmatch(line.strip())
        if match:
            job = match.group(1)
            return JobId(job, job, match.group(2) or "", "job", None, "")
    return None


def order(text: str) -> Tuple[Any, ...]:
    """A key to sort ids by: numbers as numbers, of any size; what is no id comes last."""
    try:
        parse(text)
    except Refused:
        return (1, text)
    return (0, [int(number) for number in re.findall("[0-9]+", text)], text)


def _count(text: str) -> Optional[int]:
    """How many tasks ``60-89,91-94`` is; None: the list is cut, as squeue does to long ones."""
    total = 0
    for piece in text.split(","):
        match = _SPAN.fullmatch(piece)
        if match is None:
            return None
        low, high = int(match.group(1)), int(match.group(2) or match.group(1))
        step = int(match.group(3) or 1)
        if high < low or step < 1:
            return None
        total += (high - low) // step + 1
    return total
