"""``python -m trainer.export CHECKPOINT OUT < spec.json``: a checkpoint as a ``.keras`` file.

The spec is that of the chief's task. This runs in a process of its own, because Keras saves models
only where TensorFlow is not in v1 mode. The model is built as for training, gets the checkpoint's
values, and is saved whole or not at all. It takes examples as they entered training: pixels scaled
to 0..1.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from trainer.checkpoints import MODEL_STATE
from trainer.failures import BadSpec, TaskFailure
from trainer.spec import EXIT_BAD_SPEC, TaskSpec, from_json

PARAMETERS = "parameters"


def main(arguments: list[str]) -> int:
    """Export; returns the exit status, with one sentence on standard error unless it is 0."""
    if len(arguments) != 2:
        print("usage: python -m trainer.export CHECKPOINT OUT < spec.json", file=sys.stderr)
        return EXIT_BAD_SPEC
    checkpoint, out = map(Path, arguments)
    try:
        spec = from_json(TaskSpec, json.load(sys.stdin))
        export(spec, checkpoint, out)
    except TaskFailure as failure:
        print(failure, file=sys.stderr)
        return failure.exit_status
    except Exception as error:  # whatever Keras, or a layer of the user's, raises
        text = " ".join(str(error).split())[:400] or type(error).__name__
        print(f"{checkpoint} cannot be exported to {out}: {text}", file=sys.stderr)
        return EXIT_BAD_SPEC
    return 0


def export(spec: TaskSpec, checkpoint: Path, out: Path) -> None:
    """Write the model of ``checkpoint`` to ``out``.

    Raises:
        BadSpec: the user's model failed, or the checkpoint does not fit it.
        OSError: one of the files cannot be read or written.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    manifest = json.loads(checkpoint.with_suffix(".json").read_bytes())
    described = manifest["description"]
    from trainer import models

    model = models.build(
        spec.training.model,
        tuple(described["input_shape"]),
        int(described["classes"]),
        spec.training.seed,
        spec.code_dir,
    )
    _fill(model, checkpoint)
    part = out.with_name(f".part-{out.name}")  # Keras looks at the ending
    try:
        model.save(part)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _fill(model: Any, checkpoint: Path) -> None:
    import numpy as np

    state = [v for v in model.non_trainable_variables if v.dtype == "float32"]
    with np.load(checkpoint, allow_pickle=False) as file:
        for name, variables in ((PARAMETERS, model.trainable_variables), (MODEL_STATE, state)):
            for i, variable in enumerate(variables):
                value = file[f"{name}/{i}"]
                if value.shape != tuple(variable.shape):
                    raise BadSpec(f"{checkpoint} does not fit: {variable.path} has another shape")
                variable.assign(value)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
