"""What a plan means for each task: address, TF_CONFIG, environment, command line. No Qt.

Nothing secret is in these texts: values that look like a secret, and passwords in addresses, are
left out.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gui.language import tr
from remote.node.layout import Layout
from remote.profile.secret import is_secret
from remote.profile.words import printable

if TYPE_CHECKING:
    from remote.facts import NodeFacts
    from remote.plan import Plan, PlannedTask
    from remote.profile import Profile

TABS = (tr("Overview"), "TF_CONFIG", tr("Environment"), tr("Command"))
HIDDEN = "…"
_RUN = "RUN"
"""Stands for the run's id, which a launch makes."""
_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)")
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|[^\s;&|]+)"
_NAMED = re.compile(rf"(?P<name>[\w-]+)(?P<between>=){_VALUE}")
_OPTION = re.compile(rf"(?P<name>--?[\w-]+)(?P<between>[ \t]+){_VALUE}")
_ON_NODE = "# set on the node: CLEW_RUN, CLEW_TASK, CLEW_NODE, CLEW_PORTS, PYTHONPATH"


def consequences(
    profile: Profile, plan: Plan, facts: Mapping[str, NodeFacts], task: str
) -> tuple[str, ...]:
    """A text for each of TABS, about ``task``; about all tasks where that is empty."""
    found = next((one for one in plan.tasks if str(one.task) == task), None)
    if found is None:
        return (
            "\n".join([plan.describe(), *(f"\n! {text}" for text in plan.warnings)]),
            json.dumps({"cluster": plan.cluster.as_dict()}, indent=2),
            _all_environments(profile, plan),
            "\n".join(f"# {t.task} on {t.node}\n{command(profile, t, facts)}" for t in plan.tasks),
        )
    return (
        _overview(plan, found),
        json.dumps(json.loads(found.environment["TF_CONFIG"]), indent=2),
        "\n".join([*_lines(found.environment), _ON_NODE]),
        _setup(profile) + command(profile, found, facts),
    )


def title(plan: Plan, task: str) -> str:
    """``worker:0, the chief, on gpu001``."""
    found = next((one for one in plan.tasks if str(one.task) == task), None)
    if found is None:
        count = len(plan.tasks)
        return tr("All {count} tasks", count=count) if count != 1 else tr("The task")
    where = {"task": task, "node": printable(found.node)}
    if found.task.is_chief:
        return tr("{task}, the chief, on {node}", **where)
    return tr("{task} on {node}", **where)


def command(profile: Profile, task: PlannedTask, facts: Mapping[str, NodeFacts]) -> str:
    """What runs on the node; ``RUN`` stands for the run's id."""
    there = facts[task.node]
    # The environment of the profile's packages may be made by the launch only.
    python = there.python if there.environment != "missing" else "python"
    module = "trainer.script" if profile.training.command else "trainer"
    folder = Layout(there.root, task.node).task(_RUN, str(task.task))
    line = shlex.join([python, "-m", module, folder])
    if profile.training.command:
        line += f"\n# which runs: {masked(shlex.join(profile.training.command))}"
    return line


def masked(text: str) -> str:
    """``text`` without passwords in addresses and values of what is called a secret."""

    def hide(match: re.Match[str]) -> str:
        if not is_secret(match["name"]):
            return match[0]
        return f"{match['name']}{match['between']}{HIDDEN}"

    return _OPTION.sub(hide, _NAMED.sub(hide, _PASSWORD.sub(rf"\g<1>{HIDDEN}", text)))


def _overview(plan: Plan, task: PlannedTask) -> str:
    devices = ", ".join(f"GPU {gpu.index} ({gpu.name})" for gpu in task.gpus) or "CPU"
    rows = [
        (
            tr("task"),
            tr("{task}, the chief", task=task.task) if task.task.is_chief else str(task.task),
        ),
        (tr("node"), printable(task.node)),
        (tr("address"), printable(task.target)),
        (tr("devices"), printable(devices)),
        *(("uuid", printable(gpu.uuid)) for gpu in task.gpus if gpu.uuid),
    ]
    if task.moved_from_port is not None:
        held = task.moved_from_port.port
        rows.append((tr("port"), tr("{port}, because {held} is held", port=task.port, held=held)))
    width = max(9, 1 + max(len(name) for name, _ in rows))
    lines = [f"{name:<{width}}{value}" for name, value in rows]
    own = [text for text in plan.warnings if str(task.task) in text or text.startswith(task.node)]
    return "\n".join([*lines, *(f"\n! {text}" for text in own)])


def _lines(environment: Mapping[str, str]) -> list[str]:
    return [
        f"{name}={HIDDEN if is_secret(name) else shlex.quote(masked(value))}"
        for name, value in environment.items()
    ]


def _all_environments(profile: Profile, plan: Plan) -> str:
    own = ("TF_CONFIG", "CUDA_VISIBLE_DEVICES")
    first = plan.tasks[0].environment
    common = {name: value for name, value in first.items() if name not in own}
    each = [f"{t.task}: CUDA_VISIBLE_DEVICES={t.environment[own[1]]}" for t in plan.tasks]
    return "\n".join([*_lines(common), _ON_NODE, "", *each])


def _setup(profile: Profile) -> str:
    return "".join(f"{masked(line)}\n" for line in profile.environment.setup)
