"""Which keys a profile has, and what an unknown one was probably meant to be."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from remote.profile.model import Profile
from remote.profile.words import nearest

VERSION_KEY = "clew"
_OTHER_WORDS = {
    "version": "clew",
    "lr": "learning_rate",
    "train": "training",
    "env": "environment",
    "batch": "batch_size",
    "username": "user",
    "hostname": "host",
    "hosts": "nodes",
    "key": "identity_file",
    "proxy_jump": "jump",
    "proxyjump": "jump",
    "max_restarts": "max",
    "restart_policy": "policy",
    "restartpolicy": "policy",
    "backoff": "backoff_s",
    "deadline": "max_hours",
    "time_limit": "max_hours",
    "active_deadline_seconds": "max_hours",
}
"""What others call our keys, where the letters alone do not show it."""
_SLURM_WORDS = {
    "cpus": "cpus_per_task",
    "gpus": "gpus_per_node",
    "gres": "gpus_per_node",
    "host": "login",
    "login_node": "login",
    "mem": "memory",
    "queue": "partition",
    "time_limit": "time",
    "timelimit": "time",
    "walltime": "time",
}
"""The same within ``cluster.slurm``; some mean another key of ours elsewhere."""
_SLURM = ("cluster", "slurm")


@dataclass(frozen=True, slots=True)
class Shape:
    """The keys of a mapping, or (``each``) of every mapping in a list.

    A key's own shape is None where whatever stands below it is the field's own affair.
    """

    keys: Mapping[str, Shape | None]
    each: bool = False


@cache
def profile_shape() -> Shape:
    """The whole profile's keys, without the version."""
    return _shape(Profile)


def suggestion(key: str, shape: Shape, place: Sequence[str | int]) -> str | None:
    """What an unknown ``key`` at ``place`` was probably meant to be, as a sentence, or None."""
    word = key.casefold().replace("-", "_").strip()
    words = {**_OTHER_WORDS, **(_SLURM_WORDS if tuple(place) == _SLURM else {})}
    meant = words.get(word, word)
    here = ".".join(str(part) for part in place)
    top = [VERSION_KEY] if not place else []
    close = meant if meant in shape.keys or meant in top else None
    elsewhere = [] if close else _places_of(meant)
    if not elsewhere:
        close = close or nearest(key, [*shape.keys, *top])
    if close:
        return f"unknown key, did you mean {here}.{close}?".replace(" .", " ")
    if len(elsewhere) != 1:
        return None
    at_top = "" if "." in elsewhere[0] else ", at the top of the file"
    return f"unknown key here, did you mean {elsewhere[0]}{at_top}?"


def _places_of(key: str) -> list[str]:
    """Where in a profile a key of exactly that name belongs."""
    found = [path for path in _leaves(profile_shape(), "") if path.rpartition(".")[2] == key]
    # `port` alone is rather that of all nodes than that of Slurm's login.
    return [path for path in found if not path.startswith("cluster.")] or found


def _shape(kind: Any) -> Shape:
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return Shape({f.name: _below(hints[f.name]) for f in dataclasses.fields(kind)})
    return Shape({name: _below(field.annotation) for name, field in kind.model_fields.items()})


def _below(hint: Any) -> Shape | None:
    if get_origin(hint) in (Union, UnionType):
        return next(filter(None, map(_below, get_args(hint))), None)
    if get_origin(hint) is Annotated:
        return _below(get_args(hint)[0])
    if get_origin(hint) is tuple:
        inner = _below(get_args(hint)[0])
        return Shape(inner.keys, each=True) if inner else None
    if isinstance(hint, type) and (issubclass(hint, BaseModel) or dataclasses.is_dataclass(hint)):
        return _shape(hint)
    return None


def _leaves(shape: Shape, path: str) -> Iterator[str]:
    for key, below in shape.keys.items():
        yield f"{path}{key}"
        if below is not None and not below.each:
            yield from _leaves(below, f"{path}{key}.")
