"""TF2's ``MultiWorkerMirroredStrategy``: every worker holds all variables, gradients all-reduce."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bench.peers import networks
from tests.bench.peers.common import PeerTask, outlast_being_held, read_task, tf_data
from tests.bench.progress import Progress


def main(task: PeerTask) -> None:
    task.set_tf_config()
    import tensorflow as tf

    outlast_being_held()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        variables = networks.make_variables(task.model, tf.Variable)
        optimizer = tf.compat.v1.train.MomentumOptimizer(networks.LEARNING_RATE, networks.MOMENTUM)

    def on_a_replica(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = networks.mean_loss(task.model, variables, images, labels)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    train = tf.function(lambda batch: strategy.run(on_a_replica, args=batch))
    batches = iter(strategy.distribute_datasets_from_function(lambda _: tf_data(task)))
    progress = Progress(Path(task.progress))
    while True:
        float(train(next(batches)))
        progress.step()


if __name__ == "__main__":
    main(read_task())
