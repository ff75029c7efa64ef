"""What the tasks of a run tell each other through the ps: who is up, ready, done or has failed.

On every ps: ``mark`` (set by the ps itself: this ps serves this run), ``ready`` (set by the chief
once the variables have values), ``failure`` (set by the chief when the run cannot go on), ``over``
(set by the chief when all steps are done), ``orders`` (of the chief to a ps that averages),
``serving`` (the mark of the orders that a ps follows), ``noted`` (set by a ps that knows, also
after a restart, that the chief is done), and a queue of :class:`Word` from the workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from trainer.engine.buckets import read_variable
from trainer.engine.departures import Word
from trainer.engine.orders import Orders
from trainer.engine.places import ps_device, run_scope

_TEXTS = ("mark", "ready", "failure", "over", "orders", "serving", "noted")


class Flags(NamedTuple):
    """What is set on one ps."""

    marked: bool
    ready: bool
    failed: bool
    over: bool
    ordered: bool
    serving: bool
    noted: bool


class Board:
    """The board on the ps with the given indices; a ps itself passes its own index only."""

    def __init__(self, run_id: str, ps: Sequence[int]) -> None:
        scope = run_scope(run_id)
        self._ps = tuple(ps)
        self._word = tf.placeholder(tf.int64, [2])
        self._text = tf.placeholder(tf.string, [])
        self._texts: dict[tuple[str, int], Any] = {}
        self._queues: dict[int, Any] = {}
        for k in self._ps:
            with tf.device(ps_device(k)):
                for name in _TEXTS:
                    self._texts[name, k] = _text_variable(f"{scope}/ps{k}_{name}")
                shared = f"{scope}_ps{k}_words"
                self._queues[k] = tf.FIFOQueue(-1, tf.int64, [[2]], shared_name=shared)
        self._sets = {key: _set(text, self._text, key[1]) for key, text in self._texts.items()}
        self._flags = {k: [_is_set(self._texts[name, k], k) for name in _TEXTS] for k in self._ps}
        self._reads = {
            key: read_variable(text, ps_device(key[1])) for key, text in self._texts.items()
        }
        self._put = [self._queues[k].enqueue(self._word) for k in self._ps]
        self._sizes = {k: self._queues[k].size() for k in self._ps}
        self._takes = {k: self._queues[k].dequeue() for k in self._ps}

    def flags(self, session: Any) -> dict[int, Flags]:
        """What is set on every ps, by index."""
        values = session.run(self._flags) if self._ps else {}
        return {k: Flags(*map(bool, values[k])) for k in self._ps}

    def mark(self, session: Any) -> None:
        """This ps is up and serves the run."""
        self._set(session, "mark", "up")

    def set_ready(self, session: Any) -> None:
        """All variables on all ps have their values."""
        self._set(session, "ready", "yes")

    def fail(self, session: Any, reason: str) -> None:
        """The run cannot go on, for ``reason``, one sentence."""
        self._set(session, "failure", reason)

    def failure(self, session: Any, ps: int) -> str:
        """The reason, where the flag ``failed`` is set."""
        return self._get(session, "failure", ps)

    def set_over(self, session: Any) -> None:
        """All steps are done: workers that only serve may go."""
        self._set(session, "over", "yes")

    def set_noted(self, session: Any) -> None:
        """This ps has put down that the chief is done."""
        self._set(session, "noted", "yes")

    def set_orders(self, session: Any, orders: Orders) -> None:
        """What the ps are to average, and from which step on."""
        self._set(session, "orders", orders.as_text())

    def orders(self, session: Any, ps: int) -> Orders:
        """The orders, where the flag ``ordered`` is set."""
        return Orders.parse(self._get(session, "orders", ps))

    def set_serving(self, session: Any, mark: str) -> None:
        """This ps follows the orders with ``mark``."""
        self._set(session, "serving", mark)

    def is_served(self, session: Any) -> bool:
        """Whether all ps follow the same orders, their last."""
        flags = self.flags(session)
        if not all(flag.ordered and flag.serving for flag in flags.values()):
            return False
        orders = {self.orders(session, k).mark for k in self._ps}
        serving = {self._get(session, "serving", k) for k in self._ps}
        return len(orders) == 1 and orders == serving

    def tell(self, session: Any, word: Word) -> None:
        """Put ``word`` into the queue of every ps."""
        if self._ps:
            session.run(self._put, {self._word: list(word)})

    def listen(self, session: Any, ps: int) -> list[Word]:
        """Take the words that wait on ``ps``; does not wait for one."""
        size = int(session.run(self._sizes[ps]))
        return [Word(*map(int, session.run(self._takes[ps]))) for _ in range(size)]

    def _set(self, session: Any, name: str, text: str) -> None:
        operations = [self._sets[name, k] for k in self._ps]
        if operations:
            session.run(operations, {self._text: text.encode("utf-8", "replace")})

    def _get(self, session: Any, name: str, ps: int) -> str:
        value: bytes = session.run(self._reads[name, ps])
        return value.decode("utf-8", "replace")


def _text_variable(name: str) -> Any:
    return tf.get_variable(
        name,
        [],
        tf.string,
        initializer=tf.constant_initializer(""),
        trainable=False,
        collections=[],
        use_resource=True,
    )


def _set(variable: Any, value: Any, ps: int) -> Any:
    with tf.device(ps_device(ps)):
        return variable.assign(value).op


def _is_set(variable: Any, ps: int) -> Any:
    with tf.device(ps_device(ps)):
        return tf.raw_ops.VarIsInitializedOp(resource=variable.handle)
