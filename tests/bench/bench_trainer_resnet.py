"""ResNet-50 on images of 64 px: long steps, 94 MB each way in every one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.contenders import Contender, Peer, Trainer
from tests.bench.side_by_side import Pair, Turns, run

BATCH = 16
SIDE = 64
MODEL = "resnet50"
PAIRS = (Pair(ours="async", other="plain", what="async / a TF2 loop in one process", bound=0.9),)


def contenders(folder: Path) -> Sequence[Contender]:
    return [
        Trainer("async", folder, MODEL, BATCH, image_size=SIDE),
        Peer("plain", folder, "plain", MODEL, BATCH, image_size=SIDE),
    ]


def main() -> int:
    title = "trainer: resnet50 at 64 px, batch 16, 1 ps and 2 workers"
    return run(title, contenders, PAIRS, Turns(rounds=3, seconds=5.0, warm_up_batches=4))


if __name__ == "__main__":
    sys.exit(main())
