"""The commands that need the nodes: check, run, attach, stop, status."""

from __future__ import annotations

import json

from remote.cli import jsonlines
from remote.cli.environment import FAILED, GOOD, STOPPED, Environment
from remote.cli.text import error_text, facts_text, moment, plain
from remote.cli.view import JsonView
from remote.cli.watch import print_summary, watch
from remote.errors import ClewError, HistoryError, PlanError
from remote.history import RunRecord, is_run_id
from remote.plan import Plan
from remote.session import ClusterSession, RunHandle
from remote.updates import END_STATES, ResultUpdate, RunUpdate
from trainer.spec import TrainingSpec, from_json


def check(env: Environment) -> int:
    """Connect to all nodes, say what they have and where the tasks would run."""
    profile = env.profile()
    env.show_for(profile.training)
    session = env.session(profile, str(env.arguments.profile))
    if not env.connect(session):
        return STOPPED
    env.view.close()
    bad = env.tell_bad_nodes(session)
    reason, plan = "", None
    if bad:
        reason = "; ".join(f"{n.node}: {n.detail or n.state}" for n in bad)
    else:
        try:
            plan = session.plan()
        except PlanError as error:
            reason = error_text(error)
    if isinstance(env.view, JsonView):
        _check_objects(env.view, session, plan, reason)
    else:
        _check_words(session, plan, "" if bad else reason, env)
    return FAILED if reason else GOOD


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
    env.pump(lambda: handle.started or handle.result is not None)
    if env.interrupts.count or handle.result is not None:
        return watch(env, handle, stop_on_interrupt=True)
    env.view.close()
    if not isinstance(env.view, JsonView):
        print(handle.run_id)
        env.view.say(f"It goes on by itself. Watch it: clew attach {handle.run_id}.")
    return GOOD


def attach(env: Environment) -> int:
    """Watch a run that was started earlier."""
    record, session = _find(env)
    if session is None:
        return _show_ended(env, record)
    if not env.connect(session):
        return STOPPED
    return watch(env, session.attach(record.run_id), stop_on_interrupt=False)


def stop(env: Environment) -> int:
    """Stop a run; 0 when nothing of it is left."""
    record, session = _find(env)
    if session is None:
        env.view.say(f"Run {record.run_id} has ended already: {record.state}.")
        return _show_ended(env, record, quiet=True)
    if not env.connect(session):
        return STOPPED
    handle = session.attach(record.run_id)
    handle.stop()
    if not env.pump(lambda: handle.result is not None):
        return STOPPED
    result = handle.result
    assert result is not None
    env.view.close()
    if not env.json:
        print_summary(result)
    return FAILED if result.left_behind else GOOD


def status(env: Environment) -> int:
    """How a run stands: by its result, or as its nodes say."""
    record, session = _find(env)
    if session is None:
        return _show_ended(env, record)
    if not env.connect(session):
        return STOPPED
    env.view.close()
    bad = env.tell_bad_nodes(session)
    found = next((f for f in session.runs() if f.run_id == record.run_id), None)
    tasks = {t.task: t.update(record.run_id) for t in (found.tasks if found else ())}
    silent = {node.node for node in bad if node.state == "unreachable"}
    state = found.state if found is not None else record.state
    view = env.view
    if isinstance(view, JsonView):
        view.update(RunUpdate(run_id=record.run_id, state=state))
    else:
        print(plain(f"{record.run_id}  {record.name}  {state}  since {moment(record.started_at)}"))
    for known in env.history.tasks(record.run_id):
        update = tasks.get(known.task)
        if isinstance(view, JsonView):
            if update is not None:
                view.update(update)
        else:
            where = "unknown: its node does not answer" if known.node in silent else "no record"
            words = f"{update.state} {update.detail}".strip() if update is not None else where
            print(plain(f"  {known.task}  {known.node}  {words}"))
    return FAILED if state == "failed" or silent else GOOD


def _find(env: Environment) -> tuple[RunRecord, ClusterSession | None]:
    """The run, and a session that begins to connect if the run has not ended."""
    text = env.arguments.run
    try:
        record = env.history.find(text)
    except HistoryError:
        if env.arguments.profile is None or not is_run_id(text):
            raise
        return _adopt(env, text)
    env.show_for(_training(record))
    if record.state in END_STATES and record.result is not None:
        return record, None
    return record, env.session(env.profile_of(record), record.profile_path)


def _adopt(env: Environment, run_id: str) -> tuple[RunRecord, ClusterSession]:
    """A run that only its nodes know."""
    session = env.session(env.profile_of(RunRecord(run_id=run_id, name="", started_at=0.0)))
    env.connect(session)
    found = next((f for f in session.runs() if f.run_id == run_id), None)
    if found is None:
        raise ClewError(
            f"no connected node has a run {run_id} on record",
            remedy="Check the id and the profile.",
        )
    session.adopt(found)
    return env.history.find(run_id), session


def _show_ended(env: Environment, record: RunRecord, *, quiet: bool = False) -> int:
    result: ResultUpdate | None = record.result
    assert result is not None
    if isinstance(env.view, JsonView):
        env.view.update(RunUpdate(run_id=record.run_id, state=record.state))
        env.view.update(result)
    elif not quiet:
        print_summary(result)
    if env.arguments.command == "stop":
        return GOOD
    return FAILED if result.state == "failed" else GOOD


def _training(record: RunRecord) -> TrainingSpec | None:

    try:
        return from_json(TrainingSpec, json.loads(record.training))
    except ValueError:
        return None
