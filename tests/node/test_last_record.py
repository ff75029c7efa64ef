"""What a stop writes of a task whose end no supervisor saw: what is true of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from remote.node import procs, record
from remote.node.layout import Layout
from tests.support.local_node import LocalNode

RESTARTED = ("failed", "its node was restarted while it ran")
KILLED = ("failed", "it ended without a last word: its supervisor was killed")
DONE = ("finished", "")


@pytest.mark.parametrize(
    ("boot_id", "said_finished", "end"),
    [(procs.boot_id(), False, KILLED), ("earlier", False, RESTARTED), ("earlier", True, DONE)],
)
def test_that_the_last_record_says_what_is_known(
    node: LocalNode, boot_id: str, said_finished: bool, end: tuple[str, str]
) -> None:
    folder = Layout(node.root, node.name).task("r-1", "worker:0")
    os.makedirs(folder)
    gone = {"pid": 2**22, "start_time": 1}  # beyond the greatest pid
    attempt: dict[str, Any] = {"attempt": 1, "started_at": 1.0, "last_lines": [], **gone}
    known: dict[str, Any] = {"run_id": "r-1", "task": "worker:0", "state": "running", "ports": []}
    known |= {"reason": "", "boot_id": boot_id, "supervisor": gone, "attempts": [attempt]}
    record.StateFile(folder).write(known)
    last = {"type": "finished" if said_finished else "steps", "attempt": 1}
    Path(folder, "events.jsonl").write_text(json.dumps(last) + "\n")
    link = node.connect().link
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=1.0) == []
    found = record.load(folder)
    assert found is not None
    assert (found["state"], found["reason"]) == end
    assert found["attempts"][0]["ended_at"] is not None
