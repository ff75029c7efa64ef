"""What every compared program is told, and the same examples for all.

A program is ``python -m tests.bench.peers.NAME`` with a :class:`PeerTask` as JSON. It trains until
it is killed, and notes its batches in ``progress``.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

HEARTBEAT_MS = 3_600_000


@dataclass(frozen=True, kw_only=True)
class PeerTask:
    """One process of a compared program.

    Attributes:
        model: of ``networks`` or ``trainer.models``.
        progress: the file for its :class:`~tests.bench.progress.Progress`.
        cluster: addresses by role, as ``TF_CONFIG`` has them; empty for a single process.
    """

    model: str
    batch: int
    progress: str
    image_size: int | None
    cluster: dict[str, list[str]]
    role: str
    index: int

    def to_json(self) -> str:
        return json.dumps(vars(self))

    @property
    def workers(self) -> int:
        return len(self.cluster.get("worker", [])) or 1

    def set_tf_config(self) -> None:
        os.environ["TF_CONFIG"] = json.dumps(
            {"cluster": self.cluster, "task": {"type": self.role, "index": self.index}}
        )


def read_task() -> PeerTask:
    return PeerTask(**json.loads(sys.argv[1]))


def load(task: PeerTask) -> Any:
    """The synthetic examples that the trainer makes itself."""
    from trainer.data import synthetic
    from trainer.data.kinds import Options

    return synthetic.load(Path(), 1, Options(image_size=task.image_size))


def fed_batches(task: PeerTask) -> Any:
    """For programs that feed: the trainer's own batches, so that feeding costs the same."""
    from trainer.data.batches import Batches

    train = load(task).train
    return Batches(train, batch_size=task.batch, seed=1, index=task.index, workers=task.workers)


def tf_data(task: PeerTask) -> Any:
    """For programs that take a ``tf.data.Dataset``: the same examples, in memory, shuffled."""
    import tensorflow as tf

    train = load(task).train
    dataset = tf.data.Dataset.from_tensor_slices((train.images, train.labels))
    dataset = dataset.shuffle(len(train.labels), seed=1).repeat()
    return dataset.batch(task.batch, drop_remainder=True).prefetch(4)


def outlast_being_held() -> None:
    """Call before a TF2 strategy is made: its tasks would take a held one for dead after 10 s.

    Heartbeats are no part of a step, so this changes nothing that is measured.
    """
    from tensorflow.python.eager.context import Context

    configure = Context.configure_coordination_service

    def patiently(context: Any, *arguments: Any, **choices: Any) -> None:
        choices["heartbeat_timeout_in_ms"] = HEARTBEAT_MS
        configure(context, *arguments, **choices)

    Context.configure_coordination_service = patiently
