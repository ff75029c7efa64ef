"""TF2's ``ParameterServerStrategy`` with a ``ClusterCoordinator``, one step a scheduled call.

The coordinator schedules ahead without waiting for single steps; ``ps_strategy_join`` waits for
all workers after each round of steps, which is how this strategy is made to wait for each step.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from tests.bench.peers import networks
from tests.bench.peers.common import PeerTask, outlast_being_held, read_task, tf_data
from tests.bench.progress import Progress

AHEAD = 64
"""Scheduled steps that are not done yet: more than enough to keep all workers busy."""


def main(task: PeerTask, *, join: bool = False) -> None:
    task.set_tf_config()
    import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if task.role != "chief":
        server = tf.distribute.Server(
            resolver.cluster_spec(), job_name=task.role, task_index=task.index, protocol="grpc"
        )
        server.join()
    outlast_being_held()
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    step = _step(task, strategy)
    batches = iter(coordinator.create_per_worker_dataset(lambda: tf_data(task)))
    progress = Progress(Path(task.progress))
    if join:
        _in_rounds(task, coordinator, step, batches, progress)
    else:
        _ahead(coordinator, step, batches, progress)


def _step(task: PeerTask, strategy: Any) -> Any:
    import tensorflow as tf

    with strategy.scope():
        variables = networks.make_variables(task.model, tf.Variable)
        optimizer = tf.compat.v1.train.MomentumOptimizer(networks.LEARNING_RATE, networks.MOMENTUM)

    def on_a_replica(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = networks.mean_loss(task.model, variables, images, labels)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def step(batches: Any) -> Any:
        return strategy.run(on_a_replica, args=next(batches))

    return tf.function(step)


def _ahead(coordinator: Any, step: Any, batches: Any, progress: Progress) -> None:
    scheduled: deque[Any] = deque()
    while True:
        scheduled.append(coordinator.schedule(step, args=(batches,)))
        if len(scheduled) > AHEAD:
            scheduled.popleft().get()
            progress.step()


def _in_rounds(
    task: PeerTask, coordinator: Any, step: Any, batches: Any, progress: Progress
) -> None:
    while True:
        for _ in range(task.workers):
            coordinator.schedule(step, args=(batches,))
        coordinator.join()
        progress.step(task.workers)


if __name__ == "__main__":
    main(read_task())
