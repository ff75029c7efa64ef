"""Has the trained model written as a ``.keras`` file, by a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from trainer.events import Notice
from trainer.roles.context import Context
from trainer.spec import to_json

FILE = "model.keras"
LIMIT_S = 600.0
POLL_S = 0.1
_NOT_FOR_IT = ("TF_CONFIG", "TF_XLA_FLAGS", "TF_USE_LEGACY_KERAS")


def export_model(context: Context, checkpoint: Path) -> None:
    """Write ``model.keras`` beside ``checkpoint`` and say where; a failure is a warning.

    Raises:
        StopRequested: the task was asked to end meanwhile.
    """
    out = checkpoint.with_name(FILE)
    status, said = _run(context, checkpoint, out)
    if status == 0:
        size = out.stat().st_size / 1e6
        text = f"exported the model to {out} ({size:.1f} MB); it takes examples as in training"
        context.sink.emit(Notice(level="info", text=text))
        return
    lines = said.decode("utf-8", "replace").strip().splitlines()
    why = lines[-1] if lines else f"its process took over {LIMIT_S:.0f} s or was killed"
    context.sink.emit(Notice(level="warning", text=f"the model was not exported: {why}"))


def _run(context: Context, checkpoint: Path, out: Path) -> tuple[int, bytes]:
    """Exit status, and what it said."""
    command = [sys.executable, "-m", "trainer.export", str(checkpoint), str(out)]
    own, given = str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")
    environment = {k: v for k, v in os.environ.items() if k not in _NOT_FOR_IT}
    environment["PYTHONPATH"] = os.pathsep.join([own, given] if given else [own])
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        spec: bytes | None = json.dumps(to_json(context.spec)).encode("ascii")
        try:
            for _ in range(int(LIMIT_S / POLL_S)):
                context.stop.check()
                try:
                    said = process.communicate(spec, timeout=POLL_S)[1]
                    return process.returncode, said
                except subprocess.TimeoutExpired:
                    spec = None  # it goes on with what it was given
        finally:
            if process.returncode is None:
                process.kill()
        return -1, b""
