"""From delivered bytes to stored events: decode, put on this computer's clock, record, tell.

What is recorded and what is told are kept apart. While the history cannot be written (disk full),
events are still told; once it can, the bytes after the last stored offset are asked for again,
recorded, and not told a second time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from remote.errors import HistoryError
from remote.history import (
    Batch,
    EventAssembler,
    FilePart,
    GapError,
    History,
    Resume,
    StoredEvent,
    TaskRecord,
)
from remote.history.lines import BEFORE_BYTES
from remote.link import FileData, KeptSamples
from remote.session.clock import ClockView
from remote.session.picture import RunPicture
from remote.session.samples import Samples
from remote.updates import MarkUpdate, NodeSample, NoticeUpdate, Update
from trainer.spec import TaskId

RETRY_S, _LAST_RETRY_S = 5.0, 0.5
"""Pause between two tries to write a history that could not be written; the same at the end."""
_WAIT_S, _RETRY_WAIT_S = 3.0, 0.2
"""So long another process that writes is waited for; telling waits meanwhile."""
Place = tuple[str, str]
"""A task and one of its files."""


@dataclass(slots=True)
class _TaskFiles:
    """How far one task's files have been read, recorded and told."""

    events: EventAssembler
    log_next: int
    log_generation: int
    told: dict[int, int]
    """Greatest ``seq`` per attempt that was told."""
    log_told: int
    log_before: bytes
    odd: int = 0
    odd_told: int = 0
    log_pieces: list[tuple[int, bytes]] = field(default_factory=list)
    new_events: list[tuple[float, StoredEvent]] = field(default_factory=list)


