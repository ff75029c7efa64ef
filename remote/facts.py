"""What a node has, as its agent found it: input to :mod:`remote.plan` and to the node table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Gpu:
    """One NVIDIA GPU. ``index`` is nvidia-smi's; tasks are given the ``uuid``."""

    index: int
    uuid: str
    name: str
    memory_total_bytes: int | None
    warning: str = ""
    """What is wrong with it, in words."""
    lost: bool = False
    """The system has lost it: no task can use it until the node is rebooted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PortHolder:
    """A TCP port somebody listens on, and who, as far as this account may see."""

    port: int
    pid: int | None = None
    program: str = ""
    run_id: str = ""
    """Set when the holder is a task of a Clew run."""
    task: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Something that keeps a node from training (``fatal``) or that the user should know."""

    what: str
    remedy: str
    fatal: bool = True
    asked: bool = False
    """Nothing is wrong with the node: the profile asks for what it never had."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BasePython:
    """What an environment is made from, and which wheels fit it."""

    executable: str
    version: str
    machine: str
    """As the kernel has it: ``x86_64``, ``aarch64``."""
    libc: str
    """``glibc 2.36``; empty where it is another."""
    soabi: str
    """``cpython-311-x86_64-linux-gnu``."""
    free_threaded: bool
    ensurepip: bool
    """Whether it can put pip into environments by itself."""
    markers: Mapping[str, str]
    """The variables of PEP 508's conditions."""


EnvironmentState = Literal["", "missing", "ready"]


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeFacts:
    """One node, seen at ``seen_at`` (UTC epoch seconds, desktop clock)."""

    node: str
    """The node's name in the profile."""
    seen_at: float
    hostname: str
    boot_id: str
    network_namespace: str
    """Nodes with equal ``(boot_id, network_namespace)`` share their ports."""
    user: str
    home: str
    root: str
    """Absolute storage root that could be written to."""
    python: str
    """Absolute path of the Python that tasks run with."""
    python_version: str
    tensorflow_version: str | None
    cpus: int
    memory_bytes: int
    disk_free_bytes: int
    gpus: tuple[Gpu, ...]
    gpu_note: str
    """Why there is no GPU, in words; empty when there are some."""
    ports_in_use: tuple[PortHolder, ...]
    clock_offset_s: float
    """Node clock minus desktop clock."""
    problems: tuple[Problem, ...] = ()
    proxies: Mapping[str, str] = field(default_factory=dict)
    """The variables about proxies that gRPC will read in a task's environment."""
    environment: EnvironmentState = ""
    """Of the one that Clew makes from the profile's packages; until it is ``ready``, ``python`` is
    the one that it will be made from. Empty: the profile has no packages."""
    base: BasePython | None = None

    @property
    def live_gpus(self) -> tuple[Gpu, ...]:
        """The GPUs that a task can use."""
        return tuple(gpu for gpu in self.gpus if not gpu.lost)

    @property
    def usable(self) -> bool:
        return not any(problem.fatal for problem in self.problems)
