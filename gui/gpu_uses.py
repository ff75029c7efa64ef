"""Who else is on the nodes' GPUs, in a few words for each: from a check, or from live samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gui.board_state import CellKey
from gui.language import tr
from gui.node_model import NodeStatus
from remote.checks import Finding

_IN_USE = re.compile(r"GPU (\d+) \(.*?\) is in use: (.*)", re.DOTALL)
BUSY_BYTES = 2**30
BUSY_PERCENT = 10.0
"""A card with less on it than this is as good as free."""


def gpu_uses(
    findings: Iterable[Finding], nodes: Mapping[str, NodeStatus], *, own_run: bool
) -> dict[CellKey, str]:
    """A phrase for each card that somebody uses.

    Args:
        own_run: a run of this window is going on: what samples show is its own.
    """
    found: dict[CellKey, str] = {}
    for name, status in nodes.items() if not own_run else ():
        for gpu in status.sample.gpus if status.sample is not None else ():
            words = []
            if (gpu.memory_used_bytes or 0) >= BUSY_BYTES:
                words.append(f"{(gpu.memory_used_bytes or 0) / 2**30:.0f} GiB")
            if (gpu.utilization_percent or 0.0) >= BUSY_PERCENT:
                tens = round((gpu.utilization_percent or 0.0) / 10) * 10
                words.append(
                    tr("about {tens} %", tens=tens)
                )  # in steps: it is drawn again when it changes
            if words:
                found[CellKey(name, "gpu", gpu.index)] = tr("in use: {by}", by=", ".join(words))
    for finding in findings:
        match = _IN_USE.fullmatch(finding.what) if finding.topic == "gpu" else None
        if match is not None:
            found[CellKey(finding.node, "gpu", int(match[1]))] = tr("in use: {by}", by=match[2])
    return found