class Follower:
    """Takes the files of one run's tasks; used by the run's own thread only.

    Args:
        history: where events go.
        picture: the run; events that are new go through it.
        clock: shifts from the nodes' clocks to this computer's.
        ask: asks the nodes again for the bytes after the offsets of :meth:`offsets`.
        tell: the outward queue.
    """

    def __init__(
        self,
        history: History,
        picture: RunPicture,
        clock: ClockView,
        ask: Callable[[], None],
        tell: Callable[[Update], None],
    ) -> None:
        self._history = history
        self._picture = picture
        self._clock = clock
        self._ask = ask
        self._tell = tell
        self._files: dict[TaskId, _TaskFiles] = {}
        self._parts: dict[tuple[TaskId, str], FilePart] = {}
        self.samples = Samples(history, picture.run_id)
        self._marks: list[MarkUpdate] = []
        self._updates: list[Update] = []
        self._retry_at: float | None = None
        self._retry_s = RETRY_S
        self.trouble = ""
        """Why the history could not be written when that was last tried."""
        self._recorded_tasks: dict[TaskId, TaskRecord] = {}
        self._resume(history.resume(picture.run_id), tell_from_here=True)

    @property
    def behind(self) -> bool:
        """Whether the history lacks what was told."""
        return self._retry_at is not None

    def hurry(self) -> None:
        """Try at once and often to write what the history lacks: nothing else goes on."""
        self._retry_s = _LAST_RETRY_S
        if self._retry_at is not None:
            self._retry_at = time.monotonic()

    def offsets(self, node: str) -> dict[tuple[str, str], int]:
        """Where following the tasks of ``node`` goes on, as the link wants it."""
        found = {}
        for task in self._picture.tasks.values():
            if task.node == node:
                files = self._files[task.task]
                found[str(task.task), "events"] = files.events.committed
                found[str(task.task), "log"] = files.log_next
        return found

    def places(self, node: str) -> tuple[dict[Place, int], dict[Place, bytes]]:
        """:meth:`offsets`, and the bytes that stand just before each."""
        before = {}
        for task in self._picture.tasks.values():
            if task.node == node:
                before[str(task.task), "events"] = self._files[task.task].events.before
                before[str(task.task), "log"] = self._files[task.task].log_before
        return self.offsets(node), before

    def take(self, item: FileData) -> None:
        """Bytes of a task's file."""
        files = self._files.get(item.task)
        if files is None:
            return
        try:
            if item.file == "events":
                self._take_events(files, item)
            else:
                self._take_log(files, item)
        except GapError:
            self._ask()

    def sample(self, sample: NodeSample) -> None:
        """A node's sample, to be recorded with the run; it was told already."""
        here = (t for t in self._picture.tasks.values() if t.node == sample.node)
        if not all(task.ended for task in here):  # what comes later is not about the run
            self.samples.add(sample)

    def kept(self, item: KeptSamples) -> None:
        """Samples that a node has kept: those of moments that nobody watched are told."""
        self._updates += self.samples.take(item)

    def tell(self, updates: list[Update]) -> None:
        """Tell updates after what was taken before is recorded; marks are recorded too."""
        self._updates += updates
        self._marks += [
            u for u in updates if isinstance(u, MarkUpdate) and u.kind in ("restart", "failure")
        ]

    def flush(self) -> None:
        """Record everything taken since the last flush in one transaction, then tell it."""
        self._record()
        self._parts.clear()
        updates, self._updates = self._updates, []
        for update in updates:
            self._tell(update)

    def _record(self) -> None:
        now = time.monotonic()
        if self._retry_at is not None:
            if now < self._retry_at:
                return
            self._parts.clear()  # they come again, from the last stored offset
        batch = Batch(
            files=tuple(self._parts.values()),
            samples=tuple(self.samples.live),
            recorded=tuple(self.samples.kept),
            sampled=dict(self.samples.unstored),
            marks=tuple(self._marks),
            tasks=self._changed_tasks(),
        )
        if not batch and self._retry_at is None:
            return
        try:
            wait_s = _WAIT_S if self._retry_at is None else _RETRY_WAIT_S
            self._history.append(self._picture.run_id, batch, wait_s=wait_s)
            self.samples.stored()
            self._marks.clear()
            self._recorded_tasks.update({record.task: record for record in batch.tasks})
            if self._retry_at is not None:
                self._catch_up()
        except HistoryError as error:
            self._fell_behind(error, now)

    def _fell_behind(self, error: HistoryError, now: float) -> None:
        if self._retry_at is None:
            text = f"the run is not being recorded: {error.what}"
            self._tell(_notice(self._picture.run_id, "error", text, error.remedy))
        self.trouble = error.what
        self._retry_at = now + self._retry_s

    def _catch_up(self) -> None:
        self._resume(self._history.resume(self._picture.run_id), tell_from_here=False)
        self._retry_at = None
        text = "the run is being recorded again; what was missing is read from the nodes"
        self._tell(_notice(self._picture.run_id, "info", text, ""))
        self._ask()

    def _resume(self, known: Mapping[TaskId, Resume], *, tell_from_here: bool) -> None:
        for task in self._picture.tasks:
            resume = known.get(task, Resume())
            old = self._files.get(task)
            log_at = resume.offsets.get("log", 0)
            self._files[task] = _TaskFiles(
                events=EventAssembler(
                    resume.offsets.get("events", 0),
                    generation=resume.generations.get("events", 0),
                    seen=resume.seen,
                    before=resume.before.get("events", b""),
                ),
                log_before=resume.before.get("log", b""),
                log_next=log_at,
                log_generation=resume.generations.get("log", 0),
                told=dict(resume.seen) if tell_from_here or old is None else old.told,
                log_told=log_at if tell_from_here or old is None else old.log_told,
            )

    def _take_events(self, files: _TaskFiles, item: FileData) -> None:
        node = self._picture.tasks[item.task].node
        shift = self._clock.shift(node)
        placed = files.events.feed(item.offset, item.data, reset=item.reset)
        if item.reset:
            self._warn_replaced(item.task)
        part = self._parts.get((item.task, "events"))
        events = [*(part.events if part else ()), *((p.event.t + shift, p) for p in placed)]
        odd, files.odd = files.events.odd - files.odd, files.events.odd
        self._parts[item.task, "events"] = FilePart(
            task=item.task,
            file="events",
            generation=files.events.generation,
            offset=files.events.committed,
            before=files.events.before,
            events=events,
            odd=odd + (part.odd if part else 0),
        )
        if files.events.odd > files.odd_told:
            self._warn_odd(item.task, files)
        now = time.monotonic()
        for p in placed:
            if p.event.seq > files.told.get(p.event.attempt, -1):
                files.told[p.event.attempt] = p.event.seq
                stored = StoredEvent(p.offset, p.event.t + shift, p.raw, p.event)
                self.tell(self._picture.event(item.task, stored, now))

    def _take_log(self, files: _TaskFiles, item: FileData) -> None:
        if item.reset:
            files.log_generation += 1
            files.log_next = files.log_told = item.offset
            files.log_before = b""
        if item.offset > files.log_next:
            raise GapError(files.log_next)
        data = item.data[files.log_next - item.offset :]
        if not data and not item.reset:
            return
        start, files.log_next = files.log_next, files.log_next + len(data)
        files.log_before = (files.log_before + data)[-BEFORE_BYTES:]
        part = self._parts.get((item.task, "log"))
        same = part is not None and part.generation == files.log_generation
        before = part.log if part is not None and same else ()
        self._parts[item.task, "log"] = FilePart(
            task=item.task,
            file="log",
            generation=files.log_generation,
            offset=files.log_next,
            before=files.log_before,
            log=[*before, (start, data)] if data else before,
            read_at=time.time(),
        )
        new = data[max(0, files.log_told - start) :]
        if new:
            files.log_told = files.log_next
            at = files.log_next - len(new)
            told = self._picture.log(item.task, at, new, reset=item.reset, read_at=time.time())
            self.tell(told)

    def _warn_replaced(self, task: TaskId) -> None:
        text = f"the event file of {task} was cut or replaced; it is read again from its start"
        node = self._picture.tasks[task].node
        self.tell([_notice(self._picture.run_id, "warning", text, "", node=node, task=task)])

    def _warn_odd(self, task: TaskId, files: _TaskFiles) -> None:
        """Say it at the first line, the tenth, the hundredth, and so on."""
        count = files.events.odd
        if not files.odd_told or count >= 10 * files.odd_told:
            files.odd_told = count
            lines = "a line" if count == 1 else f"{count} lines"
            text = f"{lines} of the event file of {task} could not be read; the others go on"
            node = self._picture.tasks[task].node
            self.tell([_notice(self._picture.run_id, "warning", text, "", node=node, task=task)])

    def _changed_tasks(self) -> tuple[TaskRecord, ...]:
        records = (
            TaskRecord(
                task=task.task,
                node=task.node,
                root=task.root,
                address=task.address,
                gpus=task.gpus,
                state=task.state,
                detail=task.detail,
                attempt=task.attempt,
            )
            for task in self._picture.tasks.values()
        )
        return tuple(r for r in records if self._recorded_tasks.get(r.task) != r)


def _notice(
    run_id: str, level: str, text: str, remedy: str, *, node: str = "", task: TaskId | None = None
) -> NoticeUpdate:
    return NoticeUpdate(
        level=level,  # type: ignore[arg-type]
        text=text,
        remedy=remedy,
        node=node,
        run_id=run_id,
        task=task,
    )
