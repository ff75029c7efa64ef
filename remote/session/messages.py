"""What is put into a run's inbox: everything that other threads have to say to its thread."""

from __future__ import annotations

from dataclasses import dataclass

from remote.link import KeptSamples, StreamItem
from remote.updates import Leftover, StopDepth


@dataclass(frozen=True, slots=True)
class NodeUp:
    """The node is connected (again), or was looked at again."""

    node: str


@dataclass(frozen=True, slots=True)
class NodeDown:
    """The node does not answer any more; it was last heard at ``since`` (epoch seconds)."""

    node: str
    since: float


@dataclass(frozen=True, slots=True)
class Heard:
    """The node has answered at ``at`` (epoch seconds)."""

    node: str
    at: float


@dataclass(frozen=True, slots=True)
class StopAsked:
    """The user wants the run stopped, or stopped deeper than before."""

    depth: StopDepth = "now"


@dataclass(frozen=True, slots=True)
class StopDone:
    """Every node has been told to end what is left, and has looked again."""

    left: tuple[Leftover, ...]
    round: int = 1
    """Which telling of the nodes it was; a stop that is raised tells them again."""


Message = NodeUp | NodeDown | Heard | StopAsked | StopDone | KeptSamples | StreamItem
