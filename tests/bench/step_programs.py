"""What the trainer's step is compared with; each prints ``{"rate": examples per second}``.

``python -m tests.bench.step_programs plain STEPS`` trains the same model on the same batches in
one process with a ``tf.function``. ``... stock STEPS ROLE INDEX PS WORKER...`` is one task of the
classic program: ``replica_device_setter`` and ``MonitoredTrainingSession``, one variable each.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

BATCH = 64
WARM_UP = 0.2
"""Share of the steps that is not timed."""


def batches(index: int, workers: int) -> Any:
    """The trainer's own batches, so that feeding costs the same everywhere."""
    from trainer.data import synthetic
    from trainer.data.batches import Batches

    dataset = synthetic.load(Path(), 1)
    return Batches(dataset.train, batch_size=BATCH, seed=1, index=index, workers=workers)


def plain(steps: int) -> float:
    """A TF2 loop in one process."""
    import keras
    import tensorflow as tf

    from trainer.models.mnist_cnn import build

    model = build((28, 28, 1), 10)
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    optimizer.build(model.trainable_variables)

    def step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(tf.cast(images, tf.float32) / 255.0, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        optimizer.apply(tape.gradient(loss, model.trainable_variables))
        return loss

    train = tf.function(step)
    begun = 0.0
    with batches(0, 1) as source:
        for number in range(steps):
            if number == int(steps * WARM_UP):
                begun = time.monotonic()
            images, labels = source.next()
            float(train(tf.constant(images), tf.constant(labels)))
    return BATCH * (steps - int(steps * WARM_UP)) / (time.monotonic() - begun)


def stock(steps: int, role: str, index: int, ps: str, workers: list[str]) -> float:
    """One task of the classic v1 program; the chief measures the global step over time."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.enable_resource_variables()
    cluster = tf.train.ClusterSpec({"ps": [ps], "worker": workers})
    server = tf.train.Server(cluster, job_name=role, task_index=index)
    if role == "ps":
        server.join()
    setter = tf.train.replica_device_setter(
        cluster=cluster, worker_device=f"/job:worker/task:{index}"
    )
    with tf.device(setter):
        fetches, feeds = _stock_graph(tf)
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"])
    hooks = [tf.train.StopAtStepHook(last_step=steps)]
    begun, first, step = 0.0, 0, 0
    with (
        batches(index, len(workers)) as source,
        tf.train.MonitoredTrainingSession(
            server.target, is_chief=index == 0, hooks=hooks, config=config
        ) as session,
    ):
        while not session.should_stop():
            step, _, _ = session.run(fetches, dict(zip(feeds, source.next(), strict=True)))
            if not begun and step >= steps * WARM_UP:
                begun, first = time.monotonic(), step
        seconds = time.monotonic() - begun
    return float(BATCH * (step - first) / seconds)


def _stock_graph(tf: Any) -> tuple[list[Any], list[Any]]:
    images = tf.placeholder(tf.uint8, [BATCH, 28, 28, 1])
    labels = tf.placeholder(tf.int32, [BATCH])
    x = tf.cast(images, tf.float32) / 255.0
    for filters, channels in ((16, 1), (32, 16)):
        x = tf.nn.conv2d(x, _weights(tf, [3, 3, channels, filters]), padding="SAME")
        x = tf.nn.max_pool2d(tf.nn.relu(x + _weights(tf, [filters])), 2, 2, "VALID")
    x = tf.reshape(x, [BATCH, 1568])
    x = tf.nn.relu(tf.matmul(x, _weights(tf, [1568, 128])) + _weights(tf, [128]))
    logits = tf.matmul(x, _weights(tf, [128, 10])) + _weights(tf, [10])
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    step = tf.train.get_or_create_global_step()
    update = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, global_step=step)
    return [step, loss, update], [images, labels]


def _weights(tf: Any, shape: list[int]) -> Any:
    name = f"weights_{len(tf.global_variables())}"
    return tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer())


def main(arguments: list[str]) -> None:
    kind, steps = arguments[0], int(arguments[1])
    if kind == "plain":
        rate = plain(steps)
    else:
        role, index, ps, *workers = arguments[2:]
        rate = stock(steps, role, int(index), ps, workers)
    print(json.dumps({"rate": rate}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
