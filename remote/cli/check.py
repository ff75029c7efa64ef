"""``clew check``: connect, look closely, dial between the nodes, and say what to do."""

from __future__ import annotations

import sys
import time

from remote.checks import CheckEnd, Finding, HelloDevice, Pair
from remote.cli.environment import FAILED, GOOD, STOPPED, WRONG_INPUT, Environment
from remote.cli.jsonlines import Object
from remote.cli.matrix import matrix_lines
from remote.cli.text import facts_text, plain
from remote.cli.view import JsonView
from remote.errors import PlanError, sentence
from remote.plan import Plan
from remote.session import ClusterSession
from remote.updates import Update
from remote.wording import few, grouped

_CANCEL_S = 5.0
MOST_IN_MATRIX = 16
INPUT_TOPICS = {"plan", "data"}
"""What is wrong there is wrong in the profile, whatever the nodes are like."""


class Told:
    """What a check has told so far, as far as it is shown at its end."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.pairs: dict[tuple[str, str, str], Pair] = {}
        self.devices: list[HelloDevice] = []

    def take(self, update: Update) -> None:
        if isinstance(update, Finding):
            self.findings.append(update)
        elif isinstance(update, Pair):
            self.pairs[update.source, update.target, update.task] = update
        elif isinstance(update, HelloDevice):
            self.devices.append(update)


def check(env: Environment) -> int:
    """Say what the nodes have, where the tasks would run, and everything that is in the way."""
    profile = env.profile()
    env.show_for(profile.training)
    session = env.session(profile, str(env.arguments.profile))
    if not env.connect(session):
        return STOPPED
    told = Told()
    env.on_update = told.take
    handle = session.check(hello=env.arguments.hello)
    if not env.pump(lambda: handle.end is not None):
        handle.cancel()
        handle.wait(_CANCEL_S)
        return STOPPED
    env.view.close()
    end = handle.end
    assert end is not None
    try:
        plan = session.plan()
    except PlanError:
        plan = None  # a finding says why
    if isinstance(env.view, JsonView):
        _tell_objects(env.view, session, plan, end)
    else:
        _tell_words(env, session, plan, told, end)
    if not end.problems:
        return GOOD
    topics = {one.topic for one in told.findings if one.level == "problem"}
    return WRONG_INPUT if topics <= INPUT_TOPICS else FAILED


def _tell_objects(
    view: JsonView, session: ClusterSession, plan: Plan | None, end: CheckEnd
) -> None:
    for planned in plan.tasks if plan else ():
        view.write(
            {
                "type": "task",
                "task": str(planned.task),
                "node": planned.node,
                "address": planned.target,
                "gpus": [gpu.uuid for gpu in planned.gpus],
                "state": "pending",
            }
        )
    nodes = session.node_updates().values()
    data: Object = {
        "type": "result",
        "state": "failed" if end.problems else "finished",
        "ready": sum(node.state == "ready" for node in nodes),
        "nodes": len(nodes),
        "problems": end.problems,
        "warnings": end.warnings,
    }
    view.write(data | ({"reason": end.reason} if end.reason else {}))


def _tell_words(
    env: Environment, session: ClusterSession, plan: Plan | None, told: Told, end: CheckEnd
) -> None:
    everything = bool(env.arguments.all)
    for node in session.node_updates().values():
        known = node.facts is not None and node.state in ("ready", "unusable")
        has = f"  {facts_text(node.facts)}" if known and node.facts is not None else ""
        print(plain(f"{node.node}  {node.state}{has}"))
        well = [f for f in told.findings if f.node == node.node and f.level == "ok"]
        _tell_well(well if everything else [])
    _tell_well([f for f in told.findings if not f.node and f.level == "ok"])
    if told.pairs and len(session.nodes) <= MOST_IN_MATRIX:
        for line in matrix_lines(list(session.nodes), list(told.pairs.values())):
            print(plain(line))
    for device in told.devices:
        print(plain(f"{device.node}  {device.device} ({device.name}): {device.text}"))
    if plan is not None:
        print(plan.describe())
    sys.stdout.flush()  # what follows goes to standard error
    for one in grouped(f for f in told.findings if f.level != "ok"):
        mark = "Problem" if one.finding.level == "problem" else "Warning"
        named = len(one.nodes) == 1 and one.finding.what.startswith(one.nodes[0])
        where = f"{few(one.nodes)}: " if one.nodes and not named else ""
        env.view.say(f"{mark}: {where}{sentence(one.finding.what, one.finding.remedy)}")
    print(_verdict(end))


def _tell_well(findings: list[Finding]) -> None:
    for one in findings:
        print(plain(f"  ok  {one.topic}: {one.what}"))


def _verdict(end: CheckEnd) -> str:
    counted = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((end.problems, "problem"), (end.warnings, "warning"))
        if count
    ]
    what = " and ".join(counted) or "nothing is in the way"
    took = f" in {end.seconds:.1f} s" if end.seconds >= 0.1 else ""  # else nothing was looked at
    return f"Checked at {time.strftime('%H:%M:%S')}{took}: {what}."
