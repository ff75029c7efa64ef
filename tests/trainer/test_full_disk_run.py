"""A run whose disk fills up goes on with a warning, and leaves nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.ports import free_ports
from tests.trainer.cluster import LIMIT_S, REPOSITORY
from trainer.events import CheckpointSaved, Failed, Finished, Notice, decode
from trainer.spec import CHIEF, ClusterSpec, TaskSpec, TrainingSpec, to_json

ON_A_SMALL_DISK = """
mount -t tmpfs -o size=64k tmpfs "$1" || exit 90
cp "$2" "$1/spec.json" || exit 91
"$3" -m trainer "$1"
status=$?
find "$1/checkpoints" -type f >&2
cat "$1/events.jsonl"
exit $status
"""


@pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")
def test_that_training_ends_well_though_no_checkpoint_could_be_kept(weird_path: Path) -> None:
    disk = weird_path / "disk"
    disk.mkdir()
    training = TrainingSpec(
        model="mlp", baseline="single", steps=30, batch_size=8, checkpoint_every_s=1.0
    )
    spec = TaskSpec(
        run_id="r-1",
        task=CHIEF,
        cluster=ClusterSpec(ps=(), worker=(f"127.0.0.1:{free_ports(1)[0]}",)),
        training=training,
        data_dir=None,
        checkpoint_dir=str(disk / "checkpoints"),
    )
    file = weird_path / "spec.json"
    file.write_text(json.dumps(to_json(spec)))
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh", disk, file, sys.executable],
        cwd=REPOSITORY,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    assert b"checkpoints" not in done.stderr, "nothing half-written stays"
    bodies = [decode(line).body for line in done.stdout.splitlines(keepends=True)]
    assert not [body for body in bodies if isinstance(body, (CheckpointSaved, Failed))]
    (finished,) = [body for body in bodies if isinstance(body, Finished)]
    assert finished.step == 30
    texts = [body.text for body in bodies if isinstance(body, Notice) and body.level != "info"]
    assert f"{disk}/checkpoints cannot be written (No space left on device)" in texts[0]
    assert texts[-1].startswith("the end state, of step 30, is not saved: ")
    assert len(texts) == 2, "said once, not at every try"
