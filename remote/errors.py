"""What can go wrong with a cluster, as one small hierarchy.

Every error reads as one sentence: where, what was tried, what came back; ``remedy`` says what to
do next. The window and the command line show ``str(error)`` and ``error.remedy``, nothing else.
"""

from __future__ import annotations


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
        where = f"{self.node}: " if self.node else ""
        end = f". {self.remedy}" if self.remedy else ""
        return f"{where}{self.what}{end}"


class ProfileError(ClewError):
    """A profile cannot be used; holds every problem at once (see ``remote.profile``)."""


class PlanError(ClewError):
    """The tasks do not fit on the nodes."""


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


class Cancelled(ClewError):
    """The user stopped the action."""
