"""A chief whose watchers were killed, and that had done its work, is no reason to fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remote.node import procs
from remote.node.peers import End
from tests.node.test_reasons import job, quick, task_record, verdict

__all__ = ["quick"]


@pytest.mark.usefixtures("quick")
def test_that_a_chief_that_said_it_was_done_has_finished(tmp_path: Path) -> None:
    attempts = [{"attempt": 1, "started_at": 1.0, "last_lines": []}]
    here = {"boot_id": procs.boot_id(), "node": "gpu01"}
    folder = task_record(tmp_path, "worker:0", attempts=attempts, **here)
    (folder / "events.jsonl").write_text(json.dumps({"type": "finished", "attempt": 1}) + "\n")
    assert verdict(tmp_path, job()) == End("stopped", "ended 0 s after worker:0 had finished")
