"""``python -m trainer TASK_DIR``: run the task whose ``spec.json`` is in that folder."""

from __future__ import annotations

import sys

from trainer.task import main

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
