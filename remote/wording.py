"""Words that the window and the command line share for what a check found."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remote.checks import Finding, Pair
from remote.survey import How
from remote.updates import QueueUpdate

HOW_WORDS: dict[How, str] = {
    "open": "open",
    "refused": "refused",
    "silent": "no answer",
    "unreachable": "no route",
    "unresolved": "unknown name",
    "blocked": "blocked",
    "stranger": "another program",
    "other": "another node",
}
NOT_NEEDED = "–"
"""A way that the run does not use."""


class Cell(NamedTuple):
    """All ways from one node to another. ``good`` None: the run uses none of them."""

    good: bool | None
    words: str
    detail: str
    """A sentence for each way."""


class Shared(NamedTuple):
    """One finding that is true of several nodes alike; without names it is about all together."""

    nodes: tuple[str, ...]
    finding: Finding


def cell(pairs: Sequence[Pair]) -> Cell:
    """What stands where the row of the source meets the column of the target."""
    if not pairs:
        return Cell(None, NOT_NEEDED, "")
    detail = "\n".join(pair.text for pair in pairs)
    bad = next((pair for pair in pairs if not pair.open), None)
    if bad is not None:
        return Cell(False, HOW_WORDS[bad.how], detail)
    trips = [pair.rtt_s for pair in pairs if pair.rtt_s is not None]
    rates = [pair.bytes_per_second for pair in pairs if pair.bytes_per_second]
    parts = [f"{min(trips) * 1000:.2f} ms" if trips else "open"]
    return Cell(True, ", ".join(parts + [rate_text(rate) for rate in rates[:1]]), detail)


def grouped(findings: Iterable[Finding]) -> list[Shared]:
    """Findings that differ in nothing but the node as one, in the order of the first of each."""
    groups: dict[tuple[str, str, str, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.topic, one.level, one.what, one.remedy), []).append(one)
    return [
        Shared(tuple(sorted({one.node for one in group if one.node})), group[0])
        for group in groups.values()
    ]


def few(names: Sequence[str], most: int = 4) -> str:
    """``a, b and c``; of very many ``a, b, c and 5 more``."""
    if len(names) <= most:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def size(count: float) -> str:
    """Bytes in binary units, as disks are spoken of."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def rate_text(bytes_per_second: float) -> str:
    """``112.5 MiB/s``."""
    return f"{size(bytes_per_second)}/s"


LEFTOVER_KINDS = {
    "process": "process",
    "listener": "port",
    "part": "unfinished upload",
    "temporary": "temporary file",
    "lock": "lock",
    "run": "run's folder",
    "tree": "files",
}
"""What a sweep finds."""


def elapsed_words(seconds: float) -> str:
    """``1:05``, ``2:03:04``, ``3d 04:00``: as in the window."""
    days, rest = divmod(round(seconds), 86400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    if days:
        return f"{days}d {hours:02d}:{minutes:02d}"
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"


def queue_text(update: QueueUpdate) -> str:
    """How a job stands: ``job 41 is waiting: other jobs come first; place 3, about 14:20``."""
    job = f"job {update.job}" if update.job else "the job"
    words = f"{job} is {update.state}"
    if update.state == "unknown":
        words = f"how {job} stands is unknown"
    details = [f"place {update.position}"] if update.position else []
    if update.start_at is not None:
        details.append(f"about {_clock(update.start_at)}")
    parts = [part for part in (update.words.rstrip("."), ", ".join(details)) if part]
    return words + (f": {'; '.join(parts)}" if parts else "")


def _clock(t: float) -> str:
    there, now = time.localtime(t), time.localtime()
    return time.strftime("%H:%M" if there[:3] == now[:3] else "%Y-%m-%d %H:%M", there)


def waits_words(nodes: Sequence[str]) -> str:
    """What is said of a run that is to be stopped on nodes which do not answer."""
    return f"stops when {few(nodes)} {'is' if len(nodes) == 1 else 'are'} heard again"


def withdrawal_words(run_id: str) -> str:
    """What it means to give a machine up, before the user confirms it."""
    return (
        f"What run {run_id} may have left on a machine that is given up is neither stopped nor "
        "fetched when it is heard again. Should it come back after all, a sweep finds what is left."
    )
