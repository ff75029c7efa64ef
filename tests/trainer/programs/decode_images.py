"""Answers questions about image data sets, in JSON: decoding needs TensorFlow in a process.

Each line of standard input is a list of questions: ``folder``, ``ask`` (``train``, ``test``, or
``colors`` for one image), and what :func:`answer` takes from them. For each there is a dict in the
list that is printed in one line: ``pixels`` is the central pixel of every image in the order of
the batches, ``labels`` what it shows, ``digest`` stands for all bytes, ``told`` are the sentences
for the user, ``error`` is what ended it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import time
from typing import Any

import numpy as np

from trainer import data
from trainer.data.batches import Batches
from trainer.data.colors import Colors, Recoloring
from trainer.data.kinds import Options
from trainer.failures import BadData
from trainer.runtime import import_tensorflow


def answer(question: dict[str, Any]) -> dict[str, Any]:
    if question["ask"] == "colors":
        return recolored(question)
    told: list[str] = []
    options = Options(
        image_size=question.get("size", 16),
        max_bad_files=question.get("max_bad_files", 100),
        truncated=question.get("truncated", "skip"),
        color_distortion=question.get("color_distortion", False),
        threads=question.get("threads"),
        tell=told.append,
    )
    images, labels = [], []
    error, began = "", (time.monotonic(), time.process_time())
    try:
        dataset = data.load("imagenet", question["folder"], 1, options)
        for batch in batches(dataset, question):
            images.append(batch[0])
            labels.append(batch[1])
    except BadData as failure:
        error = str(failure)
    found = np.concatenate(images) if images else np.empty((0, 1, 1, 3), np.uint8)
    middle = found.shape[1] // 2
    return {
        "error": error,
        "told": told,
        "labels": [int(label) for part in labels for label in part],
        "pixels": found[:, middle, middle].tolist(),
        "means": found.mean((1, 2)).round(2).tolist(),
        "shape": list(found.shape),
        "kind": str(found.dtype),
        "digest": hashlib.sha256(found.tobytes()).hexdigest(),
        "cpu_s": time.process_time() - began[1],
    }


def recolored(question: dict[str, Any]) -> dict[str, Any]:
    """``image`` in the colours that ``changes`` lead to, one after the other."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default(), tf.Session() as session:
        change = Recoloring()
        change.open(session)
        image = np.array(question["image"], np.uint8)
        return {"images": [change(image, Colors(*c)).tolist() for c in question["changes"]]}


def batches(dataset: Any, question: dict[str, Any]) -> Any:
    if question["ask"] == "test":
        yield from dataset.test.batches(question.get("batch_size", 4))
        return
    stream = Batches(
        dataset.train,
        batch_size=question.get("batch_size", 4),
        seed=question.get("seed", 1),
        index=question.get("index", 0),
        workers=question.get("workers", 1),
    )
    with stream:
        for _ in range(question["batches"]):
            yield stream.next()


def main() -> None:
    import_tensorflow(keras=False)
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            answers = [answer(question) for question in json.loads(line)]
        print(json.dumps(answers), flush=True)


if __name__ == "__main__":
    main()
