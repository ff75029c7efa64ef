"""The run that a command is about, from the history or from the nodes."""

from __future__ import annotations

import json

from remote.cli.environment import FAILED, GOOD, Environment
from remote.cli.view import JsonView
from remote.cli.watch import print_summary
from remote.errors import UnknownRun
from remote.history import RunRecord, is_run_id
from remote.profile import load
from remote.session import ClusterSession
from remote.updates import END_STATES, ResultUpdate, RunUpdate
from trainer.spec import TrainingSpec, from_json


def find_run(env: Environment) -> tuple[RunRecord, ClusterSession | None]:
    """The run, and a session that begins to connect if the run has not ended.

    A run that has ended, but left something on its nodes, can still be stopped there.
    """
    text = env.arguments.run
    if env.arguments.profile is not None:
        load(env.arguments.profile)  # a wrong one is told, even where it is not needed
    try:
        record = env.history.find(text)
    except UnknownRun:
        if env.arguments.profile is None or not is_run_id(text):
            raise
        return _adopt(env, text)
    env.show_for(training_of(record))
    if record.state in END_STATES and record.result is not None:
        orders = env.history.stop_orders.of_run(record.run_id)
        waiting = orders or env.history.gaps.of_run(record.run_id)
        if env.arguments.command == "stop" and (record.result.left_behind or waiting):
            return record, env.session(env.profile_of(record), record.profile_path)
        if waiting:  # whoever asks for the run reaches its nodes, which is what waits for them
            env.connect(env.session(env.profile_of(record), record.profile_path))
            return env.history.find(record.run_id), None
        return record, None
    return record, env.session(env.profile_of(record), record.profile_path)


def _adopt(env: Environment, run_id: str) -> tuple[RunRecord, ClusterSession]:
    """A run that only its nodes know."""
    session = env.session(env.profile_of(RunRecord(run_id=run_id, name="", started_at=0.0)))
    env.connect(session)
    found = next((f for f in session.runs() if f.run_id == run_id), None)
    if found is None:
        raise UnknownRun(
            f"no connected node has a run {run_id} on record",
            remedy="Check the id and the profile.",
        )
    session.adopt(found)
    return env.history.find(run_id), session


def show_ended(env: Environment, record: RunRecord, *, quiet: bool = False) -> int:
    """The result of a run that has ended."""
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


def training_of(record: RunRecord) -> TrainingSpec | None:
    """What was trained; None: the history has it in a form that this Clew does not know."""
    try:
        return from_json(TrainingSpec, json.loads(record.training))
    except ValueError:
        return None
