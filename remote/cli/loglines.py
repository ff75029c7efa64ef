"""Rows of logs as lines of a terminal, or as JSON objects."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from remote.cli.jsonlines import Object
from remote.logs import LEVELS, LineLevel, LogRow, time_text
from remote.logs.colors import Style

_LEVEL_CODES = {"error": "31", "warning": "33", "debug": "2"}
_TASK_CODES = ("36", "32", "35", "34", "96", "92", "95", "94")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are shown: of a level or graver, with words that match."""

    level: LineLevel = "debug"
    pattern: re.Pattern[str] | None = None

    def __contains__(self, row: object) -> bool:
        if not isinstance(row, LogRow) or LEVELS.index(row.level) < LEVELS.index(self.level):
            return False
        return self.pattern is None or self.pattern.search(row.text) is not None


@dataclass(slots=True)
class LinePrinter:
    """Writes rows; counts them.

    Args:
        wanted: which.
        prefix: whether a row says when it was written and by whom.
        write_object: takes an object instead, with ``--json``.
    """

    wanted: Wanted
    prefix: bool
    run_id: str = ""
    write_object: Callable[[Object], None] | None = None
    color: bool = field(default_factory=lambda: sys.stdout.isatty())
    count: int = 0

    def show(self, rows: Iterable[LogRow]) -> None:
        """Write those of ``rows`` that are wanted."""
        for row in rows:
            if row in self.wanted:
                self.count += 1
                if self.write_object is not None:
                    self.write_object(row_object(self.run_id, row))
                else:
                    text = self._text(row)
                    sys.stdout.write(text.encode("utf-8", "replace").decode() + "\n")
        sys.stdout.flush()

    def heading(self, text: str) -> None:
        """What the next rows are of."""
        if self.write_object is None:
            sys.stdout.write(f"{'' if not self.count else chr(10)}==> {text} <==\n")

    def _text(self, row: LogRow) -> str:
        text = _colored(row) if self.color else row.text
        if not self.prefix:
            return text
        task = f"{row.task!s:<10}"
        if self.color:
            task = f"\x1b[{_TASK_CODES[row.task.index % len(_TASK_CODES)]}m{task}\x1b[0m"
        return f"{time_text(row):>12}  {task} {text}"


def row_object(run_id: str, row: LogRow) -> Object:
    """One row for ``--json``; ``exact`` says whether ``t`` is when it was written, or by when."""
    return {
        "type": "log",
        "run": run_id,
        "task": str(row.task),
        "line": row.number + 1,
        "t": row.t,
        "exact": row.exact,
        "level": row.level,
        "text": row.text,
    }


def _colored(row: LogRow) -> str:
    """The row in the colours that it was written in; else in those of its level."""
    if not row.spans:
        code = _LEVEL_CODES.get(row.level)
        return f"\x1b[{code}m{row.text}\x1b[0m" if code else row.text
    parts, at = [], 0
    for start, end, style in row.spans:
        parts += [row.text[at:start], f"\x1b[{_code(style)}m{row.text[start:end]}\x1b[0m"]
        at = end
    return "".join([*parts, row.text[at:]])


def _code(style: Style) -> str:
    codes = ["1"] if style.bold else []
    if style.color.startswith("#"):
        codes.append("38;2;" + ";".join(str(int(style.color[i : i + 2], 16)) for i in (1, 3, 5)))
    elif style.color:
        number = int(style.color)
        codes.append(str(30 + number if number < 8 else 82 + number))
    return ";".join(codes)
