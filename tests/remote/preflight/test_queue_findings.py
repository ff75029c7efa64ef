"""Whether a partition takes what a profile asks for."""

from __future__ import annotations

import dataclasses

import pytest

from remote.link import Partition, SlurmLook
from remote.preflight import queue_findings
from remote.profile.cluster import SlurmCluster

GPU = Partition(
    name="gpu",
    default=True,
    up=True,
    time_limit_s=3 * 3600.0,
    nodes=4,
    nodes_free=1,
    cpus_per_node=16,
    memory_mb=64_000,
    gpus={"a100": 12, "k80": 4},
    gpus_free={"a100": 3},
    gpus_per_node={"a100": 4, "k80": 2},
)
DEBUG = dataclasses.replace(GPU, name="debug", default=False, gpus={}, gpus_per_node={})
LOOK = SlurmLook(version="22.05.8", cluster="clew", partitions=(GPU, DEBUG))


def asked(**values: object) -> SlurmCluster:
    return SlurmCluster.model_validate({"login": "login1", **values})


def problems(slurm: SlurmCluster, look: SlurmLook = LOOK) -> list[str]:
    return [one.what for one in queue_findings(look, slurm) if one.level == "problem"]


@pytest.mark.parametrize(
    "fits",
    [
        {},
        {"nodes": 4, "gpus_per_node": 4, "gpu_type": "a100", "cpus_per_task": 16},
        {"gpus_per_node": 4, "time": "3:00:00", "memory": "62G"},
        {"partition": "debug", "nodes": 2},
        {"partition": "debug,gpu", "time": 180},
    ],
)
def test_that_what_fits_is_told_with_what_is_free(fits: dict[str, object]) -> None:
    found = queue_findings(LOOK, asked(**fits))
    assert {one.level for one in found} == {"ok"}
    assert "Slurm 22.05.8 answers" in found[0].what
    assert "1 of its 4 nodes are free" in found[-1].what


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"partition": "cpu"}, "no partition cpu"),
        ({"nodes": 5}, "5 nodes are asked for, and partition gpu has 4"),
        ({"gpus_per_node": 3, "gpu_type": "k80"}, "3 GPUs of type k80"),
        ({"gpus_per_node": 1, "gpu_type": "h100"}, "has at most: 4 a100, 2 k80"),
        ({"gpus_per_node": 5}, "5 GPUs of each node"),
        ({"gpus_per_node": 1, "partition": "debug"}, "has at most: none"),
        ({"cpus_per_task": 17}, "at most 16"),
        ({"memory": "64G"}, "at most 64000 MiB"),
        ({"time": "3:00:01"}, "allows 3 hours"),
        ({"time": "unlimited"}, "allows 3 hours"),
    ],
)
def test_that_what_can_never_start_is_a_problem(values: dict[str, object], words: str) -> None:
    (what,) = problems(asked(**values))
    assert words in what


def test_that_a_partition_that_is_down_is_only_warned_of() -> None:
    down = dataclasses.replace(GPU, up=False)
    look = dataclasses.replace(LOOK, partitions=(down,))
    found = queue_findings(look, asked())
    assert [one.level for one in found] == ["ok", "warning"]


def test_that_without_a_default_partition_one_has_to_be_named() -> None:
    look = dataclasses.replace(LOOK, partitions=(DEBUG,))
    assert problems(asked(), look) == ["the cluster has no default partition"]
