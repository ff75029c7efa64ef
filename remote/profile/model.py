"""The profile as an immutable value: nodes, how to reach them, environment, storage, training."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    ModelWrapValidatorHandler,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WrapValidator,
)

from remote.profile.cluster import Cluster, given_by_slurm
from remote.profile.fields import (
    FilePath,
    FirstPort,
    Jump,
    Name,
    Port,
    Program,
    Requirement,
    Root,
    SetupLine,
    User,
    Variable,
    VariableValue,
    WheelSource,
)
from remote.profile.parts import NodeConfig, Part
from remote.profile.places import read_placement
from remote.profile.requirement import named_twice
from remote.profile.training import located, read_training
from remote.profile.words import show
from trainer.spec import TrainingSpec

VERSION = 1
"""Version of the file format, written as ``clew: 1``."""


class SshDefaults(Part):
    """How to log in to every node that does not say otherwise; None: as ``ssh`` would."""

    user: User | None = None
    port: Port | None = None
    identity_file: FilePath | None = None
    jump: Jump | None = None


class Environment(Part):
    """What a task runs with, on every node."""

    python: Program | None = None
    """None: the first suitable Python 3 of the login's PATH."""
    setup: tuple[SetupLine, ...] = ()
    """Lines of shell that run before Python."""
    variables: dict[Variable, VariableValue] = Field(default_factory=dict)
    packages: Annotated[tuple[Requirement, ...], AfterValidator(named_twice)] = ()
    """What pip installs into an environment that Clew makes; empty: ``python`` is used as it is."""
    wheels: WheelSource = "auto"
    """Where they come from: the node's ``index``, the ``desktop``, or the first that answers."""


class Storage(Part):
    """Where Clew keeps its files on the nodes."""

    root: Root = "~/.clew"


class Ports(Part):
    """TCP ports that tasks listen on, counted upward from ``first``."""

    first: FirstPort = 2220


def _nodes(value: Any, handler: ModelWrapValidatorHandler[Any], info: ValidationInfo) -> Any:
    """Every problem of every node, names that are taken twice included."""
    problems = [*_twice(value)]
    if value and given_by_slurm(info.data):
        problems.append(((), "must be left out: cluster.slurm gives the nodes"))
    try:
        nodes = handler(value)
    except ValidationError as error:
        if problems:
            raise located("nodes", [*problems_of(error), *problems]) from None
        raise
    if problems:
        raise located("nodes", problems)
    return nodes


class Profile(Part):
    """All that a user says about a cluster and a training run; equal when all values are."""

    name: Name = ""
    ssh: SshDefaults = SshDefaults()
    cluster: Cluster = Cluster()
    nodes: Annotated[tuple[NodeConfig, ...], WrapValidator(_nodes)] = ()
    """Empty with ``cluster.slurm``."""
    environment: Environment = Environment()
    storage: Storage = Storage()
    ports: Ports = Ports()
    training: Annotated[TrainingSpec, PlainValidator(read_training)] = TrainingSpec()
    placement: Annotated[dict[str, str], PlainValidator(read_placement)] = Field(
        default_factory=dict
    )
    """Where each task runs, as :class:`~remote.profile.places.Place` is written; empty: Clew
    places them."""

    @property
    def logins(self) -> tuple[NodeConfig, ...]:
        """The machines that one logs in to: the nodes, or where a job is handed in."""
        slurm = self.cluster.slurm
        return (slurm.login,) if slurm else self.nodes

    def node(self, name: str) -> NodeConfig:
        """The node, or the login, of that name. Raises :class:`KeyError`."""
        for node in self.logins:
            if node.name == name:
                return node
        raise KeyError(name)


def _twice(value: Any) -> list[tuple[tuple[str | int, ...], str]]:
    first: dict[str, int] = {}
    found: list[tuple[tuple[str | int, ...], str]] = []
    for index, node in enumerate(value if isinstance(value, (list, tuple)) else ()):
        name, key = _name_of(node)
        if not name:
            continue
        # Composed and decomposed accents look the same and are one name.
        at = first.setdefault(unicodedata.normalize("NFC", name), index)
        if at != index:
            message = f"{show(name)} is also nodes.{at}: give each node a name of its own"
            found.append(((index, key), message))
    return found


def _name_of(node: Any) -> tuple[str, str]:
    if isinstance(node, NodeConfig):
        return node.name, "name"
    if isinstance(node, str):
        return node, "host"
    if isinstance(node, dict):
        key = "name" if isinstance(node.get("name"), str) else "host"
        return (node[key], key) if isinstance(node.get(key), str) else ("", "")
    return "", ""


def problems_of(error: ValidationError) -> list[tuple[tuple[str | int, ...], str]]:
    """Every problem of a pydantic error as its location and one sentence."""
    return [
        (tuple(part for part in detail["loc"] if part != "[key]"), _sentence(detail))
        for detail in error.errors()
        if detail["type"] != "default_factory_not_called"  # the host's own problem is there too
    ]


def _sentence(error: Any) -> str:
    kind = error["type"]
    if kind == "value_error":
        return str(error["ctx"]["error"])
    if kind == "clew":
        return str(error["msg"])
    key = str(error["loc"][-1]) if error["loc"] else ""
    given = show(error["input"])
    if kind == "missing":
        return f"is missing; write for example {key}: {'login1' if key == 'login' else 'gpu001'}"
    if kind == "extra_forbidden":
        return "unknown key"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        like = " like {host: gpu001}" if key.isdigit() else _LIKE.get(key, "")
        return f"must be a mapping{like}, not {given}"
    if kind == "tuple_type":
        return f"must be a list{_LIKE.get(key, '')}, not {given}"
    return str(error["msg"])


_LIKE = {
    "nodes": " like [gpu001, gpu002]",
    "setup": ' like ["module load cuda/12.4"]',
    "packages": ' like ["tensorflow==2.21.*"]',
    "variables": ' like {OMP_NUM_THREADS: "4"}',
    "ssh": " like {user: ana}",
    "environment": " like {python: ~/venvs/tf/bin/python}",
    "storage": " like {root: ~/.clew}",
    "ports": " like {first: 2220}",
    "cluster": " like {slurm: {login: login1, nodes: 2}}",
    "slurm": " like {login: login1, nodes: 2}",
    "login": " like {host: login1}",
    "extra": ' like ["--exclusive"]',
}
