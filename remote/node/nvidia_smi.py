"""Reads what ``nvidia-smi`` prints. Pure: text in, values out; nothing is ever invented.

A cell that is not a number, after its unit is taken off, is no value, which is not zero. A row
counts only when it is whole and starts from a known header, so no message becomes a GPU.
"""

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

CORE_FIELDS = ("index", "name", "utilization.gpu", "memory.used", "memory.total")
FIELDS = (
    "index",
    "uuid",
    "name",
    "mig.mode.current",
    "utilization.gpu",
    "memory.used",
    "memory.total",
    "temperature.gpu",
    "power.draw",
)

NO_GPU = "no NVIDIA GPU here"
_MIB = 1024 * 1024
_NUMBER = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)(?: ?([A-Za-z%]+))?")
_UNITS: Dict[str, Dict[str, float]] = {
    "utilization.gpu": {"": 1.0, "%": 1.0},
    "memory.used": {"": _MIB, "MiB": _MIB, "KiB": 1024, "GiB": 1024 * _MIB, "B": 1},
    "memory.total": {"": _MIB, "MiB": _MIB, "KiB": 1024, "GiB": 1024 * _MIB, "B": 1},
    "temperature.gpu": {"": 1.0, "C": 1.0},
    "power.draw": {"": 1.0, "W": 1.0, "mW": 0.001},
}
_LIMITS = {
    "utilization.gpu": (0.0, 100.0),
    "memory.used": (0.0, 2.0**50),
    "memory.total": (0.0, 2.0**50),
    "temperature.gpu": (-50.0, 250.0),
    "power.draw": (0.0, 1e5),
}
_FAULT = re.compile(r"unknown error|err!|requires reset|is lost|gpu lost", re.IGNORECASE)
_GONE = re.compile(r"is lost|gpu lost", re.IGNORECASE)
_FORBIDDEN = re.compile(r"insufficient permissions", re.IGNORECASE)
_REFUSED = re.compile(r'field "?([A-Za-z0-9_.]+)"? is not a valid field', re.IGNORECASE)
_LOST = re.compile(r"device handle for GPU ?([0-9A-Fa-f:.]+)|GPU is lost", re.IGNORECASE)
_UUID = re.compile(r"[A-Za-z]{3}-[A-Za-z0-9-]{4,80}")
_MAX_INDEX = 1023


