"""What a check tells as flat JSON objects; part of :mod:`remote.cli.jsonlines`."""

from __future__ import annotations

from typing import Any

from remote.checks import CheckStep, Finding, HelloDevice, Pair


def check_object(item: Finding | Pair | HelloDevice | CheckStep) -> dict[str, Any]:
    """One object for each item; the command's ``result`` tells the end."""
    if isinstance(item, Finding):
        return {
            "type": "finding",
            "node": item.node,
            "topic": item.topic,
            "level": item.level,
            "text": item.what,
            "remedy": item.remedy,
        }
    if isinstance(item, Pair):
        return {
            "type": "reach",
            "source": item.source,
            "target": item.target,
            "task": item.task,
            "address": item.address,
            "state": item.how,
            "text": item.text,
            "round_trip_s": item.rtt_s,
            "bytes_per_second": item.bytes_per_second,
        }
    if isinstance(item, HelloDevice):
        return {
            "type": "hello",
            "node": item.node,
            "device": item.device,
            "name": item.name,
            "good": item.good,
            "text": item.text,
            "seconds": item.seconds,
        }
    return {
        "type": "progress",
        "node": item.node,
        "action": item.detail or item.step,
        "done": item.done,
        "total": item.total,
    }
