"""Watching a run to its end, and what Ctrl-C means meanwhile."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from remote.cli.environment import FAILED, GOOD, STOPPED, WRONG_INPUT, Environment, Watched
from remote.cli.jsonlines import standing
from remote.cli.text import number, plain, seconds
from remote.cli.view import JsonView, Terminal
from remote.errors import ClewError, is_wrong_input
from remote.session import RunHandle
from remote.updates import Cause, ResultUpdate


def watch(env: Environment, run: RunHandle, *, stop_on_interrupt: bool) -> int:
    """Show the run until it ends; returns the exit status.

    The first Ctrl-C stops the run (or leaves it, when it is only attached); the second does not
    wait for the end of that.
    """
    env.watched = watched = Watched(run, own=env.arguments.command == "demo")
    ended = env.pump(lambda: run.result is not None)
    own = stop_on_interrupt and not run.controlled_from
    if not ended and own and not env.interrupts.leaving:
        env.interrupts.count = 0  # one that comes from here on is the second
        run.stop()
        watched.stop_asked = True
        env.view.say("stopping… (Ctrl-C again does not wait for the end of it)")
        ended = env.pump(lambda: run.result is not None)
    if not ended:
        env.view.close()
        return leave(env, watched)
    result = run.result
    assert result is not None
    if not env.json:
        env.view.close()
        print_summary(result)
    return exit_status(result, run.failure)


def leave(env: Environment, watched: Watched) -> int:
    """Say what becomes of a run that is not watched any more."""
    env.view.say(watched.left_text())
    if isinstance(env.view, JsonView):
        env.view.write(standing(watched.run.run_id, watched.run.state))
    return STOPPED


def exit_status(result: ResultUpdate, failure: ClewError | None = None) -> int:
    """0 finished and nothing left, 130 stopped, 2 not started for wrong input, 1 anything else."""
    if result.state == "stopped":
        return STOPPED
    if is_wrong_input(failure) and not result.left_behind:
        return WRONG_INPUT
    return GOOD if result.state == "finished" and not result.left_behind else FAILED


def print_summary(result: ResultUpdate) -> None:
    """The result as a small table on standard output."""
    rows = [("run", result.run_id), ("state", result.state)]
    if result.reason:
        rows.append(("reason", result.reason))
    rows += cause_rows(result.run_id, result.cause)
    left = "; ".join(f"{i.node}: {i.what}" for i in result.left_behind)
    if result.time_to_first_step_s is not None or result.state == "finished":
        rows += _numbers(result)
    rows.append(("left behind", left or "nothing"))
    table = Table.grid(padding=(0, 2))
    for label, value in rows:
        table.add_row(Text(label, style="dim"), Text(plain(value)))
    if left:
        again = (
            f"clew stop {result.run_id} tries again; any command that reaches the node does, too"
        )
        table.add_row(Text(""), Text(again))
    Terminal(highlight=False).print(table)


def cause_rows(run_id: str, cause: Cause | None) -> list[tuple[str, str]]:
    """What the cause usually means, what to do, and what followed from it."""
    if cause is None:
        return []
    rows = [("usually", cause.meaning), ("to do", cause.remedy)]
    same = [str(c.task) for c in cause.consequences if c.same]
    if same:
        rows.append(("also in", ", ".join(same)))
    lost = [f"{c.task}: {c.text}" for c in cause.consequences if not c.same]
    rows += [("followed" if i == 0 else "", text) for i, text in enumerate(lost[:4])]
    if len(lost) > 4:
        rows.append(("", f"and {len(lost) - 4} more"))
    if cause.row is not None:
        rows.append(("log", f"clew logs {run_id} {cause.task} (line {cause.row + 1})"))
    return [(label, text) for label, text in rows if text]


def _numbers(result: ResultUpdate) -> list[tuple[str, str]]:
    return [
        ("steps", f"{result.global_step:,}"),
        ("final loss", number(result.final_loss)),
        ("accuracy", "–" if result.accuracy is None else f"{result.accuracy:.1%}"),
        ("examples", f"{result.examples:,}"),
        ("examples/s", number(result.examples_per_second)),
        ("time to first step", seconds(result.time_to_first_step_s)),
    ]
