"""``clew stop RUN --withdraw NODE``: what waits for a node that is gone for good."""

from __future__ import annotations

import sys

from remote.cli.environment import GOOD, STOPPED, Environment
from remote.cli.text import plain
from remote.cli.view import JsonView
from remote.errors import ClewError
from remote.session.withdrawing import awaited, withdraw
from remote.wording import withdrawal_words


def withdraw_orders(env: Environment) -> int:
    """Give up the named nodes, once the user has confirmed it; reaches no node."""
    record = env.history.find(env.arguments.run)
    nodes = list(dict.fromkeys(env.arguments.withdraw))
    waiting = awaited(env.history, record.run_id)
    if all(node in waiting for node in nodes) and not _confirmed(env, record.run_id, nodes):
        env.view.say("Nothing was withdrawn.")
        return STOPPED
    result = withdraw(env.history, record.run_id, nodes)
    env.view.close()
    if isinstance(env.view, JsonView):
        end = {"type": "result", "run": record.run_id, "state": record.state, "withdrawn": nodes}
        left = result.left_behind if result is not None else ()
        env.view.write(end | {"left_behind": [f"{item.node}: {item.what}" for item in left]})
    else:
        print(plain(f"Run {record.run_id}: nothing waits for {', '.join(nodes)} any more."))
    return GOOD


def _confirmed(env: Environment, run_id: str, nodes: list[str]) -> bool:
    """Raises ClewError: there is nobody to ask."""
    if env.arguments.yes:
        return True
    if env.json or not sys.stdin.isatty():
        raise ClewError(
            f"nothing was withdrawn: whether {', '.join(nodes)} is gone for good is yours to say",
            remedy="Say it with --yes.",
        )
    print(plain(withdrawal_words(run_id)))
    try:
        return input(f"Give up {plain(', '.join(nodes))}? [y/N] ").strip().casefold() in (
            "y",
            "yes",
        )
    except EOFError:
        return False
