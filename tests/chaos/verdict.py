"""What must hold after a trial: of the run's end, of its history, and of what is left."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from remote.history import History
from tests.chaos.faults import Done
from tests.chaos.nodes import ChaosNodes
from tests.chaos.plan import Plan
from tests.chaos.sight import Sight, TaskFiles
from trainer.spec import TaskId

_LEFTOVERS = re.compile(r"\.part|\.tmp|\.spare|\.journal|\.pipe$|~$")
_LISTEN = "0A"
_TRACE = "Traceback (most recent call last)"


class Complaint(AssertionError):
    """Something that must not happen, in one sentence."""


def check_end(
    plan: Plan, result: dict[str, Any], status: int, done: list[Done], stopped: bool
) -> None:
    """The run reached its last step, or stopped for a reason that is true and shown."""
    state = result["state"]
    well = {"finished": 0, "stopped": 130}.get(state, 1)
    if status != (1 if result["left_behind"] and state == "finished" else well):
        raise Complaint(f"the command ended with {status} and this result: {result}")
    if state == "stopped" and stopped:
        return
    if state == "finished":
        if result["global_step"] != plan.steps:
            raise Complaint(f"finished at step {result['global_step']} of {plan.steps}")
        return
    reason = str(result.get("reason") or "")
    if not any(_explains(one, reason) for one in done):
        raise Complaint(f"{state} without need, or without the true reason: {reason!r}")


def _explains(done: Done, reason: str) -> bool:
    """Whether a run may end by this fault, and ``reason`` says so.

    Killed processes, links that come back, clocks and disks that are freed must be survived.
    """
    task = done.act.target
    if done.act.kind == "reboot":
        return bool(re.search(r"reboot|restarted|supervisor is gone", reason))
    if done.act.kind == "kill watchers":
        return task in reason and "supervisor" in reason
    return False


def check_history(data: Path, run_id: str, sight: Sight) -> None:
    """The history holds every event and every byte of the logs, each once."""
    history = History(data / "history.db")
    try:
        if history.notice:
            raise Complaint(history.notice)
        for name, files in sorted(sight.tasks.items()):
            task = TaskId.parse(name)
            stored = [(e.event.attempt, e.event.seq, e.raw) for e in history.events(run_id, task)]
            _compare(name, stored, events_of(files.folder / "events.jsonl"))
            start, log = history.log_bytes(run_id, task)
            _compare_log(name, start, log, files.folder / "log.txt")
    finally:
        history.close()


def events_of(path: Path) -> list[tuple[int, int, bytes]]:
    """Attempt, number and bytes of each event in a task's file; reads it as nobody else does."""
    found = []
    for line in path.read_bytes().split(b"\n") if path.exists() else []:
        text = line[max(0, line.rfind(b'{"v":')) :]
        try:
            event = json.loads(text)
            found.append((event["attempt"], event["seq"], text))
        except (ValueError, KeyError, TypeError):
            continue
    return found


def check_source(sight: Sight, full: set[int]) -> None:
    """The tasks themselves left out no event, but where the disk was full."""
    for name, files in sorted(sight.tasks.items()):
        last: dict[int, int] = {}
        for attempt, number, _ in events_of(files.folder / "events.jsonl"):
            expected = last.get(attempt, -1) + 1
            if number != expected and files.node not in full:
                raise Complaint(f"{name}, attempt {attempt}: event {number} follows {expected - 1}")
            last[attempt] = number


def gaps_of(data: Path, run_id: str) -> list[str]:
    """The nodes of which the desktop itself says that it lacks something."""
    history = History(data / "history.db")
    try:
        return [gap.node for gap in history.gaps.of_run(run_id)]
    finally:
        history.close()


def _compare(
    task: str, stored: list[tuple[int, int, bytes]], written: list[tuple[int, int, bytes]]
) -> None:
    if stored == written:
        return
    have, want = {e[:2] for e in stored}, {e[:2] for e in written}
    lost, extra = sorted(want - have), sorted(have - want)
    doubled = len(stored) - len(have)
    raise Complaint(
        f"{task}: {len(written)} events in the file, {len(stored)} in the history; "
        f"lost {_some(lost)}, invented {_some(extra)}, doubled {doubled}"
    )


def _compare_log(task: str, start: int, stored: bytes, path: Path) -> None:
    written = path.read_bytes() if path.exists() else b""
    if start != 0 or stored != written:
        raise Complaint(
            f"{task}: its log has {len(written)} bytes, the history {len(stored)} from {start} on"
        )


def _some(items: list[tuple[int, int]]) -> str:
    return f"{len(items)} {items[:3]}" if items else "none"


def left_on(nodes: ChaosNodes, index: int) -> list[str]:
    """Processes, listeners and files of a run that has ended, in words."""
    node = nodes.node(index)
    found = [f"process {pid}: {' '.join(c)[:200]}" for pid, c in nodes.programs(index).items()]
    found += [f"port {port} is listened on" for port in listeners(nodes, index) if port != 22]
    found += [f"temporary file {path}" for path in nodes.temporary_files(index)]
    for path in node.home.rglob("*"):
        if _LEFTOVERS.search(path.name):
            found.append(f"file {path.relative_to(node.home)}")
    return [f"{node.name}: {words}" for words in found]


def listeners(nodes: ChaosNodes, index: int) -> list[int]:
    """TCP ports that somebody listens on in the node's network."""
    found = set()
    for table in ("tcp", "tcp6"):
        path = Path(f"/proc/{nodes.first_process(index)}/net/{table}")
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            words = line.split()
            if words[3] == _LISTEN:
                found.add(int(words[1].rpartition(":")[2], 16))
    return sorted(found)


def check_words(sight: Sight, desktop_errors: list[Path], data: Path) -> None:
    """Nobody ended in a traceback, and the desktop's folder holds what it should."""
    for name, files in sorted(sight.tasks.items()):
        for log in ("log.txt", "supervisor.log"):
            path = files.folder / log
            if path.exists() and _TRACE in path.read_text(errors="replace"):
                raise Complaint(f"{name} left a traceback in its {log}")
    for path in desktop_errors:
        if _TRACE in path.read_text(errors="replace"):
            raise Complaint(f"the desktop left a traceback: {path.name}")
    odd = [p.name for p in data.iterdir() if p.name.startswith("error-") or ".damaged" in p.name]
    odd += [p.name for p in data.iterdir() if _LEFTOVERS.search(p.name)]
    if odd:
        raise Complaint(f"the desktop left {', '.join(odd)}")


def final_records(sight: Sight) -> list[str]:
    """Tasks whose record does not say how they ended."""
    return [f"{t.task} is recorded as {t.record().get('state')}" for t in _unended(sight)]


def _unended(sight: Sight) -> list[TaskFiles]:
    return [
        task
        for task in sight.tasks.values()
        if task.record().get("state") not in ("finished", "failed", "stopped")
    ]
