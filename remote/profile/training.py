"""Reads the ``training`` part: a :class:`~trainer.spec.TrainingSpec` by its fields' metadata."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_type_hints

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from remote.profile import convert
from remote.profile.words import show
from trainer.spec import SpecProblem, TrainingSpec, is_own

WORDS_FOR_NONE = {"workers": "auto"}
"""Optional fields whose empty value has a word in the file."""
_EXAMPLES = {
    "workers": 2,
    "steps": 2000,
    "epochs": 2,
    "path": "/data/mnist",
    "image_size": 224,
    "code": "~/nets",
    "resume_from": "/data/runs/checkpoints",
    "evaluate_every": 1000,
    "decay_steps": 1000,
    "clip_norm": 1.0,
    "clip_value": 0.5,
    "accuracy": 0.99,
    "loss": 0.05,
    "patience": 5,
}


def read_training(value: object) -> TrainingSpec:
    """The spec that a mapping (or a spec) describes.

    Raises:
        pydantic.ValidationError: with every problem, each at its own location.
    """
    if isinstance(value, TrainingSpec):
        spec, found = value, list[SpecProblem]()
    else:
        spec, found = _read(TrainingSpec, value, "")
    reported = {problem.path for problem in found}
    found += [problem for problem in spec.problems() if problem.path not in reported]
    if found:
        raise located("training", ((tuple(p.path.split(".")), p.message) for p in found))
    return spec


def located(title: str, found: Iterable[tuple[tuple[str | int, ...], str]]) -> ValidationError:
    """Several sentences, each at its location, as one error that pydantic merges into its own."""
    errors = [
        InitErrorDetails(
            type=PydanticCustomError("clew", "{text}", {"text": message}), loc=place, input=None
        )
        for place, message in found
    ]
    return ValidationError.from_exception_data(title, errors)


def _read(kind: Any, value: object, path: str) -> tuple[Any, list[SpecProblem]]:
    if not isinstance(value, Mapping):
        first = dataclasses.fields(kind)[0]
        message = f"must be a mapping like {{{first.name}: {_example(first)}}}, not {show(value)}"
        return kind(), [SpecProblem(path.rstrip("."), message)]
    hints, fields = get_type_hints(kind), {f.name: f for f in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    found: list[SpecProblem] = []
    for key, item in value.items():
        where = f"{path}{key}"
        if key not in fields:
            found.append(SpecProblem(where, "unknown key"))
        elif item is None:
            continue
        elif dataclasses.is_dataclass(hints[key]):
            values[key], problems = _read(hints[key], item, f"{where}.")
            found += problems
        else:
            try:
                values[key] = _value(fields[key], hints[key], item)
            except ValueError as error:
                found.append(SpecProblem(where, str(error)))
    return kind(**values), found


def _value(field: dataclasses.Field[Any], hint: Any, value: object) -> Any:
    if value == WORDS_FOR_NONE.get(field.name):
        return None
    kinds = get_args(hint) or (hint,)
    example = _example(field)
    if kinds[-1] is Ellipsis:
        return convert.words(value, "[python, train.py]")
    if "choices" in field.metadata:
        if field.metadata.get("own") and isinstance(value, str) and is_own(value):
            return value
        return convert.choice(value, field.metadata["choices"], own=field.metadata.get("own"))
    if bool in kinds:
        return convert.yes_no(value)
    if float in kinds:
        return convert.number(value, example)
    if int in kinds:
        word = WORDS_FOR_NONE.get(field.name)
        return convert.whole(value, f"{example} or {word}" if word else example)
    return convert.text(value, example)


def _example(field: dataclasses.Field[Any]) -> object:
    if field.name in _EXAMPLES:
        return _EXAMPLES[field.name]
    if dataclasses.is_dataclass(field.default_factory):
        return "{…}"
    value = field.default
    return int(value) if isinstance(value, float) and value.is_integer() else value
