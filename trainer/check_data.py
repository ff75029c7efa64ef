"""``python -m trainer.check_data SPEC_JSON``: is the data set sound? Needs no TensorFlow, no NumPy.

``SPEC_JSON`` is a task's ``spec.json``; ``-`` reads it from standard input. Instead, ``NAME DIR``
checks a data set by name and folder. Prints one JSON line and ends with 0 or ``EXIT_BAD_DATA``::

    {"ok": true, "train": 60000, "test": 10000, "shape": [28, 28, 1], "classes": 10}
    {"ok": false, "error": "/data/train-images-idx3-ubyte.gz is a web page, not images; ..."}
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from trainer import data
from trainer.failures import BadData
from trainer.spec import EXIT_BAD_DATA, EXIT_BAD_SPEC, SpecError, TaskSpec, from_json


def main(arguments: list[str]) -> int:
    """Check what ``arguments`` name; returns the exit status."""
    try:
        name, folder = _wanted(arguments)
        summary = data.check(name, folder)
    except BadData as error:
        return _report({"ok": False, "error": str(error)}, EXIT_BAD_DATA)
    except (OSError, ValueError, SpecError) as error:
        return _report({"ok": False, "error": f"the spec cannot be read: {error}"}, EXIT_BAD_SPEC)
    return _report({"ok": True, **dataclasses.asdict(summary)}, 0)


def _wanted(arguments: list[str]) -> tuple[str, str | None]:
    if len(arguments) == 2:
        return arguments[0], arguments[1]
    if len(arguments) != 1:
        raise ValueError("give the path of a spec.json, or a data set's name and folder")
    text = sys.stdin.read() if arguments[0] == "-" else Path(arguments[0]).read_text("utf-8")
    spec = from_json(TaskSpec, json.loads(text))
    return spec.training.dataset.name, spec.data_dir


def _report(result: dict[str, Any], status: int) -> int:
    print(json.dumps(result))
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