class Gpu(NamedTuple):
    """One row. Memory in bytes; None: the GPU gave no value. ``warning``: one line, or empty."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody calls
    uuid: str
    name: str
    utilization_percent: Optional[float]
    memory_used_bytes: Optional[int]
    memory_total_bytes: Optional[int]
    temperature_c: Optional[float]
    power_watts: Optional[float]
    warning: str
    lost: bool = False
    """It fell off the bus: nothing can use it until the node is rebooted."""


class Failure(NamedTuple):
    """Why there are no rows: ``kind`` is ``none``, ``driver``, ``lost`` or ``other``."""

    kind: str
    reason: str
    bus: str = ""


def header(line: str) -> Optional[List[str]]:
    """The fields of a header line, units taken off; None: it is none."""
    names = [cell.strip().partition(" ")[0] for cell in line.split(",")]
    if "index" in names and len(names) > 1 and len(set(names)) == len(names):
        return names
    return None


def row(fields: Sequence[str], line: str) -> Optional[Gpu]:
    """One whole row as a GPU; None: it is not one."""
    cells = [cell.strip() for cell in line.rstrip("\r\n").split(",")]
    surplus = len(cells) - len(fields)
    if surplus > 0 and "name" in fields:  # a name with a comma in it
        at = list(fields).index("name")
        cells[at : at + surplus + 1] = [", ".join(cells[at : at + surplus + 1])]
    if len(cells) != len(fields):
        return None
    by_field = dict(zip(fields, cells))  # noqa: B905 - strict is newer than this Python
    index = by_field.get("index", "")
    if not re.fullmatch("[0-9]{1,4}", index) or int(index) > _MAX_INDEX:
        return None
    return _gpu(int(index), by_field)


def parse(text: str, fields: Optional[Sequence[str]] = None) -> List[Gpu]:
    """The GPUs of one whole output. ``fields``: the columns of an output without a header."""
    known = list(fields) if fields is not None else None
    gpus: List[Gpu] = []
    for line in text.splitlines():
        found = header(line)
        if found is not None:
            known = found
        elif known is not None and line.strip():
            gpu = row(known, line)
            if gpu is not None and all(gpu.index != other.index for other in gpus):
                gpus.append(gpu)
    return gpus


def refused_fields(text: str) -> List[str]:
    """Fields that this driver does not know."""
    return _REFUSED.findall(text)


def explain(status: Optional[int], text: str) -> Failure:
    """Put a query that gave no rows into one sentence with a hint.

    Args:
        status: exit status; negative: killed by that signal; None: the tool is not there.
        text: its standard output and error together.
    """
    if status is None or status == 127:
        return Failure("none", NO_GPU + " (there is no nvidia-smi)")
    first = _first_line(text)
    if status == 6 or re.search(r"no devices were found", text, re.IGNORECASE):
        return Failure("none", NO_GPU + " (nvidia-smi found no device)")
    if status == 18 or re.search(r"version mismatch", text, re.IGNORECASE):
        reason = "the NVIDIA driver was upgraded under the running system: reboot the node"
        return Failure("driver", reason)
    if status == 9 or re.search(r"communicate with the NVIDIA driver", text, re.IGNORECASE):
        return Failure("driver", "the NVIDIA driver is not loaded: ask the node's administrator")
    lost = _LOST.search(text)
    if lost:
        bus = (lost.group(1) or "").rstrip(":.")
        return Failure("lost", lost_text(bus), bus)
    if not first:
        return Failure("other", "nvidia-smi said nothing (exit status %d)" % status)
    return Failure("other", "nvidia-smi failed (exit status %d): %s" % (status, first))


def lost_text(bus: str) -> str:
    """The warning of a GPU that the system lost."""
    place = "the GPU at %s" % bus if bus else "a GPU"
    return "%s fell off the bus: the node needs a reboot" % place


def _gpu(index: int, cells: Dict[str, str]) -> Gpu:
    numbers: Dict[str, Optional[float]] = {}
    words: List[str] = []
    for field in _UNITS:
        cell = cells.get(field, "")
        numbers[field] = _number(field, cell)
        if numbers[field] is None and cell:
            words.extend(_warning(field, cell))
    mig = cells.get("mig.mode.current", "").lower() == "enabled"
    if mig:
        numbers["utilization.gpu"] = None
        words.insert(0, "utilization is not available with MIG")
    uuid = cells.get("uuid", "")
    used, total = numbers["memory.used"], numbers["memory.total"]
    return Gpu(
        index=index,
        # CUDA_VISIBLE_DEVICES takes the index where an old driver tells no UUID.
        uuid=uuid if _UUID.fullmatch(uuid) else str(index),
        name=_printable(cells.get("name", "")) or "GPU %d" % index,
        utilization_percent=numbers["utilization.gpu"],
        memory_used_bytes=None if used is None else int(used),
        memory_total_bytes=None if total is None else int(total),
        temperature_c=numbers["temperature.gpu"],
        power_watts=numbers["power.draw"],
        warning="; ".join(dict.fromkeys(words)),
        lost=any(_GONE.search(cells.get(field, "")) for field in _UNITS),
    )


def _number(field: str, cell: str) -> Optional[float]:
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return None
    factor = _UNITS[field].get(match.group(2) or "")
    if factor is None:
        return None
    value = float(match.group(1)) * factor
    low, high = _LIMITS[field]
    return value if low <= value <= high else None


def _warning(field: str, cell: str) -> List[str]:
    if _FORBIDDEN.search(cell):
        return ["the node does not let your account read %s" % field.partition(".")[0]]
    if _FAULT.search(cell):
        return ["%s: %s" % (field, _printable(cell.strip("[]")))]
    return []


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return _printable(lines[0])[:200] if lines else ""


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text.strip())[:120]


class Ticks:
    """Groups the rows of a query that repeats itself into one reading per repetition.

    A reading ends when the header or an index comes again, or when :meth:`quiet` says that no
    row followed for a moment. Only whole lines are looked at.
    """

    def __init__(self) -> None:
        self._fields: Optional[List[str]] = None
        self._rows: List[Gpu] = []
        self.messages: List[str] = []
        """The last lines that were no rows."""

    def line(self, text: str) -> Optional[Tuple[Gpu, ...]]:
        """Take one whole line; gives a reading when this line begins the next one."""
        found = header(text)
        if found is not None:
            self._fields = found
            return self.quiet()
        gpu = row(self._fields, text) if self._fields is not None else None
        if gpu is None:
            if text.strip():
                self.messages = [*self.messages[-19:], text]
            return None
        done = self.quiet() if any(gpu.index == other.index for other in self._rows) else None
        self._rows.append(gpu)
        return done

    def quiet(self) -> Optional[Tuple[Gpu, ...]]:
        """Nothing followed: what is there is a reading."""
        done, self._rows = tuple(self._rows), []
        return done or None
