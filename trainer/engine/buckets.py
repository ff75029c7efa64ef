"""The packed variables of a run as they stand on the ps: one flat array and its slots on each."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.checkpoints import State
from trainer.engine.layout import Layout
from trainer.engine.optimizers import Rule

PARAMETERS = "parameters"
"""The name of the variables themselves beside the names of the rule's slots."""


def ps_device(index: int) -> str:
    """Variables stay on the CPU of a ps: it is given no GPU."""
    return f"/job:ps/task:{index}/device:CPU:0"


def run_scope(run_id: str) -> str:
    """A name for this run's resources on a ps: two runs never meet in one variable."""
    return "run_" + hashlib.sha256(run_id.encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Buckets:
    """Handles on the ps' variables, the same in every process of a run.

    Args:
        run_id: names the shared resources.
        layout: which variable lies in which bucket.
        rule: says which slots there are.
    """

    def __init__(self, run_id: str, layout: Layout, rule: Rule) -> None:
        self.layout = layout
        self.used = [k for k, bucket in enumerate(layout.buckets) if bucket]
        self._names = (PARAMETERS, *rule.slots)
        self._arrays: dict[tuple[str, int], Any] = {}
        with tf.variable_scope(run_scope(run_id)):
            for k in self.used:
                for name in self._names:
                    self._arrays[name, k] = _variable(name, k, [layout.size(k)], tf.float32)
            self.step = _variable("global_step", 0, [], tf.int64)
        self.current_step = _read(self.step, 0)
        self._reads = {key: _read(array, key[1]) for key, array in self._arrays.items()}
        self._feeds: dict[tuple[str, int], Any] = {}
        self._writes = [self._write(key) for key in self._arrays]
        with tf.device(ps_device(0)):
            self._step_feed = tf.placeholder(tf.int64, [])
            self._writes.append(self.step.assign(self._step_feed).op)

    def parameters(self, bucket: int) -> Any:
        """The variable that holds a bucket's flat parameters."""
        return self._arrays[PARAMETERS, bucket]

    def slots(self, bucket: int) -> dict[str, Any]:
        """The optimizer's variables of a bucket, by name."""
        return {name: self._arrays[name, bucket] for name in self._names[1:]}

    def flat(self, bucket: int) -> Any:
        """A bucket's parameters, read once per session call."""
        return self._reads[PARAMETERS, bucket]

    def fetch(self, session: Any) -> State:
        """Copy everything from the ps. The ps go on meanwhile: arrays may be a few steps apart."""
        reads, step = session.run((self._reads, self.current_step))
        arrays = {}
        for name in self._names:
            flats = [
                reads[name, k] if k in self.used else np.empty(0, np.float32)
                for k in range(len(self.layout.buckets))
            ]
            arrays[name] = self.layout.unpack(flats)
        return State(step=int(step), arrays=arrays)

    def store(self, session: Any, state: State) -> None:
        """Copy ``state`` to the ps; slots that it does not have start as zeros."""
        feed: dict[Any, Any] = {self._step_feed: state.step}
        for (name, k), placeholder in self._feeds.items():
            zeros = [np.zeros(v.shape, np.float32) for v in self.layout.variables]
            feed[placeholder] = self.layout.pack(state.arrays.get(name, zeros))[k]
        session.run(self._writes, feed)

    def _write(self, key: tuple[str, int]) -> Any:
        with tf.device(ps_device(key[1])):
            self._feeds[key] = tf.placeholder(tf.float32, [self.layout.size(key[1])])
            return self._arrays[key].assign(self._feeds[key]).op


def _variable(name: str, ps: int, shape: list[int], dtype: Any) -> Any:
    with tf.device(ps_device(ps)):
        return tf.get_variable(
            f"ps{ps}_{name}",
            shape,
            dtype,
            initializer=tf.zeros_initializer(),
            trainable=False,
            collections=[],
            use_resource=True,
        )


def _read(variable: Any, ps: int) -> Any:
    with tf.device(ps_device(ps)):
        return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype.base_dtype)
