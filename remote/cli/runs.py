"""``clew runs``: what this computer has on record."""

from __future__ import annotations

from remote.cli.environment import FAILED, GOOD, Environment
from remote.cli.listing import print_table, run_object
from remote.cli.onnodes import runs_on_nodes
from remote.cli.text import plain
from remote.cli.view import JsonView
from remote.history import Remark

_ALL = -1
"""SQLite's word for no limit."""


def runs(env: Environment) -> int:
    """List the runs, newest first; or look whether the history is sound."""
    if env.arguments.check:
        return _check(env)
    if env.arguments.profile is not None:
        return runs_on_nodes(env)
    records = env.history.summaries(env.arguments.limit or _ALL)
    more = env.history.count() - len(records)
    remarks = env.history.remarks()
    waiting: dict[str, list[str]] = {}
    for order in env.history.stop_orders.waiting():
        waiting.setdefault(order.run_id, []).append(order.node)
    if isinstance(env.view, JsonView):
        for record in records:
            remark = remarks.get(record.run_id, Remark())
            env.view.write(run_object(record, waiting.get(record.run_id, []), remark))
        end = {"type": "result", "state": "ok", "runs": len(records)}
        env.view.write(end | ({"older": more} if more else {}))
        return GOOD
    if not records:
        print("There is no run yet. Start one: clew run PROFILE, or clew demo.")
        return GOOD
    print_table(records, waiting, remarks)
    if more:
        print(f"{more:,} older runs are not shown: clew runs --limit 0")
    return GOOD


def _check(env: Environment) -> int:
    """Read the history through; start anew beside it where it is damaged."""
    wrong = env.history.check()
    if not wrong:
        print(f"The history {env.history.path} is sound.")
        return GOOD
    env.history.start_anew()
    env.view.say(f"{env.history.path}: {plain(wrong)}")
    env.view.say(env.history.notice)
    env.view.say("Runs that are still on their nodes come back with: clew runs PROFILE.")
    return FAILED
