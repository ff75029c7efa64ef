"""A TF2 loop around a ``tf.function`` in one process: it uses all cores and talks to nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bench.peers import networks
from tests.bench.peers.common import PeerTask, fed_batches, read_task
from tests.bench.progress import Progress

OWN_MODELS = str(Path(__file__).parents[1] / "own_models")


def main(task: PeerTask) -> None:
    import keras
    import tensorflow as tf

    from trainer.models import build

    side, channels = (task.image_size, 3) if task.image_size else (networks.SIDE, 1)
    name = "classic:build" if task.model == "classic" else task.model
    model = build(name, (side, side, channels), networks.CLASSES, 1, OWN_MODELS)
    optimizer = keras.optimizers.SGD(networks.LEARNING_RATE, momentum=networks.MOMENTUM)
    optimizer.build(model.trainable_variables)

    def step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(tf.cast(images, tf.float32) / 255.0, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        optimizer.apply(tape.gradient(loss, model.trainable_variables))
        return loss

    train = tf.function(step)
    progress = Progress(Path(task.progress))
    with fed_batches(task) as batches:
        while True:
            images, labels = batches.next()
            float(train(tf.constant(images), tf.constant(labels)))
            progress.step()


if __name__ == "__main__":
    main(read_task())
