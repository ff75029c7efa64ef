"""The commands that need the nodes: check, run, attach, stop."""

from __future__ import annotations

from remote.cli import jsonlines
from remote.cli.environment import FAILED, GOOD, STOPPED, Environment, Watched
from remote.cli.finding import find_run, show_ended
from remote.cli.text import error_text, facts_text, plain
from remote.cli.view import JsonView
from remote.cli.watch import leave, print_summary, watch
from remote.errors import ClewError, DataError, PlanError
from remote.plan import Plan
from remote.session import ClusterSession, RunHandle
from trainer.spec import TrainingSpec


def check(env: Environment) -> int:
    """Connect to all nodes, say what they have and where the tasks would run."""
    profile = env.profile()
    env.show_for(profile.training)
    session = env.session(profile, str(env.arguments.profile))
    if not env.connect(session):
        return STOPPED
    env.view.close()
    bad = env.tell_bad_nodes(session)
    reasons, plan = [f"{n.node}: {n.detail or n.state}" for n in bad], None
    files = _check_files(env, session)
    if not bad:
        try:
            plan = session.plan()
        except PlanError as error:
            reasons.append(error_text(error))
    reason = "; ".join(reasons + files)
    if isinstance(env.view, JsonView):
        _check_objects(env.view, session, plan, reason)
    else:
        told = files if bad else reasons + files
        _check_words(session, plan, "\n".join(told), env)
    return FAILED if reason else GOOD


def _check_files(env: Environment, session: ClusterSession) -> list[str]:
    """What is wrong with the data set and the code on this computer, as a launch would find it."""
    try:
        for note in session.check_files(lambda: env.interrupts.count > 0):
            env.view.say(f"Warning: {note}")
    except DataError as error:
        return [error_text(error)]
    return []


def _check_objects(view: JsonView, session: ClusterSession, plan: Plan | None, reason: str) -> None:
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
    for text in plan.warnings if plan else ():
        view.write({"type": "notice", "level": "warning", "text": text})
    nodes = session.node_updates().values()
    ready = sum(node.state == "ready" for node in nodes)
    state = "failed" if reason else "finished"
    data: jsonlines.Object = {"type": "result", "state": state, "ready": ready}
    data["nodes"] = len(nodes)
    view.write(data | ({"reason": reason} if reason else {}))


def _check_words(session: ClusterSession, plan: Plan | None, reason: str, env: Environment) -> None:
    for node in session.node_updates().values():
        facts = node.facts
        known = facts is not None and node.state in ("ready", "unusable")
        has = f"  {facts_text(facts)}" if facts is not None and known else ""
        print(plain(f"{node.node}  {node.state}{has}"))
    if plan is not None:
        print(plan.describe())
        for text in plan.warnings:
            env.view.say(f"Warning: {text}")
    if reason:
        env.view.say(reason)


def run(env: Environment) -> int:
    """Launch, and watch the run to its end (or until its tasks are started)."""
    profile = env.profile()
    env.show_for(profile.training)
    session = env.session(profile, str(env.arguments.profile))
    return launch(env, session, profile.training)


def launch(env: Environment, session: ClusterSession, training: TrainingSpec) -> int:
    """Wait for the nodes, launch, watch."""
    if not env.connect(session):
        return STOPPED
    bad = env.tell_bad_nodes(session)
    if bad:
        raise ClewError(
            "not all nodes can train: " + "; ".join(f"{n.node}: {n.detail or n.state}" for n in bad)
            if env.json
            else f"{len(bad)} of {len(session.node_updates())} nodes cannot train",
            remedy="Nothing was started.",
        )
    handle = session.launch(training, name=getattr(env.arguments, "name", ""))
    if getattr(env.arguments, "detach", False):
        return _detach(env, handle)
    return watch(env, handle, stop_on_interrupt=True)


def _detach(env: Environment, handle: RunHandle) -> int:
    """Return when every task is started."""
    env.watched = Watched(handle)
    env.pump(lambda: handle.started or handle.result is not None)
    if env.interrupts.count or handle.result is not None:
        return watch(env, handle, stop_on_interrupt=True)
    env.view.close()
    if isinstance(env.view, JsonView):
        env.view.write(jsonlines.standing(handle.run_id, handle.state))
    else:
        print(handle.run_id)
        env.view.say(f"It goes on by itself. Watch it: clew attach {handle.run_id}.")
    return GOOD


def attach(env: Environment) -> int:
    """Watch a run that was started earlier."""
    record, session = find_run(env)
    if session is None:
        return show_ended(env, record)
    if not env.connect(session):
        return STOPPED
    return watch(env, session.attach(record.run_id), stop_on_interrupt=False)


def stop(env: Environment) -> int:
    """Stop a run; 0 when nothing of it is left."""
    record, session = find_run(env)
    if session is None:
        env.view.say(f"Run {record.run_id} has ended already: {record.state}.")
        return show_ended(env, record, quiet=True)
    if not env.connect(session):
        return STOPPED
    handle = session.attach(record.run_id)
    handle.stop()
    env.watched = Watched(handle)
    env.watched.stop_asked = True
    if not env.pump(lambda: handle.result is not None):
        env.view.close()
        return leave(env, env.watched)
    result = handle.result
    assert result is not None
    env.view.close()
    if not env.json:
        print_summary(result)
    return FAILED if result.left_behind else GOOD
