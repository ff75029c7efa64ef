"""Feeds training batches of real photographs as fast as it can, ours or by plain ``tf.data``.

``python -m tests.bench.input_programs clew|tfdata folder|shards PATH`` waits for a line on
standard input, then makes batches for :data:`SECONDS` and prints how many images it made and the
seconds of processor time and of wall time that took; again for every further line.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainer import data
from trainer.data.batches import Batches
from trainer.data.kinds import Options

SECONDS = 3.0
"""Of one turn."""
SIZE = 224
BATCH = 32


def clew(kind: str, folder: Path) -> Iterator[Any]:
    from trainer.runtime import import_tensorflow

    import_tensorflow(keras=False)
    dataset = data.load("imagenet", str(folder), 1, Options(image_size=SIZE))
    with Batches(dataset.train, batch_size=BATCH, seed=1, index=0, workers=1) as batches:
        while True:
            yield batches.next()


def tfdata(kind: str, folder: Path) -> Iterator[Any]:
    """The usual input pipeline of TensorFlow's own examples: the same crops, flips and sizes."""
    import tensorflow as tf

    contents = _records(folder) if kind == "shards" else _files(folder)
    auto = tf.data.AUTOTUNE
    batches = contents.map(_picture, auto).batch(BATCH, drop_remainder=True).prefetch(auto)
    yield from batches.as_numpy_iterator()


def _files(folder: Path) -> Any:
    import tensorflow as tf

    paths = sorted(map(str, folder.glob("train/*/*")))
    classes = {name: k for k, name in enumerate(sorted({Path(p).parent.name for p in paths}))}
    labels = [classes[Path(p).parent.name] for p in paths]
    pairs = tf.data.Dataset.from_tensor_slices((paths, labels))
    return (
        pairs.shuffle(len(paths), seed=1)
        .repeat()
        .map(lambda path, label: (tf.io.read_file(path), label), tf.data.AUTOTUNE)
    )


def _records(folder: Path) -> Any:
    import tensorflow as tf

    features = {
        "image/encoded": tf.io.FixedLenFeature([], tf.string),
        "image/class/label": tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(record: Any) -> Any:
        found = tf.io.parse_single_example(record, features)
        return found["image/encoded"], found["image/class/label"]

    names = sorted(map(str, folder.glob("train-*")))
    shards = tf.data.Dataset.from_tensor_slices(names).shuffle(len(names), seed=1).repeat()
    return (
        shards.interleave(tf.data.TFRecordDataset, cycle_length=4)
        .shuffle(256)
        .map(parse, tf.data.AUTOTUNE)
    )


def _picture(encoded: Any, label: Any) -> Any:
    import tensorflow as tf

    begin, extent, _ = tf.image.sample_distorted_bounding_box(
        tf.image.extract_jpeg_shape(encoded),
        tf.constant([[[0.0, 0.0, 1.0, 1.0]]]),
        aspect_ratio_range=(3 / 4, 4 / 3),
        area_range=(0.08, 1.0),
        max_attempts=10,
        use_image_if_no_bounding_boxes=True,
    )
    window = tf.stack([begin[0], begin[1], extent[0], extent[1]])
    cropped = tf.image.decode_and_crop_jpeg(
        encoded, window, channels=3, fancy_upscaling=False, dct_method="INTEGER_FAST"
    )
    square = tf.image.resize(cropped, [SIZE, SIZE])
    return tf.cast(tf.image.random_flip_left_right(square) + 0.5, tf.uint8), label


def main(arguments: list[str]) -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stream = {"clew": clew, "tfdata": tfdata}[arguments[0]](arguments[1], Path(arguments[2]))
    for _ in range(4):
        next(stream)
    for _ in sys.stdin:
        images, began, used = 0, time.monotonic(), time.process_time()
        while time.monotonic() - began < SECONDS:
            images += len(next(stream)[1])
        print(images, time.process_time() - used, time.monotonic() - began, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
