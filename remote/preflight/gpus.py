"""What a node's GPUs mean for a run: driver, and who else computes on them."""

from __future__ import annotations

from collections import Counter

from remote.checks import Finding
from remote.facts import Gpu, NodeFacts
from remote.preflight.making import on_node
from remote.survey import GpuUser, NodeSurvey
from remote.wording import size

OLDEST_DRIVER = (525, 60)
"""The first driver that runs CUDA 12, with which TensorFlow 2.21 is built (NVIDIA's table)."""


def gpu_findings(facts: NodeFacts, survey: NodeSurvey) -> list[Finding]:
    """The cards and their driver; a warning for each card that somebody else computes on."""
    if not facts.gpus:
        told = any("gpu" in p.what.casefold() or "nvidia" in p.what for p in facts.problems)
        words = facts.gpu_note or "there is no GPU"
        return [] if told else [on_node(facts, "gpu", "ok", f"{words}; tasks here run on the CPU")]
    names = Counter(gpu.name for gpu in facts.live_gpus)
    cards = ", ".join(f"{count} × {name}" if count > 1 else name for name, count in names.items())
    driver = f", driver {survey.driver}" if survey.driver else ""
    found = [on_node(facts, "gpu", "ok", f"{cards or 'no GPU answers'}{driver}")]
    if survey.driver and _version(survey.driver) < OLDEST_DRIVER:
        oldest = ".".join(map(str, OLDEST_DRIVER))
        what = f"the NVIDIA driver is {survey.driver}, and CUDA 12 needs {oldest} or newer"
        remedy = "Ask the administrator for a newer driver; TensorFlow will see no GPU before."
        found = [on_node(facts, "gpu", "problem", what, remedy)]
    return found + [
        finding
        for gpu in facts.gpus
        if (finding := _users(facts, gpu, survey.gpu_users)) is not None
    ]


def _users(facts: NodeFacts, gpu: Gpu, users: tuple[GpuUser, ...]) -> Finding | None:
    here = [user for user in users if user.gpu == gpu.uuid]
    if not here:
        return None
    each = "; ".join(_words(user, facts.user) for user in here[:3])
    more = f"; and {len(here) - 3} more" if len(here) > 3 else ""
    what = f"GPU {gpu.index} ({gpu.name}) is in use: {each}{more}"
    runs = sorted({user.run_id for user in here if user.run_id})
    remedy = f"Stop it: clew stop {runs[0]}." if runs else "Ask them, or leave it out of gpus."
    return on_node(facts, "gpu", "warning", what, remedy)


def _words(user: GpuUser, account: str) -> str:
    who = "you" if user.user == account else user.user or "somebody"
    program = f" {user.program[:60]}" if user.program else ""
    memory = f", {size(user.memory_bytes)}" if user.memory_bytes is not None else ""
    return f"{who} (pid {user.pid}{program}{memory})"


def _version(text: str) -> tuple[int, ...]:
    parts = text.split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (999,)
