"""Tells what this node has kept of its samples while nobody watched."""

import os
import time
from typing import TYPE_CHECKING, Any, Dict

from remote.node import layout, procs, sampler
from remote.node.meter import tick
from remote.node.samples import GPU_FIELDS, parse, read_rows

if TYPE_CHECKING:
    from remote.node.agent import Agent

_MOST_AT_ONCE = 200
"""So that a slow link carries an answer in time."""


def samples(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """The samples of a run after number ``after``, some at a time; ``last``: the number of all.

    Their times are told as this clock has them now: it may have been set since.
    """
    paths = layout.Layout(args["root"], agent.node)
    sampler.ensure(paths.sampler)
    rows = read_rows(os.path.join(paths.tasks(args["run_id"]), layout.SAMPLES))
    last = max([row.number for row in rows], default=0)
    # A greater number than any here is of a file that is gone.
    after = args["after"] if args["after"] <= last else 0
    chosen = [row for row in rows if row.number > after][:_MOST_AT_ONCE]
    now, boot = time.time() - tick(), procs.boot_id()
    told = []
    for row in chosen:
        sample = parse(row.line)
        if sample is not None:
            gpus = sample["gpus"]
            sample["gpus"] = [dict(zip(GPU_FIELDS, gpu)) for gpu in gpus]  # noqa: B905
            if row.boot == boot:
                sample["t"] = now + row.tick
            told.append(sample)
    return {"samples": told, "last": last}
