"""What watches for the end of a task's supervisors takes no stop away from who waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.waiting import PATIENCE_S
from tests.trainer.cluster import REPOSITORY
from tests.trainer.test_script import Task
from trainer.events import Notice
from trainer.lease import VARIABLE


def test_that_a_program_with_a_lease_hears_a_stop_and_cleans_up(weird_path: Path) -> None:
    task = Task(weird_path, "python", "-c", "import time; print('up', flush=True); time.sleep(99)")
    lease, held = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "trainer.script", str(task.folder)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), VARIABLE: str(lease)},
        cwd=task.folder,
        stdout=subprocess.PIPE,
        pass_fds=(lease,),
    )
    os.close(lease)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    subprocess.run(["kill", str(process.pid)], check=True, timeout=PATIENCE_S)
    process.communicate(timeout=PATIENCE_S)
    os.close(held)
    assert task.events()[-1].body == Notice(level="info", text="stopped on request")
    assert sorted(p.name for p in task.folder.iterdir()) == ["events.jsonl", "spec.json"]
