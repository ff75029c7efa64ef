"""GPUs are counted from every shape of GRES and TRES text, and none twice."""

from __future__ import annotations

import pytest

from remote.node.slurm import gres
from tests.support.slurm_tables import rows

TABLE = rows("gres.tsv", 2)


def _counts(text: str) -> dict[str, int]:
    pairs = (pair.split("=") for pair in text.split())
    return {kind: int(count) for kind, count in pairs}


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_that_gpus_are_counted_by_type(text: str, expected: str) -> None:
    assert gres.parse(text) == _counts(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu:3090:4", "3090=4"),
        ("gpu:3090", "?=3090"),
        ("gpu:a100", "a100=1"),
        ("gpu:(null):2(IDX:0,3)", "?=2"),
        ("gpu:a100:0(IDX:N/A)", ""),
        ("gpu(IDX:0-3,6)", "?=5"),
        ("gpu:tesla(IDX:1-2)", "tesla=2"),
        ("gpu:a100:2(S:0,3),gpu:a100:2(S:1)", "a100=4"),
        ("gpu:a100:no_consume:4", "a100=4"),
        ("gpu:a100_1g.5gb:7(S:0),shard:16,mps:100", "a100_1g.5gb=7"),
        ("cpu=64,mem=512000M,billing=64,gres/gpu=8", "?=8"),
        ("cpu=64,gres/gpu=4,gres/gpu:a100=3", "a100=3 ?=1"),
        ("gres/gpu=4,gres/gpu:a100=2,gres/gpu:v100=2", "a100=2 v100=2"),
        ("gres:gpu:a100:4", "a100=4"),
        ("gpu:a100:4(S:0-1", "a100=4"),
        ("GPU:A100:2", "A100=2"),
        ("gpu:1K", "?=1024"),
        ("license/matlab=1,gres/craynetwork=4", ""),
        ("gpux:4,ngpu:3", ""),
        ("gpu:a:b:c", ""),
        (",,gpu:2,", "?=2"),
        (")(gpu:2", ""),
        ("", ""),
    ],
)
def test_that_other_shapes_are_counted_too(text: str, expected: str) -> None:
    assert gres.parse(text) == _counts(expected)


def test_that_free_ones_are_what_is_left() -> None:
    there = {"a100": 4, "v100": 2}
    assert gres.subtracted(there, {"a100": 1}) == {"a100": 3, "v100": 2}
    assert gres.subtracted(there, {"?": 5}) == {"a100": 0, "v100": 1}
    assert gres.subtracted(there, {"a100": 9}) == {"a100": 0, "v100": 2}
    assert gres.added(there, {"a100": 1, "?": 1}) == {"a100": 5, "v100": 2, "?": 1}
