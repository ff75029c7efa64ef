"""What a closer look at a node finds, and what nodes find of each other: facts, not judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

How = Literal[
    "open", "refused", "silent", "unreachable", "unresolved", "blocked", "stranger", "other"
]
"""What came of dialling; as in :mod:`remote.node.dial`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disk:
    """Where files of one purpose go (``runs``, ``data``, ``home``, ``temporary``).

    ``error``: why a file cannot be written (or data be read) there, in words. None for free
    files: the file system has no limit of its own.
    """

    purpose: str
    path: str
    device: str = ""
    kind: str = ""
    free_bytes: int = 0
    total_bytes: int = 0
    free_files: int | None = None
    read_only: bool = False
    no_exec: bool = False
    error: str = ""
    remedy: str = ""
    write_s: float | None = None
    """Time to write, flush and rename a file of one MiB."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GpuUser:
    """A process that computes on a GPU; ``user`` is empty where it cannot be seen."""

    gpu: str
    pid: int
    user: str
    program: str
    memory_bytes: int | None
    run_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeSurvey:
    """One node beyond its :class:`~remote.facts.NodeFacts`."""

    shell: str
    """The login shell's name."""
    prints: bool
    """The account's shell prints text at login."""
    threads: int
    """How many threads this account runs on the node."""
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """``nofile``, ``nproc``, ``memlock``: soft and hard, as a task gets them; -1: none."""
    driver: str = ""
    gpu_users: tuple[GpuUser, ...] = ()
    infiniband: tuple[str, ...] = ()
    quota: tuple[str, ...] = ()
    """What ``quota -q`` says of limits that are passed."""
    disks: tuple[Disk, ...] = ()
    silent: tuple[str, ...] = ()
    """Parts that gave no answer in time."""
    round_trip_s: float = 0.0
    """Of the ping that the clock was read with; the clock is known to half of it."""


@dataclass(frozen=True, slots=True)
class PortRefused:
    """A port that could not be listened on; ``holder`` in words, where it is known."""

    port: int
    why: str
    holder: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialled:
    """One attempt to reach a port of a node."""

    how: How
    detail: str = ""
    addresses: tuple[str, ...] = ()
    """What the name stands for on the node that dialled."""
    met: int | None = None
    """The number of the node that answered, if one of the check's did."""
    rtt_s: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HelloOutput:
    """What a hello process said. ``status`` None: it was ended when its time was up."""

    status: int | None
    lines: tuple[Mapping[str, object], ...]
    last: tuple[str, ...]
