"""The packed variables of a run as they stand on the ps: one flat array and its slots on each.

What a model keeps besides its trainable variables and changes in training (the moving statistics
of batch normalisation) is one more flat array, on the first ps. Its "gradient" is the value that
was read minus the new one, averaged like any other, and its rule subtracts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.checkpoints import MODEL_STATE as MODEL_STATE
from trainer.checkpoints import PARAMETERS as PARAMETERS
from trainer.checkpoints import State
from trainer.engine.layout import Layout
from trainer.engine.optimizers import Apply, Rule
from trainer.engine.places import Homes

ENDED = 1 << 48
"""Added to the global step to end a run early: far beyond every limit, and taken off again."""


class Part(NamedTuple):
    """One flat array on ``ps``, and how a gradient of its size changes it."""

    name: str
    ps: int
    size: int
    variable: Any
    slots: Mapping[str, Any]
    apply: Apply


class Buckets:
    """Handles on the ps' variables, the same in every process of a run.

    Args:
        homes: on which devices they are, and under what name.
        layout: which variable lies in which bucket.
        rule: says which slots there are.
        state: the layout, with one bucket, of what the model keeps besides.
        only: leave out what is on other ps; a ps does not see them.
    """

    def __init__(
        self, homes: Homes, layout: Layout, rule: Rule, state: Layout, only: int | None = None
    ) -> None:
        self.homes = homes
        self.layout = layout
        self.state_layout = state
        self._names = (PARAMETERS, *rule.slots)
        self._initial = rule.initial
        self._arrays: dict[tuple[str, int], Any] = {}
        used = [k for k, bucket in enumerate(layout.buckets) if bucket and only in (None, k)]
        has_state = bool(state.variables) and only in (None, 0)
        with tf.variable_scope(homes.scope):
            for k in used:
                for name in self._names:
                    self._arrays[name, k] = self._variable(name, k, [layout.size(k)], tf.float32)
            if has_state:
                self._arrays[MODEL_STATE, 0] = self._variable(
                    MODEL_STATE, 0, [state.size(0)], tf.float32
                )
            step_ps = only or 0
            name = "global_step" if step_ps == 0 else "applied_step"
            self.step = self._variable(name, step_ps, [], tf.int64)
        self.parts = [self._part(k, rule) for k in used]
        if has_state:
            variable = self._arrays[MODEL_STATE, 0]
            self.parts.append(Part(MODEL_STATE, 0, state.size(0), variable, {}, _subtract))
        with tf.device(homes.device(step_ps)):
            self.current_step = tf.floormod(read_variable(self.step, homes.device(step_ps)), ENDED)
        self._reads = {
            key: read_variable(array, homes.device(key[1])) for key, array in self._arrays.items()
        }
        self._feeds: dict[tuple[str, int], Any] = {}
        self._writes = [self._write(key) for key in self._arrays]
        with tf.device(homes.device(step_ps)):
            self._step_feed = tf.placeholder(tf.int64, [])
            self._writes.append(self.step.assign(self._step_feed).op)

    def read(self, part: Part) -> Any:
        """A part's flat array, read once per session call, on its ps."""
        return self._reads[part.name, part.ps]

    def flats_of(self, state: State) -> list[Any]:
        """For each part its flat array of ``state``."""
        flats = self.layout.pack(state.arrays[PARAMETERS])
        found = [flats[part.ps] for part in self.parts if part.name == PARAMETERS]
        if self.state_layout.variables:
            found += self.state_layout.pack(state.arrays[MODEL_STATE])
        return found

    def fetch(self, session: Any) -> State:
        """Copy everything from the ps. The ps go on meanwhile: arrays may be a few steps apart."""
        reads, step = session.run((self._reads, self.current_step))
        arrays = {}
        for name in self._names:
            flats = [
                reads.get((name, k), np.empty(0, np.float32))
                for k in range(len(self.layout.buckets))
            ]
            arrays[name] = self.layout.unpack(flats)
        if self.state_layout.variables:
            arrays[MODEL_STATE] = self.state_layout.unpack([reads[MODEL_STATE, 0]])
        return State(step=int(step), arrays=arrays)

    def store(self, session: Any, state: State) -> None:
        """Copy ``state`` to the ps; slots that it does not have start as the rule says."""
        feed: dict[Any, Any] = {self._step_feed: state.step}
        for (name, k), placeholder in self._feeds.items():
            layout = self.state_layout if name == MODEL_STATE else self.layout
            first = self._initial.get(name, 0.0)
            begun = [np.full(v.shape, first, np.float32) for v in layout.variables]
            feed[placeholder] = layout.pack(state.arrays.get(name, begun))[k]
        session.run(self._writes, feed)

    def _part(self, bucket: int, rule: Rule) -> Part:
        slots = {name: self._arrays[name, bucket] for name in self._names[1:]}
        variable = self._arrays[PARAMETERS, bucket]
        return Part(PARAMETERS, bucket, self.layout.size(bucket), variable, slots, rule.apply)

    def _variable(self, name: str, ps: int, shape: list[int], dtype: Any) -> Any:
        return shared_variable(f"ps{ps}_{name}", self.homes.device(ps), shape, dtype)

    def _write(self, key: tuple[str, int]) -> Any:
        layout = self.state_layout if key[0] == MODEL_STATE else self.layout
        with tf.device(self.homes.device(key[1])):
            self._feeds[key] = tf.placeholder(tf.float32, [layout.size(key[1])])
            return self._arrays[key].assign(self._feeds[key]).op


def shared_variable(name: str, device: str, shape: list[int], dtype: Any) -> Any:
    """A variable that every process finds by its name in the current scope; not initialized."""
    with tf.device(device):
        return tf.get_variable(
            name,
            shape,
            dtype,
            initializer=tf.zeros_initializer(),
            trainable=False,
            collections=[],
            use_resource=True,
        )


def read_variable(variable: Any, device: str) -> Any:
    """Its value, read where it lives."""
    with tf.device(device):
        return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype.base_dtype)


def _subtract(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
    return variable.assign_sub(gradient).op
