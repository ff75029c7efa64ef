"""One kind of failure: how its message looks, what it usually means, what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Where = Literal["exception", "line", "hint"]
"""Where a message counts: in the exception that ended a program; on any of its last lines; or only
when the exception itself says to look further up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """An entry of the table.

    Args:
        kind: a short name, unique in the table.
        message: a regular expression, searched for in one line.
        meaning: what it usually means, one sentence.
        remedy: what to do, one sentence.
        sample: a line as programs really write it.
        where: where it counts.
        peer: it tells that another task went away: the cause is there, not here.
        above: the message says nothing by itself; what was written before it does.
    """

    kind: str
    message: str
    meaning: str
    remedy: str
    sample: str
    where: Where = "exception"
    peer: bool = False
    above: bool = False
    expression: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", re.compile(self.message))


@dataclass(frozen=True, slots=True)
class Known:
    """A message of the table that was found, and the line it stands on."""

    pattern: Pattern
    line: str
