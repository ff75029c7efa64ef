"""What of a training differs from the one that is saved, choice by choice. No Qt."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from gui.fields import FieldInfo, field_text, spec_fields

Data = dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """One choice: its key and label, and both values in words; empty: not set."""

    key: str
    label: str
    saved: str
    now: str


def differences(saved: Data, now: Data) -> list[Difference]:
    """Choices that are not the same, in the spec's order; a default that is written is none."""
    found = []
    for info in spec_fields():
        before, after = shown(info, value_at(saved, info.key)), shown(info, value_at(now, info.key))
        if before != after and not _same_number(before, after):
            found.append(Difference(info.key, info.label, before, after))
    return found


def shown(info: FieldInfo, value: Any) -> str:
    """A value as the form shows it; the default where there is none."""
    return field_text(info.default if value is None else value)


def reverted(now: Data, saved: Data, key: str) -> Data:
    """``now`` with the choice ``key`` as it is saved.

    ``steps`` and ``epochs`` exclude each other: both go back together.
    """
    found = copy.deepcopy(now)
    for one in ("steps", "epochs") if key in ("steps", "epochs") else (key,):
        _set(found, one, value_at(saved, one))
    return found


def value_at(data: Data, key: str) -> Any:
    """The value of a dotted key; None where the data do not name it."""
    group, _, name = key.rpartition(".")
    place = data.get(group) if group else data
    return place.get(name) if isinstance(place, dict) else None


def _set(data: Data, key: str, value: Any) -> None:
    group, _, name = key.rpartition(".")
    if group and not isinstance(data.get(group), dict):
        data[group] = {}
    place = data[group] if group else data
    if value is None:
        place.pop(name, None)
    else:
        place[name] = copy.deepcopy(value)
    if group and not place:
        del data[group]


def _same_number(a: str, b: str) -> bool:
    try:
        return float(a) == float(b)
    except ValueError:
        return False
