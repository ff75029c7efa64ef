"""What the two classic v1 programs share: server, model, and its variables on the ps."""

from __future__ import annotations

from typing import Any

from tests.bench.peers import networks
from tests.bench.peers.common import PeerTask


def start_server(task: PeerTask) -> Any:
    """The task's server; a ps stays in here until it is killed."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.enable_resource_variables()
    cluster = tf.train.ClusterSpec(task.cluster)
    server = tf.train.Server(cluster, job_name=task.role, task_index=task.index)
    if task.role == "ps":
        server.join()
    return server


def on_ps(task: PeerTask) -> Any:
    """The device scope that puts variables on the ps and everything else on this worker."""
    import tensorflow.compat.v1 as tf

    worker = f"/job:worker/task:{task.index}"
    return tf.device(tf.train.replica_device_setter(cluster=task.cluster, worker_device=worker))


def inputs_and_loss(task: PeerTask) -> tuple[list[Any], Any]:
    import tensorflow.compat.v1 as tf

    images = tf.placeholder(tf.uint8, [task.batch, networks.SIDE, networks.SIDE, 1])
    labels = tf.placeholder(tf.int32, [task.batch])
    variables = networks.make_variables(task.model, tf.Variable)
    return [images, labels], networks.mean_loss(task.model, variables, images, labels)


def make_optimizer() -> Any:
    import tensorflow.compat.v1 as tf

    return tf.train.MomentumOptimizer(networks.LEARNING_RATE, networks.MOMENTUM)


def session(task: PeerTask, server: Any, hooks: list[Any]) -> Any:
    """A MonitoredTrainingSession that sees the ps and this worker, and saves nothing."""
    import tensorflow.compat.v1 as tf

    own = f"/job:worker/task:{task.index}"
    return tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=task.index == 0,
        hooks=hooks,
        config=tf.ConfigProto(device_filters=["/job:ps", own]),
        log_step_count_steps=None,
    )
