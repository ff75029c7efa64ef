"""The buckets' flat arrays and the variables' values as tensors, one made from the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.layout import Layout


def unpacked(layout: Layout, flats: Sequence[Any]) -> list[Any]:
    """One tensor per variable from one flat tensor per bucket.

    Slices that are aligned share the memory of their bucket, which ``tf.split`` never does.
    """
    found: list[list[tuple[int, Any]]] = [[] for _ in layout.variables]
    for bucket, flat in zip(layout.buckets, flats, strict=True):
        for piece, place in bucket.places():
            values = flat
            if len(bucket.pieces) > 1 or piece.size < piece.room:
                values = tf.slice(flat, [place], [piece.size])
            found[piece.variable].append((piece.start, values))
    return [
        tf.reshape(_joined([values for _, values in sorted(pieces, key=_start)]), variable.shape)
        for variable, pieces in zip(layout.variables, found, strict=True)
    ]


def packed(layout: Layout, tensors: Sequence[Any]) -> list[Any]:
    """One flat tensor per bucket from one tensor per variable; zeros where there is nothing."""
    flats = [tf.reshape(tensor, [-1]) for tensor in tensors]
    found = []
    for bucket in layout.buckets:
        values = []
        for piece in bucket.pieces:
            flat = flats[piece.variable]
            if piece.size < layout.variables[piece.variable].size:
                flat = tf.slice(flat, [piece.start], [piece.size])
            values.append(flat)
            if piece.size < piece.room:
                values.append(tf.zeros([piece.room - piece.size], flat.dtype))
        found.append(_joined(values))
    return found


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else tf.concat(parts, 0)


def _start(found: tuple[int, Any]) -> int:
    return found[0]
