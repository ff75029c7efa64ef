"""All that is known of a trial that failed, as text."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tests.chaos.desktop import Desktop, end_of
from tests.chaos.faults import Faults
from tests.chaos.nodes import ChaosNodes
from tests.chaos.plan import Plan
from tests.chaos.sight import Sight, environment, parent


def report(
    what: str, plan: Plan, nodes: ChaosNodes, sight: Sight, desktop: Desktop, faults: Faults
) -> str:
    """The complaint, how to see it again, what was done when, and how everything stands."""
    parts = [
        what,
        f"replay: make chaos SEED={plan.seed} N=1  (a light trial: ARGS=--light)",
        f"plan: {plan}",
        "what was done:",
        *(f"  {line}" for line in faults.journal),
        *_processes(nodes),
        *_tasks(sight),
        *_node_logs(nodes),
        desktop.says(),
    ]
    return "\n".join(parts)


def _processes(nodes: ChaosNodes) -> list[str]:
    lines = ["processes:"]
    for index, node in enumerate(nodes.nodes):
        lines.append(f"  {node.name}{' (off)' if index in nodes.off else ''}")
        for pid, command in nodes.programs(index).items():
            task = environment(pid).get(b"CLEW_TASK", b"-").decode()
            words = " ".join(command)[:160]
            lines.append(f"    {pid} of {parent(pid)} {_state(pid)} {task} {words}")
    return lines


def _state(pid: int) -> str:
    with contextlib.suppress(OSError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_text()
        wait = Path(f"/proc/{pid}/wchan").read_text()
        return f"{text[text.rfind(')') + 2 :].split()[0]} {wait}"
    return "gone"


def _tasks(sight: Sight) -> list[str]:
    lines = []
    for name, files in sorted(sight.tasks.items()):
        folder = files.folder
        lines.append(f"--- {name} at step {files.step}, phase {files.phase}")
        for file, most in (
            ("state.json", 4000),
            ("stop.json", 400),
            ("supervisor.log", 2000),
            ("log.txt", 2500),
            ("events.jsonl", 2500),
        ):
            if (folder / file).exists():
                lines.append(f"  {file}: {end_of(folder / file, most)}")
    return lines


def _node_logs(nodes: ChaosNodes) -> list[str]:
    return [f"--- sshd of {n.name}\n{end_of(n.folder / 'sshd.log', 600)}" for n in nodes.nodes]
