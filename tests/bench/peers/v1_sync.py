"""The classic v1 program with ``SyncReplicasOptimizer``: a step is the average of all workers."""

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
        optimizer = tf.train.SyncReplicasOptimizer(
            make_optimizer(), replicas_to_aggregate=task.workers, total_num_replicas=task.workers
        )
        update = optimizer.minimize(loss, global_step=step)
    hook = optimizer.make_session_run_hook(task.index == 0)
    progress = Progress(Path(task.progress)) if task.index == 0 else None
    with fed_batches(task) as batches, session(task, server, [hook]) as running:
        while True:
            feed = dict(zip(inputs, batches.next(), strict=True))
            applied, _, _ = running.run([step, loss, update], feed)
            if progress is not None:
                # Only what was applied counts; a gradient may be dropped as too late.
                progress.reach(float(applied) * task.workers)


if __name__ == "__main__":
    main(read_task())
