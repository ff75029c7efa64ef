"""A user's own program: makes steps at its own pace, and goes on where it was when it was killed.

``python steps.py STEPS``: workers report each step, a ps waits until it is told to go.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path

import trainer

PACE_S = 0.06
SAVED = Path("progress.txt")
"""In the task's own folder, which is the working folder."""


def main(steps: int) -> None:
    if json.loads(os.environ["TF_CONFIG"])["task"]["type"] == "ps":
        time.sleep(1e9)
    for step in range(_done() + 1, steps + 1):
        time.sleep(PACE_S)
        trainer.report(step=step, loss=1.0 / step, examples=1)
        with contextlib.suppress(OSError):  # a full disk costs what was saved, not the training
            print("step", step, flush=True)
            if step % 10 == 0:
                SAVED.write_text(str(step))


def _done() -> int:
    try:
        return int(SAVED.read_text())
    except (OSError, ValueError):
        return 0


if __name__ == "__main__":
    main(int(sys.argv[1]))
