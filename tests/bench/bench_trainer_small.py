"""The small MNIST network (0.2 M parameters): the trainer against what TensorFlow itself offers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.contenders import STRATEGY, V1, Contender, Peer, Trainer
from tests.bench.side_by_side import Pair, run

BATCH = 64
MODEL = "mnist_cnn"

PAIRS = (
    Pair(ours="async", other="PSStrategy", what="async / ParameterServerStrategy", bound=1.6),
    Pair(ours="sync", other="PSStrategy join", what="sync / the same, join per step", bound=1.5),
    Pair(ours="sync", other="SyncReplicas", what="sync / v1 SyncReplicasOptimizer", bound=1.2),
    Pair(ours="async", other="v1 stock", what="async / v1 replica_device_setter", bound=1.25),
    Pair(ours="async", other="plain", what="async / a TF2 loop in one process", bound=0.88),
)


def contenders(folder: Path) -> Sequence[Contender]:
    def peer(name: str, program: str, roles: Sequence[str] = ()) -> Contender:
        return Peer(name, folder, program, MODEL, BATCH, roles)

    return [
        Trainer("async", folder, MODEL, BATCH),
        Trainer("sync", folder, MODEL, BATCH, update="sync"),
        peer("plain", "plain"),
        peer("PSStrategy", "ps_strategy", STRATEGY),
        peer("PSStrategy join", "ps_strategy_join", STRATEGY),
        peer("v1 stock", "v1_async", V1),
        peer("SyncReplicas", "v1_sync", V1),
    ]


def main() -> int:
    return run("trainer: mnist_cnn, batch 64, 1 ps and 2 workers", contenders, PAIRS)


if __name__ == "__main__":
    sys.exit(main())
