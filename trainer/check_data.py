"""``python -m trainer.check_data``: is the data set sound? Needs no TensorFlow and no NumPy.

``SPEC_JSON`` is a task's ``spec.json``; ``-`` reads it from standard input. Instead, ``NAME DIR``
checks a data set by name and folder, and more of its choices may follow (``max_bad_files=5``).
Prints one JSON line and ends with 0 or ``EXIT_BAD_DATA``::

    {"ok": true, "train": 60000, "test": 10000, "shape": [28, 28, 1], "classes": 10, ...}
    {"ok": false, "error": "/data/train-images-idx3-ubyte.gz is a web page, not images; ..."}

For images, ``kinds`` counts them by their true kind and ``files`` lists those that are odd or
bad; of a big data set, as many as a minute allows are looked at, and ``notes`` says how many.

``--files FILE...`` says what each file really is, one line each, and ends with 0 if all are
usable::

    {"file": "n02110958.JPEG", "kind": "GIF", "usable": true, "note": "called .JPEG; ..."}
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from trainer import data
from trainer.data.check_files import look_at
from trainer.failures import BadData
from trainer.spec import (
    EXIT_BAD_DATA,
    EXIT_BAD_SPEC,
    DatasetSpec,
    SpecError,
    TaskSpec,
    TrainingSpec,
    from_json,
)


def main(arguments: list[str]) -> int:
    """Check what ``arguments`` name; returns the exit status."""
    if arguments[:1] == ["--files"]:
        return _look_at_files(arguments[1:])
    try:
        dataset, folder = _wanted(arguments)
        summary = data.check(dataset.name, folder, data.options_of(dataset))
    except BadData as error:
        return _report({"ok": False, "error": str(error)}, EXIT_BAD_DATA)
    except (OSError, ValueError, SpecError) as error:
        return _report({"ok": False, "error": f"the spec cannot be read: {error}"}, EXIT_BAD_SPEC)
    return _report({"ok": True, **dataclasses.asdict(summary)}, 0)


def _wanted(arguments: list[str]) -> tuple[DatasetSpec, str | None]:
    if len(arguments) > 1:
        more = dict(map(_choice, arguments[2:]))
        named = {"name": arguments[0], "path": arguments[1], **more}
        return from_json(TrainingSpec, {"dataset": named}).dataset, arguments[1]
    if len(arguments) != 1:
        raise ValueError("give the path of a spec.json, or a data set's name and folder")
    text = sys.stdin.read() if arguments[0] == "-" else Path(arguments[0]).read_text("utf-8")
    spec = from_json(TaskSpec, json.loads(text))
    return spec.training.dataset, spec.data_dir


def _choice(text: str) -> tuple[str, str | int]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is not KEY=VALUE")
    return key, int(value) if value.isascii() and value.isdigit() else value


def _look_at_files(names: list[str]) -> int:
    findings = [look_at(Path(name)) for name in names]
    for found in findings:
        _report(dataclasses.asdict(found), 0)
    return 0 if all(found.usable for found in findings) else EXIT_BAD_DATA


def _report(result: dict[str, Any], status: int) -> int:
    print(json.dumps(result))
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
