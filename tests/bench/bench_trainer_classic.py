"""The classic tutorial's network (3.3 M parameters, 13 MB each way a step)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.contenders import MIRRORED, Contender, Peer, Trainer
from tests.bench.side_by_side import Pair, Turns, run

BATCH = 64
MODEL = "classic"
PAIRS = (
    Pair(ours="async", other="plain", what="async / a TF2 loop in one process", bound=0.75),
    Pair(ours="sync", other="MultiWorker", what="sync / MultiWorkerMirroredStrategy", bound=1.0),
)


def contenders(folder: Path) -> Sequence[Contender]:
    return [
        Trainer("async", folder, MODEL, BATCH),
        Trainer("sync", folder, MODEL, BATCH, update="sync"),
        Peer("plain", folder, "plain", MODEL, BATCH),
        Peer("MultiWorker", folder, "multi_worker", MODEL, BATCH, MIRRORED),
    ]


def main() -> int:
    title = "trainer: the classic tutorial CNN, batch 64, 1 ps and 2 workers"
    return run(title, contenders, PAIRS, Turns(seconds=1.5))


if __name__ == "__main__":
    sys.exit(main())
