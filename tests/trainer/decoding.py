"""Questions about image data sets to a process that has loaded TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.trainer.cluster import REPOSITORY

Ask = Callable[..., list[dict[str, Any]]]


@contextmanager
def decoder(words: Path) -> Iterator[Ask]:
    """Asks one process; what it says besides goes to the file ``words``."""
    with (
        words.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.trainer.programs.decode_images"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):

        def answers(*questions: dict[str, Any]) -> list[dict[str, Any]]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(questions) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, words.read_text("utf-8", "replace")
            found: list[dict[str, Any]] = json.loads(line)
            return found

        yield answers
