"""Where the user wants each task: ``placement: {"worker:0": gpu001/0, "ps:0": gpu002}``.

A place is a node's name, with ``/`` and ``nvidia-smi``'s number for one of its GPUs; a node's name
has no slash. What can be told without the nodes is checked here, the rest by the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationInfo

from remote.profile.cluster import given_by_slurm
from remote.profile.training import located
from remote.profile.words import SHOWN_CHARACTERS, nearest, printable, show

MAX_INDEX = 1023
_EXAMPLE = 'like {"worker:0": gpu001/0, "ps:0": gpu002}'
_SHOWN_NODES = 4


class Place(NamedTuple):
    """A node, and one of its GPUs; None: its CPU, or with a worker per node all its GPUs."""

    node: str
    gpu: int | None = None

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read what :meth:`__str__` wrote. Raises :class:`ValueError`."""
        node, slash, number = text.partition("/")
        if not slash:
            return cls(text)
        if not (number.isascii() and number.isdigit() and int(number[:5]) <= MAX_INDEX):
            raise ValueError(text)
        return cls(node, int(number))

    def __str__(self) -> str:
        return self.node if self.gpu is None else f"{self.node}/{self.gpu}"


def read_placement(value: object, info: ValidationInfo) -> dict[str, str]:
    """The placement that a mapping describes, parameter servers first.

    Raises:
        pydantic.ValidationError: with every problem, each at its own task.
    """
    if not isinstance(value, Mapping):
        message = f"must be a mapping {_EXAMPLE}, not {show(value)}"
        raise located("placement", [((), message)])
    if value and given_by_slurm(info.data):
        message = "must be left out: which nodes there are shows when the job of Slurm begins"
        raise located("placement", [((), message)])
    nodes = info.data.get("nodes")
    known = [node.name for node in nodes] if nodes is not None else None
    places: dict[tuple[str, int], str] = {}
    taken: dict[Place, str] = {}
    found: list[tuple[tuple[str | int, ...], str]] = []
    for key, text in value.items():
        try:
            task = _task(key)
            place = _place(task, text, known)
            if place.gpu is not None and place in taken:
                raise ValueError(f"{place} is the place of {taken[place]}, too: {_FREE}")
        except ValueError as error:
            found.append(((str(key),), str(error)))
            continue
        taken[place] = str(key)
        places[task] = str(place)
    if found:
        raise located("placement", found)
    return {f"{role}:{index}": places[role, index] for role, index in sorted(places)}


_FREE = "give each worker a GPU of its own"


def _task(key: Any) -> tuple[str, int]:
    role, colon, number = key.partition(":") if isinstance(key, str) else ("", "", "")
    good = number.isascii() and number.isdigit() and len(number) < 6 and number == str(int(number))
    if role not in ("worker", "ps") or not colon or not good:
        raise ValueError("is not a task: write worker:0, worker:1, or ps:0")
    return role, int(number)


def _place(task: tuple[str, int], text: Any, known: list[str] | None) -> Place:
    name = f"{task[0]}:{task[1]}"
    try:
        place = Place.parse(text) if isinstance(text, str) and text else None
    except ValueError:
        place = None
    if place is None or not place.node:
        given = "" if text in (None, "") else f", not {show(text)}"
        raise ValueError(f"must be a node like gpu001, or a GPU of it like gpu001/0{given}")
    if known is not None and place.node not in known:
        raise ValueError(_no_node(place.node, known))
    if task[0] == "ps" and place.gpu is not None:
        raise ValueError(f"a ps uses no GPU: write {name}: {printable(place.node)}")
    return place


def _no_node(name: str, known: list[str]) -> str:
    shown = printable(name[:SHOWN_CHARACTERS])
    close = nearest(name, known)
    if close:
        return f"there is no node {shown}, did you mean {printable(close)}?"
    more = ", …" if len(known) > _SHOWN_NODES else ""
    names = ", ".join(printable(node) for node in known[:_SHOWN_NODES]) + more
    there = f"write one of {names}" if known else "add it to nodes"
    return f"there is no node {shown}: {there}"
