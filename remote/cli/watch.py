"""Watching a run to its end, and what Ctrl-C means meanwhile."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from remote.cli.environment import FAILED, GOOD, STOPPED, Environment
from remote.cli.text import number, plain, seconds
from remote.session import RunHandle
from remote.updates import ResultUpdate


def watch(env: Environment, run: RunHandle, *, stop_on_interrupt: bool) -> int:
    """Show the run until it ends; returns the exit status.

    The first Ctrl-C stops the run (or leaves it, when it is only attached), the second leaves it.
    """
    ended = env.pump(lambda: run.result is not None)
    if not ended and stop_on_interrupt and not env.interrupts.leaving:
        env.view.say("stopping… (Ctrl-C again leaves the run going)")
        run.stop()
        env.interrupts.count = 0
        ended = env.pump(lambda: run.result is not None)
    if not ended:
        env.view.close()
        env.view.say(
            f"Run {run.run_id} goes on. Watch it: clew attach {run.run_id}. "
            f"Stop it: clew stop {run.run_id}."
        )
        return STOPPED
    result = run.result
    assert result is not None
    if not env.json:
        env.view.close()
        print_summary(result)
    return exit_status(result)


def exit_status(result: ResultUpdate) -> int:
    """0 finished and nothing left, 130 stopped, 1 anything else."""
    if result.state == "stopped":
        return STOPPED
    return GOOD if result.state == "finished" and not result.left_behind else FAILED


def print_summary(result: ResultUpdate) -> None:
    """The result as a small table on standard output."""
    rows = [
        ("run", result.run_id),
        ("state", result.state),
        ("steps", f"{result.global_step:,}"),
        ("final loss", number(result.final_loss)),
        ("accuracy", "–" if result.accuracy is None else f"{result.accuracy:.1%}"),
        ("examples", f"{result.examples:,}"),
        ("examples/s", number(result.examples_per_second)),
        ("time to first step", seconds(result.time_to_first_step_s)),
        ("left behind", "; ".join(f"{i.node}: {i.what}" for i in result.left_behind) or "nothing"),
    ]
    if result.reason:
        rows.insert(2, ("reason", result.reason))
    table = Table.grid(padding=(0, 2))
    for label, value in rows:
        table.add_row(Text(label, style="dim"), Text(plain(value)))
    Console(highlight=False).print(table)
