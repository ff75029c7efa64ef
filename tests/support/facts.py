"""What a node may report, for tests that need no node."""

from __future__ import annotations

import time

from remote.facts import Gpu, NodeFacts


def node_facts(name: str, gpus: tuple[Gpu, ...], *, clock_offset_s: float = 0.0) -> NodeFacts:
    """A usable node with these GPUs."""
    return NodeFacts(
        node=name,
        seen_at=time.time(),
        hostname=name,
        boot_id=name,
        network_namespace="1",
        user="ana",
        home="/home/ana",
        root="/home/ana/.clew",
        python="/usr/bin/python3",
        python_version="3.11.2",
        tensorflow_version="2.21.0",
        cpus=8,
        memory_bytes=2**35,
        disk_free_bytes=2**40,
        gpus=gpus,
        gpu_note="",
        ports_in_use=(),
        clock_offset_s=clock_offset_s,
    )


def cards(node: str, count: int, name: str = "A100", memory: int | None = None) -> tuple[Gpu, ...]:
    """That many GPUs, numbered from 0."""
    return tuple(
        Gpu(index=i, uuid=f"GPU-{node}-{i}", name=name, memory_total_bytes=memory)
        for i in range(count)
    )
