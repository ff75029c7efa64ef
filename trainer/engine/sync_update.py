"""A worker's side of the sync update: hand over the gradient of a step, wait for the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.engine.async_update import arrive
from trainer.engine.buckets import ENDED, Buckets, read_variable, shared_variable
from trainer.engine.meeting import NUDGE, Meeting, meeting_places
from trainer.spec import TaskSpec

NEVER = -1
"""As the step of a gradient: every accumulator drops it."""
MICROSECONDS = 1e6


class Answer(NamedTuple):
    """``tokens`` are the next steps, one from each ps, that a worker may go on with.

    ``counts`` tells whether its gradient counts for the step, ``waited_s`` how long it then waited
    for the others', on the ps' clocks.
    """

    tokens: list[int]
    counts: bool
    waited_s: float


class SyncUpdate:
    """A training call feeds ``current``, the step whose variables it reads, and runs ``local``.

    ``answers`` has for each ps its :class:`Answer` as one tensor: every tensor that a worker takes
    from a ps is a call of its own between the two.
    """

    def __init__(
        self,
        spec: TaskSpec,
        buckets: Buckets,
        gradients: Sequence[Any],
        steps: int,
        worker: int,
        local: Sequence[Any],
    ) -> None:
        workers = len(spec.cluster.worker)
        self._backups = spec.training.backup_workers
        self._required = workers - self._backups
        self.worker = worker
        self._meetings = meeting_places(buckets, workers)
        queues = [meeting.tokens(worker) for meeting in self._meetings]
        self.current = tf.placeholder(tf.int64, [])
        pushes = self._push(buckets, arrive(buckets, gradients))
        self.answers = [
            self._answer(meeting, queue, *push)
            for meeting, queue, push in zip(self._meetings, queues, pushes, strict=True)
        ]
        self.local = tf.group(*local)
        self._takes = [queue.dequeue() for queue in queues]
        self._sizes = [queue.size() for queue in queues]
        self._token = tf.placeholder(tf.int64, [])
        self._puts = [queue.enqueue(self._token) for queue in queues]
        self._ends = [
            meeting.tokens(i).enqueue(tf.constant(ENDED, tf.int64))
            for meeting in self._meetings
            for i in range(workers)
        ]
        self._steps = [self._progress(buckets, meeting) for meeting in self._meetings]
        first = self._meetings[0]
        self._pushed = read_variable(first.pushed, first.device)

    def join(self, session: Any) -> int:
        """The step to go on with: the first that some ps has not applied.

        Leaves a token in the queue of each ps that is further, and none in the others.
        """
        steps = [int(step) for step in session.run(self._steps)]
        sizes = session.run(self._sizes)
        for i, size in enumerate(sizes):
            found = [int(session.run(self._takes[i])) for _ in range(size)]
            steps[i] = max([steps[i], *found])
        current = min(steps)
        for put, step in zip(self._puts, steps, strict=True):
            if step > current:
                session.run(put, {self._token: step})
        return current

    def settle(
        self, session: Any, tokens: Sequence[int], current: int, on_nudge: Callable[[], None]
    ) -> int:
        """The step that all ps have reached, above ``current``.

        A token of the past may be left in a queue when a worker joins, and each nudge is one. A
        worker that is late goes on with the newest step. ``on_nudge`` may raise.
        """
        found = [int(token) for token in tokens]
        if NUDGE in found:
            on_nudge()
        while True:
            wanted = max([*found, current + 1])
            behind = [i for i, token in enumerate(found) if token < wanted]
            if not behind and self._backups:
                sizes = session.run(self._sizes)
                behind = [i for i, size in enumerate(sizes) if size]
            if not behind:
                return wanted
            for i in behind:
                token = int(session.run(self._takes[i]))
                if token == NUDGE:
                    on_nudge()
                # Never less than before: the token that ends a run is followed by usual ones.
                found[i] = max(found[i], token)

    def nudge(self, session: Any) -> None:
        """Wake this worker, from another thread, out of its wait for tokens."""
        session.run(self._puts, {self._token: NUDGE})

    def end(self, session: Any) -> None:
        """Every worker is told to take no other step."""
        session.run(self._ends)

    def applied(self, session: Any) -> int:
        """How many steps the ps have applied, all of them."""
        return min(int(step) for step in session.run(self._steps))

    def awaited(self, session: Any, current: int) -> list[int]:
        """The workers whose gradients of step ``current`` have not come to ``ps:0``."""
        pushed = session.run(self._pushed)
        return [int(i) for i in np.flatnonzero(pushed < current)]

    def _answer(self, meeting: Meeting, queue: Any, pushed: Any, counts: Any) -> Any:
        """What a ps tells, once the average is applied there; see :meth:`answered`."""
        with tf.device(meeting.device):
            with tf.control_dependencies([pushed]):
                pushed_at = tf.timestamp()
            with tf.control_dependencies([pushed_at]):
                token = queue.dequeue()
            with tf.control_dependencies([token]):
                waited_s = tf.timestamp() - pushed_at
            waited_us = tf.cast(waited_s * MICROSECONDS, tf.int64)
            return tf.stack([token, tf.cast(counts, tf.int64), waited_us])

    @staticmethod
    def answered(answers: Sequence[Any]) -> Answer:
        """Read what a training call fetched as ``answers``."""
        tokens = [int(answer[0]) for answer in answers]
        # A ps takes a gradient when it has reached all: they begin to wait at the same time.
        waited_s = max(int(answer[2]) for answer in answers) / MICROSECONDS
        return Answer(tokens, bool(answers[0][1]), max(0.0, waited_s))

    def _push(self, buckets: Buckets, arrived: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Per ps the operation after which it has this worker's gradient, and whether that counts.

        No ps takes it before it has reached all, so that a worker which dies on the way hardly
        ever leaves it on some of them only.
        """
        pushes, first = list[tuple[Any, Any]](), None
        there = [self._arrival(buckets, meeting, arrived) for meeting in self._meetings]
        for meeting in self._meetings:
            own = [
                (part, gradient)
                for part, gradient in zip(buckets.parts, arrived, strict=True)
                if part.ps == meeting.ps
            ]
            with tf.device(meeting.device), tf.control_dependencies(there):
                mine = tf.gather(meeting.pushed, self.worker)
                if first is None:
                    fresh = self._let_in(meeting, mine)
                    counts = first = tf.logical_or(fresh, tf.equal(mine, self.current))
                else:
                    counts = tf.identity(first)
                    fresh = tf.logical_and(counts, tf.less(mine, self.current))
                as_step = tf.where(fresh, self.current, tf.constant(NEVER, tf.int64))
                applied = [
                    meeting.accumulator(part).apply_grad(gradient, as_step)
                    for part, gradient in own
                ]
                with tf.control_dependencies(applied):
                    mark = tf.where(fresh, self.current, mine)
                    pushed = tf.raw_ops.ResourceScatterUpdate(
                        resource=meeting.pushed.handle, indices=self.worker, updates=mark
                    )
            pushes.append((pushed, counts))
        return pushes

    def _arrival(self, buckets: Buckets, meeting: Meeting, arrived: Sequence[Any]) -> Any:
        """After it all that a ps gets is there."""
        found = zip(buckets.parts, arrived, strict=True)
        with tf.device(meeting.device):
            return tf.group(*(gradient for part, gradient in found if part.ps == meeting.ps))

    def _let_in(self, meeting: Meeting, mine: Any) -> Any:
        """Whether a gradient that has reached ``ps:0`` is taken."""
        unseen = tf.less(mine, self.current)
        if not self._backups:
            return unseen

        def decide() -> Any:
            opened = meeting.opened.read_value()
            step, count = opened[0], opened[1]
            newer = tf.greater(self.current, step)
            room = tf.logical_and(tf.equal(self.current, step), tf.less(count, self._required))
            fresh = tf.logical_and(unseen, tf.logical_or(newer, room))
            after = tf.stack([self.current, tf.where(newer, tf.ones_like(count), count + 1)])
            with tf.control_dependencies([meeting.opened.assign(tf.where(fresh, after, opened))]):
                return tf.identity(fresh)

        return meeting.door().execute(decide)

    def _progress(self, buckets: Buckets, meeting: Meeting) -> Any:
        """How many steps a ps has applied."""
        if meeting.ps == 0:
            return buckets.current_step
        with tf.variable_scope(buckets.homes.scope):
            name = f"ps{meeting.ps}_applied_step"
            applied = shared_variable(name, meeting.device, [], tf.int64)
        return read_variable(applied, meeting.device)
