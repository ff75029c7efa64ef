"""``clew scaling``: how many workers the links of the parameter servers carry."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from remote.cli.environment import GOOD, Environment
from remote.cli.text import number, size
from remote.cli.view import JsonView
from remote.scaling import Links, StepCost, gigabits, saturating_workers, simulate

FINEST = 256
"""Workers times ps beyond which a simulation takes too long to wait for."""
STEPS = 16


def scaling(env: Environment) -> int:
    """Say where the ps' links are full, and simulate some numbers of workers up to there."""
    given = env.arguments
    moved = given.parameters * (2 if given.bfloat16 else 4)
    cost = StepCost(pull_bytes=moved, push_bytes=moved, compute_s=given.step)
    links = Links(ps=given.ps, bytes_per_s=gigabits(given.link), alongside=given.alongside)
    full_at = saturating_workers(cost, links)
    rows = list(_rows(given, cost, links))
    if isinstance(env.view, JsonView):
        for row in rows:
            env.view.write({"type": "scaling", **row})
        env.view.write({"type": "result", "state": "ok", "saturating_workers": round(full_at, 2)})
        return GOOD
    full_with = f"{'at most ' if given.alongside else ''}{number(full_at)} workers"
    print(
        f"{size(moved)} each way in a step of {number(given.step)} s: the links of {given.ps} ps, "
        f"{number(given.link)} Gbit/s each, are full with {full_with}; more add nothing. Simulated:"
    )
    for row in rows:
        rate = f"{row['workers']:>6.0f} workers  {number(row['steps_per_s']):>8} steps/s"
        ideal, busy = 100 * row["efficiency"], 100 * row["ps_busy"]
        print(f"{rate}  {ideal:>4.0f} % of ideal  ps links {busy:>3.0f} % full")
    return GOOD


def _rows(given: Namespace, cost: StepCost, links: Links) -> Iterator[dict[str, float]]:
    """1, 2, 4, ... workers."""
    workers = 1
    while workers <= given.workers and (workers == 1 or workers * links.ps <= FINEST):
        outcome = simulate(cost, links, workers, sync=given.sync, steps=STEPS)
        yield {
            "workers": workers,
            "steps_per_s": round(outcome.steps_per_s, 4),
            "efficiency": round(outcome.efficiency, 4),
            "ps_busy": round(outcome.ps_busy, 4),
        }
        workers *= 2
