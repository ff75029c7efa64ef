"""The ``cluster`` part: where the nodes come from when they are not named, such as Slurm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from remote.node.slurm import options, times
from remote.profile.convert import text, whole
from remote.profile.fields import host
from remote.profile.parts import NodeConfig, Part
from remote.profile.training import located
from remote.profile.words import show

HOST_MARK = "{host}"
MAX_NODES = 4096
MAX_GPUS = 1024
MAX_CPUS = 65536
_WORD = re.compile(r"[^\s'\"`$;<>\\(){}]+")
_GPU_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_MEMORY = re.compile(r"[0-9]{1,12}[KMGTkmgt]?", re.ASCII)


def word(value: object, info: ValidationInfo) -> str:
    """A name that Slurm knows, or several with commas."""
    example = _EXAMPLES.get(info.field_name or "", "gpu")
    found = text(value, example)
    if not _WORD.fullmatch(found) or found.startswith("-"):
        message = f"must be a name that Slurm knows, like {example}, without blanks"
        raise ValueError(f"{message}, not {show(found)}")
    return found


def constraint(value: object) -> str:
    """Features of nodes as sbatch combines them: ``a100&nvlink``, ``[rack1|rack2]``."""
    found = text(value, "a100&nvlink")
    if found.startswith("-") or re.search(r"[\s'\"`$;\\]", found):
        message = "must be features of nodes like a100&nvlink, without blanks and quotes"
        raise ValueError(f"{message}, not {show(found)}")
    return found


def gpu_type(value: object) -> str:
    """The type as ``sinfo -o %G`` shows it, such as ``a100`` or ``1g.10gb``."""
    found = text(value, "a100")
    if not _GPU_TYPE.fullmatch(found):
        raise ValueError(f"must be a type of GPU like a100, not {show(found)}")
    return found


def memory(value: object) -> str:
    """Memory of each node: ``64G``, ``500M``; without a letter MiB; 0: all of the node."""
    found = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    found = text(found, "64G").strip()
    if not _MEMORY.fullmatch(found):
        raise ValueError(f"must be a size like 64G or 500M, not {show(found)}")
    return found


def time_limit(value: object) -> str:
    """How long the job may run, in any of Slurm's forms."""
    found = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    found = text(found, '"2:00:00"').strip()
    good, _ = times.limit(found)
    if not good:
        forms = 'minutes, "HH:MM:SS" or "D-HH:MM:SS", like "2:00:00"'
        raise ValueError(f"must be {forms}, not {show(found)}")
    return found


def address(value: object) -> str:
    """How nodes reach each other: a suffix of their names, or a pattern with ``{host}``."""
    found = text(value, '"-ib0"')
    try:
        host(data_address(found, "gpu001"))
    except ValueError:
        message = 'must be what is put behind a node\'s name, like "-ib0", or like "{host}-ib0"'
        raise ValueError(f"{message}, not {show(found)}") from None
    return found


def data_address(pattern: str, name: str) -> str:
    """The address of node ``name`` by a suffix or a pattern; empty: the name itself."""
    return pattern.replace(HOST_MARK, name) if HOST_MARK in pattern else name + pattern


def extra(values: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """More options of sbatch; those that Clew sets itself are refused."""
    if len(values) > options.MAX_EXTRA:
        raise ValueError(f"must be at most {options.MAX_EXTRA} options")
    has_gpus = bool(info.data.get("gpus_per_node", 0))
    objections = [options.objection(value, has_gpus) for value in values]
    problems = [((i,), f"{show(values[i])} {why}") for i, why in enumerate(objections) if why]
    if problems:
        raise located("extra", problems)
    return values


def _count(low: int, high: int, example: int) -> BeforeValidator:
    def check(value: object) -> int:
        found = whole(value, example)
        if low <= found <= high:
            return found
        raise ValueError(f"must be between {low} and {high}, like {example}, not {show(found)}")

    return BeforeValidator(check)


def _needs_gpus(value: str | None, info: ValidationInfo) -> str | None:
    if value is not None and info.data.get("gpus_per_node") == 0:
        raise ValueError("needs gpus_per_node: write for example gpus_per_node: 1")
    return value


def _option(value: object) -> str:
    return text(value, "--exclusive")


Word = Annotated[str, BeforeValidator(word)]
Option = Annotated[str, BeforeValidator(_option)]
Constraint = Annotated[str, BeforeValidator(constraint)]
GpuType = Annotated[str, BeforeValidator(gpu_type)]
Memory = Annotated[str, BeforeValidator(memory)]
TimeLimit = Annotated[str, BeforeValidator(time_limit)]
Address = Annotated[str, BeforeValidator(address)]
Extra = Annotated[tuple[Option, ...], AfterValidator(extra)]
# Not written where the fields are: there the validators' names are the fields'.
_EXAMPLES = {"account": "physics", "qos": "normal", "reservation": "course"}


class SlurmCluster(Part):
    """A job of Slurm's: where one logs in, and what is asked for; None: as the site has it."""

    login: NodeConfig
    """The machine that has sbatch, and shares ``storage.root`` with the nodes."""
    partition: Word | None = None
    account: Word | None = None
    qos: Word | None = None
    reservation: Word | None = None
    constraint: Constraint | None = None
    nodes: Annotated[int, _count(1, MAX_NODES, 2)] = 1
    gpus_per_node: Annotated[int, _count(0, MAX_GPUS, 4)] = 0
    gpu_type: Annotated[GpuType | None, AfterValidator(_needs_gpus)] = None
    cpus_per_task: Annotated[int, _count(1, MAX_CPUS, 16)] | None = None
    """Processors of each node: there is one keeper, Slurm's task, on each."""
    memory: Memory | None = None
    """Of each node; without a letter MiB."""
    time: TimeLimit | None = None
    address: Address | None = None
    extra: Extra = ()
    """More options of sbatch, one each."""


class Cluster(Part):
    """Who gives nodes; nothing: they are named in ``nodes``."""

    slurm: SlurmCluster | None = None


def given_by_slurm(data: Mapping[str, Any]) -> bool:
    """Whether the values read so far have a ``cluster.slurm``, so that ``nodes`` has no place."""
    cluster = data.get("cluster")
    return isinstance(cluster, Cluster) and cluster.slurm is not None
