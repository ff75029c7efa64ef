"""Words and numbers for a terminal."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from remote.errors import ClewError

if TYPE_CHECKING:
    from remote.facts import NodeFacts
    from remote.history import RunRecord
    from remote.updates import Progress

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """``text`` without control and direction characters: a node's words cannot steer a terminal."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def error_text(error: ClewError) -> str:
    """An error as it is shown: one sentence and what to do."""
    text = plain(str(error)).strip()
    return text if text.endswith((".", "?", "!", "…", "`", "'", "}")) else text + "."


def state_text(record: RunRecord) -> str:
    """A recorded run's state; what has no result may have changed since."""
    return record.state if record.result is not None else f"{record.state} when last seen"


def facts_text(facts: NodeFacts) -> str:
    """What a node has: ``Python 3.11.2, TensorFlow 2.21.0, A100, GPU 1: lost``."""
    python = f"Python {facts.python_version}" if facts.python_version else "no Python"
    words = [python]
    if facts.python_version:
        words.append(_tensorflow(facts))
    words += [f"GPU {gpu.index}: lost" if gpu.lost else gpu.name for gpu in facts.gpus]
    if not facts.gpus:
        words.append(_no_gpu(facts.gpu_note))
    return ", ".join(words)


def _tensorflow(facts: NodeFacts) -> str:
    if facts.tensorflow_version:
        return f"TensorFlow {facts.tensorflow_version}"
    if facts.environment == "missing":
        return "environment not made yet"
    return "no TensorFlow"


def _no_gpu(note: str) -> str:
    """Why there is no GPU; the note may say so itself, and may have brackets of its own."""
    if not note or note.startswith("no "):
        return note or "no GPU"
    return f"no GPU: {note}"


def number(value: float | None, digits: int = 3) -> str:
    """Few significant digits; a dash when there is none."""
    if value is None:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def seconds(value: float | None) -> str:
    """``8.2 s``, ``3 min 05 s``, ``2 h 10 min``."""
    if value is None:
        return "–"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def size(count: float) -> str:
    """Bytes with a unit of thousand."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def moment(t: float) -> str:
    """A time of this place, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(t))


def clock(t: float) -> str:
    """A time of this place: ``14:02``, with the day where that was another one."""
    there, now = time.localtime(t), time.localtime()
    return time.strftime("%H:%M" if there[:3] == now[:3] else "%Y-%m-%d %H:%M", there)


def progress_text(update: Progress) -> str:
    """``3.1 GB of 12.0 GB, 110.2 MB/s, 1 min 20 s left``; ``3 of 40`` where it has steps."""
    if update.unit == "steps":
        return f"{update.done} of {update.total}" if update.total > 1 else "…"
    words = [f"{size(update.done)} of {size(update.total)}"]
    if update.rate is not None and update.done < update.total:
        words.append(f"{size(update.rate)}/s")
        if update.eta_s is not None:
            words.append(f"{seconds(update.eta_s)} left")
    return ", ".join(words)
