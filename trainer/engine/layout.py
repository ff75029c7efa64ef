"""How a model's variables are packed into one flat array per ps. No TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Variable:
    """One trainable float32 variable of a model."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Layout:
    """``buckets[k]`` are the indices, in packing order, of the variables that ``ps:k`` holds.

    A bucket may be empty when there are more ps than variables.
    """

    variables: tuple[Variable, ...]
    buckets: tuple[tuple[int, ...], ...]

    def members(self, bucket: int) -> list[Variable]:
        return [self.variables[i] for i in self.buckets[bucket]]

    def size(self, bucket: int) -> int:
        """Number of values in a bucket."""
        return sum(variable.size for variable in self.members(bucket))

    def pack(self, arrays: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        """One flat float32 array per bucket from one array per variable."""
        nothing = np.empty(0, np.float32)
        return [
            np.concatenate([nothing, *(np.ravel(arrays[i]) for i in bucket)])
            for bucket in self.buckets
        ]

    def unpack(self, flats: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        """One array per variable, views of the flat arrays, in the variables' order."""
        arrays: dict[int, NDArray[np.float32]] = {}
        for bucket, flat in zip(self.buckets, flats, strict=True):
            start = 0
            for i in bucket:
                variable = self.variables[i]
                arrays[i] = flat[start : start + variable.size].reshape(variable.shape)
                start += variable.size
        return [arrays[i] for i in range(len(self.variables))]


def plan_layout(variables: Sequence[Variable], ps: int) -> Layout:
    """Spread variables over ``ps`` buckets: the largest first, each to the emptiest bucket.

    Depends on nothing but the arguments, so that every process finds the same layout.
    """
    buckets: list[list[int]] = [[] for _ in range(ps)]
    loads = [0] * ps
    for i in sorted(range(len(variables)), key=lambda i: (-variables[i].size, i)):
        emptiest = loads.index(min(loads))
        buckets[emptiest].append(i)
        loads[emptiest] += variables[i].size
    return Layout(tuple(variables), tuple(tuple(sorted(bucket)) for bucket in buckets))
