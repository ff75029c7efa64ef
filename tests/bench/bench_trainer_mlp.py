"""One hidden layer: steps so small that only the way there and back shows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.contenders import STRATEGY, V1, Contender, Peer, Trainer
from tests.bench.side_by_side import Pair, run

BATCH = 64
MODEL = "mlp"
PAIRS = (
    Pair(ours="async", other="PSStrategy", what="async / ParameterServerStrategy", bound=2.8),
    Pair(ours="async", other="v1 stock", what="async / v1 replica_device_setter", bound=1.4),
    Pair(ours="two calls", other="async", what="calls_in_flight: 2 / 1", bound=1.1),
)


def contenders(folder: Path) -> Sequence[Contender]:
    return [
        Trainer("async", folder, MODEL, BATCH),
        Trainer("two calls", folder, MODEL, BATCH, calls_in_flight=2),
        Peer("PSStrategy", folder, "ps_strategy", MODEL, BATCH, STRATEGY),
        Peer("v1 stock", folder, "v1_async", MODEL, BATCH, V1),
    ]


def main() -> int:
    return run("trainer: mlp, batch 64, 1 ps and 2 workers", contenders, PAIRS)


if __name__ == "__main__":
    sys.exit(main())
