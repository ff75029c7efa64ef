"""JSON of strangers as our own immutable records: every key known, every value of its type."""

from __future__ import annotations

import dataclasses
import math
import types
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_LARGEST = 1 << 63


class Mistyped(ValueError):
    """A value is not what it should be; says which one."""


def record_of(kind: type[T], data: object) -> T:
    """``data`` as the dataclass ``kind``. Raises Mistyped."""
    if not isinstance(data, dict):
        raise Mistyped(f"{kind.__name__} is no object")
    hints = get_type_hints(kind)
    odd = sorted(map(str, data.keys() - hints.keys()))
    if odd:
        raise Mistyped(f"unknown key {odd[0][:40]!r}")
    values = {name: value_of(hints[name], data[name], name) for name in hints if name in data}
    missing = [
        f.name
        for f in dataclasses.fields(kind)  # type: ignore[arg-type]
        if f.name not in values
        and f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise Mistyped(f"{missing[0]} is missing")
    return kind(**values)


def value_of(hint: Any, value: object, name: str) -> Any:
    """``value`` as ``hint`` says: text, number, one of some words, None, a tuple, a record."""
    if hint in (Any, object):
        return value
    if dataclasses.is_dataclass(hint):
        return record_of(hint, value)  # type: ignore[arg-type]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        return value_of(next(a for a in arguments if a is not type(None)), value, name)
    if origin is Literal:
        if value in arguments:
            return value
        raise Mistyped(f"{name} is none of {', '.join(map(str, arguments))}")
    if origin is tuple:
        if not isinstance(value, list):
            raise Mistyped(f"{name} is no list")
        return tuple(value_of(arguments[0], item, name) for item in value)
    return _plain(hint, value, name)


def _plain(hint: Any, value: object, name: str) -> Any:
    if hint is str and isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise Mistyped(f"{name} is no text") from None
        return value
    if hint is int and type(value) is int and abs(value) < _LARGEST:
        return value
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise Mistyped(f"{name} is not what it should be")
