"""The packed variables of a run as they stand on the ps: flat arrays, each with its slots.

What a model keeps besides its trainable variables and changes in training (the moving statistics
of batch normalisation) is packed alike, on the first ps. Its "gradient" is the value that was
read minus the new one, averaged like any other, and its rule subtracts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.checkpoints import MODEL_STATE as MODEL_STATE
from trainer.checkpoints import PARAMETERS as PARAMETERS
from trainer.checkpoints import State
from trainer.engine.layout import Layout, in_loads
from trainer.engine.optimizers import Apply, Rule
from trainer.engine.places import Homes

ENDED = 1 << 48
"""Added to the global step to end a run early: far beyond every limit, and taken off again."""


class Key(NamedTuple):
    """A flat array: the variables, a slot or the state, and the number of its bucket."""

    name: str
    bucket: int


class Part(NamedTuple):
    """One flat array on ``ps``, and how a gradient of its size changes it."""

    key: Key
    ps: int
    size: int
    variable: Any
    slots: Mapping[str, Any]
    apply: Apply


class Buckets:
    """Handles on the ps' variables, the same in every process of a run.

    ``parts`` are the layout's buckets, in its order, and then those of the state.

    Args:
        homes: on which devices they are, and under what name.
        layout: which variable lies in which bucket.
        rule: says which slots there are.
        state: the layout, on the first ps, of what the model keeps besides.
        only: leave out what is on other ps; a ps does not see them.
    """

    def __init__(
        self, homes: Homes, layout: Layout, rule: Rule, state: Layout, only: int | None = None
    ) -> None:
        self.homes = homes
        self.layout = layout
        self.state_layout = state
        self._only = only
        self._names = (PARAMETERS, *rule.slots)
        self._initial = rule.initial
        self._arrays: dict[Key, Any] = {}
        step_ps = only or 0
        with tf.variable_scope(homes.scope):
            for key in self._keys():
                name = f"{key.name}_{key.bucket}"
                self._arrays[key] = self._variable(name, self._ps(key), [self._size(key)])
            name = "global_step" if step_ps == 0 else "applied_step"
            self.step = self._variable(name, step_ps, [], tf.int64)
        self.parts = [
            self._part(key, rule) for key in self._arrays if key.name in (PARAMETERS, MODEL_STATE)
        ]
        with tf.device(homes.device(step_ps)):
            self.current_step = tf.floormod(read_variable(self.step, homes.device(step_ps)), ENDED)
        self._reads = {
            key: read_variable(array, homes.device(self._ps(key)))
            for key, array in self._arrays.items()
        }
        self._feeds: dict[Key, Any] = {}
        self._writes = {key: self._write(key) for key in self._arrays}
        with tf.device(homes.device(step_ps)):
            self._step_feed = tf.placeholder(tf.int64, [])
            self._step_write = self.step.assign(self._step_feed).op

    def flats_of(self, state: State) -> list[Any]:
        """For each part its flat array of ``state``."""
        return [
            self._layout(part.key).pack(state.arrays[part.key.name], part.key.bucket)
            for part in self.parts
        ]

    def fetch(self, session: Any) -> State:
        """Copy everything from the ps. The ps go on meanwhile: arrays may be a few steps apart."""
        flats: dict[Key, Any] = {}
        for keys in self._loads():
            flats |= session.run({key: self._reads[key] for key in keys})
        step = session.run(self.current_step)
        names = (*self._names, MODEL_STATE) if self.state_layout.variables else self._names
        arrays = {}
        for name in names:
            layout = self._layout(Key(name, 0))
            arrays[name] = layout.unpack([flats[Key(name, i)] for i in range(len(layout.buckets))])
        return State(step=int(step), arrays=arrays)

    def store(self, session: Any, state: State) -> None:
        """Copy ``state`` to the ps; slots that it does not have start as the rule says."""
        for keys in self._loads():
            feed = {self._feeds[key]: self._values(key, state) for key in keys}
            session.run([self._writes[key] for key in keys], feed)
        session.run(self._step_write, {self._step_feed: state.step})

    def _values(self, key: Key, state: State) -> Any:
        found = state.arrays.get(key.name)
        if found is None:
            return np.full(self._size(key), self._initial.get(key.name, 0.0), np.float32)
        return self._layout(key).pack(found, key.bucket)

    def _loads(self) -> Iterator[list[Key]]:
        """All arrays, as many at a time as may travel in one message."""
        return in_loads({key: self._size(key) for key in self._arrays})

    def _keys(self) -> Iterator[Key]:
        for layout, names in ((self.layout, self._names), (self.state_layout, (MODEL_STATE,))):
            for i, bucket in enumerate(layout.buckets):
                if self._only in (None, bucket.ps):
                    yield from (Key(name, i) for name in names)

    def _layout(self, key: Key) -> Layout:
        return self.state_layout if key.name == MODEL_STATE else self.layout

    def _ps(self, key: Key) -> int:
        return self._layout(key).buckets[key.bucket].ps

    def _size(self, key: Key) -> int:
        return self._layout(key).buckets[key.bucket].size

    def _part(self, key: Key, rule: Rule) -> Part:
        variable = self._arrays[key]
        if key.name == MODEL_STATE:
            return Part(key, self._ps(key), self._size(key), variable, {}, _subtract)
        slots = {name: self._arrays[Key(name, key.bucket)] for name in self._names[1:]}
        return Part(key, self._ps(key), self._size(key), variable, slots, rule.apply)

    def _variable(self, name: str, ps: int, shape: list[int], dtype: Any = tf.float32) -> Any:
        return shared_variable(f"ps{ps}_{name}", self.homes.device(ps), shape, dtype)

    def _write(self, key: Key) -> Any:
        with tf.device(self.homes.device(self._ps(key))):
            self._feeds[key] = tf.placeholder(tf.float32, [self._size(key)])
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
