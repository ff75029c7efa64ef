"""The classic v1 program: ``replica_device_setter`` and ``MonitoredTrainingSession``, async."""

from __future__ import annotations

from pathlib import Path

from tests.bench.peers.common import PeerTask, fed_batches, read_task
from tests.bench.peers.v1_job import inputs_and_loss, make_optimizer, on_ps, session, start_server
from tests.bench.progress import Progress


def main(task: PeerTask) -> None:
    server = start_server(task)
    import tensorflow.compat.v1 as tf

    with on_ps(task):
        inputs, loss = inputs_and_loss(task)
        step = tf.train.get_or_create_global_step()
        update = make_optimizer().minimize(loss, global_step=step)
    progress = Progress(Path(task.progress))
    with fed_batches(task) as batches, session(task, server, []) as running:
        while True:
            running.run([step, loss, update], dict(zip(inputs, batches.next(), strict=True)))
            progress.step()


if __name__ == "__main__":
    main(read_task())
