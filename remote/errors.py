"""What can go wrong with a cluster, as one small hierarchy.

Every error reads as one sentence: where, what was tried, what came back; ``remedy`` says what to
do next. The window and the command line show ``str(error)`` and ``error.remedy``, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


def sentence(what: str, remedy: str) -> str:
    """``what`` and, if there is one, ``remedy`` after a full stop: one, however ``what`` ends."""
    if not remedy:
        return what
    return f"{what} {remedy}" if what.endswith((".", "!", "?", "…")) else f"{what}. {remedy}"


class ClewError(Exception):
    """Base of all errors that a user may meet.

    Args:
        what: one sentence without a final full stop: what was tried and what came back.
        node: name of the node it happened on, if it happened on one.
        remedy: one imperative sentence: what to do next.
    """

    def __init__(self, what: str, *, node: str | None = None, remedy: str = "") -> None:
        self.what = what
        self.node = node
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        # `gpu02:/home/ana` names the node already; `gpu02` within `gpu021` does not.
        named = not self.node or re.search(rf"(?<!\w){re.escape(self.node)}(?!\w)", self.what)
        where = "" if named else f"{self.node}: "
        return where + sentence(self.what, self.remedy)


SHOWN_ISSUES = 20
"""So many problems of a profile are told in words."""


class Issue(NamedTuple):
    """One thing about a profile. ``line`` and ``column`` count from 1; 0: it is not in a file.

    ``key`` is dotted (``nodes.0.port``), empty when the file as a whole is meant; ``message`` is
    a sentence without the key and without a final full stop.
    """

    line: int
    column: int
    key: str
    message: str

    def text(self, name: str = "") -> str:
        """``lab.yaml:7:9: nodes.0.port: must be …`` in one line."""
        place = ":".join(str(part) for part in (name, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.key, self.message) if part)


class ProfileError(ClewError):
    """A profile cannot be used or saved; ``issues`` has every problem at once, in file order."""

    def __init__(
        self,
        what: str,
        *,
        issues: Sequence[Issue] = (),
        node: str | None = None,
        remedy: str = "",
    ) -> None:
        super().__init__(what, node=node, remedy=remedy)
        self.issues = tuple(issues)

    @classmethod
    def of(cls, name: str, issues: Sequence[Issue]) -> ProfileError:
        """All issues as one error that reads as one line each, each with the file's ``name``.

        Of very many only the first are in the text; ``issues`` has them all.
        """
        ordered = sorted(issues, key=lambda issue: (issue.line, issue.column))
        lines = [issue.text(name) for issue in ordered[:SHOWN_ISSUES]]
        if len(ordered) > SHOWN_ISSUES:
            lines.append(f"and {len(ordered) - SHOWN_ISSUES} more")
        return cls("\n".join(lines), issues=ordered)


class Fault(NamedTuple):
    """One reason why a plan is not possible, and what it is about, as far as that is known.

    ``message`` is a sentence for the user, ``node`` a node's name, ``gpu`` the number of one of
    its GPUs, ``task`` a task like ``worker:0``.
    """

    message: str
    node: str = ""
    gpu: int | None = None
    task: str = ""


class PlanError(ClewError):
    """The tasks do not fit on the nodes; ``faults`` say where, for reasons that have a place."""

    def __init__(
        self,
        what: str,
        *,
        node: str | None = None,
        remedy: str = "",
        faults: Sequence[Fault] = (),
    ) -> None:
        super().__init__(what, node=node, remedy=remedy)
        self.faults = tuple(faults)

    @classmethod
    def of(cls, faults: Sequence[Fault]) -> PlanError:
        """All faults as one error that reads as one line each."""
        return cls("\n".join(fault.message for fault in faults), faults=faults)


class NodesUnfit(PlanError):
    """Not what is asked for is in the way of a plan, but how the nodes are just now."""


class ConnectError(ClewError):
    """A node cannot be reached, or the login failed."""


class HostKeyError(ConnectError):
    """The node's host key is unknown and was not accepted, has changed, or is revoked."""


class AuthError(ConnectError):
    """The node refused every way to log in."""


class LinkLost(ConnectError):
    """The connection to a node's agent ended or does not answer any more."""


class NodeError(ClewError):
    """The node answered, but cannot do what was asked: no Python, no space, port in use, ..."""


class DataError(ClewError):
    """A data set is missing, damaged or of another kind."""


class HistoryError(ClewError):
    """The history on this computer cannot be read or written."""


class NewerHistory(HistoryError):
    """A newer Clew has written the history."""


class UnknownRun(HistoryError):
    """What the user named is no run, or could be several."""


class Cancelled(ClewError):
    """The user stopped the action."""


def is_wrong_input(error: ClewError | None) -> bool:
    """Whether the user's profile, data or words are wrong, rather than a run or a node."""
    if isinstance(error, NodesUnfit):
        return False
    return isinstance(error, (ProfileError, UnknownRun, PlanError, DataError))
