"""Whether the run that a task belongs to still goes on: looked at from its node, by no desktop.

Three things tell a supervisor. The records of the other tasks, where they are on the same disk: of
the same node, or on a shared home. The ports of the tasks that it needs, once they were seen open:
one that is closed for longer than tasks wait for each other is lost. And, for programs of the
user's, the last words of a task's supervisor on that task's port (``remote.node.last_words``).
"""

import glob
import os
import threading
import time
from typing import Dict, Iterator, List, NamedTuple, Optional

from remote.node import last_words, latest, layout, procs, record
from remote.node.job import CHIEF, Job, split

LOOK_S = 5.0
"""Between two looks at the records."""
PROBE_S, PROBE_COMMAND_S = 10.0, 20.0
"""Between two looks at a port: of a trainer of ours, of a program of the user's."""
AFTER_END_S = 90.0
"""Tasks of ours end by themselves after the chief, the last a minute later; then they must."""
AFTER_COMMAND_S = 10.0
"""A program of the user's hears of no end, and gets so long after the chief has finished."""
AFTER_FAILURE_S = 15.0
"""Within this, tasks of ours have heard by themselves that the run cannot go on, and said so."""
CUT_OFF_S = 30.0
"""A task whose processes are all gone, without a last record, for so long is lost."""
MARGIN_S = 60.0
"""A port may be closed for so much longer than tasks wait for each other."""
_CONNECT_S = 3.0
_MOST_PROBES = 16
"""Ports looked at in one round; where there are more, each has its turn."""


def _was_done(folder: str, known: record.Record) -> bool:
    """Whether only its watchers were killed: the task itself had done all its work."""
    last = record.last_attempt(known)
    return last is not None and latest.finished(
        os.path.join(folder, layout.EVENTS), last["attempt"]
    )


class End(NamedTuple):
    """The state and sentence that this task has to end with."""

    state: str
    words: str


class _Sight(NamedTuple):
    """What was seen of another task: its end, if it ended, and when that was seen (monotonic)."""

    state: str
    reason: str
    since: float


class Peers:
    """Looks at the other tasks on a thread of its own, until a verdict or :meth:`close`."""

    def __init__(self, task_dir: str, job: Job) -> None:
        self._run_dir = os.path.dirname(os.path.dirname(task_dir))
        self._job = job
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="peers", daemon=True)
        self._seen: Dict[str, _Sight] = {}
        self._open_at: Dict[str, float] = {}
        self._failures: Dict[str, int] = {}
        self._next_probe = 0.0
        self._turn = 0
        self.verdict: Optional[End] = None
        """What was found; None: as far as can be seen, the run goes on."""

    def start(self) -> None:
        if self._job.needed:
            self._thread.start()

    def close(self) -> None:
        self._closed.set()

    def all_have_records(self) -> bool:
        """Whether all other tasks are on this disk: their supervisors see this one's end."""
        names = {os.path.basename(path) for path in self._folders("*")}
        return all(task.replace(":", "-") in names for task in self._job.addresses)

    def _loop(self) -> None:
        while self.verdict is None and not self._closed.wait(LOOK_S):
            now = time.monotonic()
            for task in self._job.needed:
                if task != self._job.task:
                    self._look_at_record(task, now)
            if now >= self._next_probe:
                pause = PROBE_COMMAND_S if self._job.is_command else PROBE_S
                self._next_probe = now + pause
                for task in self._due_probes():
                    self._probe(task)
            self.verdict = self._judge(time.monotonic())

    def _judge(self, now: float) -> Optional[End]:
        for task, sight in sorted(self._seen.items()):
            if sight.state == "finished":
                limit = AFTER_COMMAND_S if self._job.is_command else AFTER_END_S
                if task == CHIEF and now - sight.since > limit:
                    return End("stopped", "ended %.0f s after %s had finished" % (limit, task))
            elif now - sight.since > self._limit(sight):
                state = "stopped" if sight.state == "stopped" else "failed"
                why = sight.reason or "it was cut off"
                return End(state, "ended because %s had ended for good: %s" % (task, why))
        limit = self._job.patience_s + MARGIN_S
        for task, at in sorted(self._open_at.items()):
            if now - at > limit and self._failures.get(task, 0) >= 3:
                where = "%s at %s" % (task, self._job.addresses[task])
                words = "ended because %s has not answered for %.0f s" % (where, now - at)
                return End("failed", words + "; see its node and its log")
        return None

    def _limit(self, sight: _Sight) -> float:
        return CUT_OFF_S if sight.state == "cut off" else AFTER_FAILURE_S

    def _look_at_record(self, task: str, now: float) -> None:
        state, reason = "", ""
        for folder in self._folders(task.replace(":", "-")):
            known = record.load(folder)
            if known is None or known.get("run_id") != self._job.run_id:
                continue
            if known["state"] in record.FINAL:
                state, reason = known["state"], known["reason"]
            elif known.get("node") == self._job.node and self._is_cut_off(known):
                state = "finished" if _was_done(folder, known) else "cut off"
        self._note(task, state, reason, now)

    def _is_cut_off(self, known: record.Record) -> bool:
        """Of a task of this node: others may share the boot, as containers do, and hide pids."""
        return known.get("boot_id") == procs.boot_id() and not record.alive(known)

    def _note(self, task: str, state: str, reason: str, now: float) -> None:
        known = self._seen.get(task)
        if not state:
            if known is not None and known.state == "cut off":
                del self._seen[task]  # it was started again
        elif known is None or known.state != state:
            self._seen[task] = _Sight(state, reason, now)

    def _folders(self, task: str) -> Iterator[str]:
        """Folders of a task in the run's folder, of whichever node they are."""
        pattern = os.path.join(glob.escape(self._run_dir), "*", task, layout.STATE)
        for path in glob.iglob(pattern):
            yield os.path.dirname(path)

    def _due_probes(self) -> List[str]:
        watched = self._job.watched
        if len(watched) <= _MOST_PROBES:
            return watched
        self._turn = (self._turn + _MOST_PROBES) % len(watched)
        return (watched + watched)[self._turn : self._turn + _MOST_PROBES]

    def _probe(self, task: str) -> None:
        place = split(self._job.addresses[task])
        if place is None or self._closed.is_set():
            return
        answer = last_words.ask(place, _CONNECT_S, listen=self._job.is_command)
        if answer is None:
            self._failures[task] = self._failures.get(task, 0) + 1
            return
        end = last_words.parse(answer, self._job.run_id, task)
        if end is not None:
            self._note(task, end[0], end[1], time.monotonic())
        self._open_at[task] = time.monotonic()
        self._failures[task] = 0
