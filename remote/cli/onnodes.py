"""``clew runs PROFILE``: what the nodes have on record, whoever started it."""

from __future__ import annotations

from remote.cli.environment import FAILED, GOOD, STOPPED, Environment
from remote.cli.listing import print_table, run_object
from remote.cli.view import JsonView
from remote.history import RunRecord
from remote.profile import load
from remote.session import FoundRun


def runs_on_nodes(env: Environment) -> int:
    """List the runs of the nodes of a profile, newest first; they are known here from then on."""
    path = env.arguments.profile
    session = env.session(load(path).profile, str(path))
    if not env.connect(session):
        return STOPPED
    env.view.close()
    bad = env.tell_bad_nodes(session)
    found = session.runs()
    for run in found:
        session.adopt(run)
    shown = found[: env.arguments.limit or None]
    records = [_record(env, run) for run in shown]
    if isinstance(env.view, JsonView):
        for run, record in zip(shown, records, strict=True):
            env.view.write(run_object(record) | {"alive": run.alive})
        env.view.write({"type": "result", "state": "ok", "runs": len(records)})
    elif records:
        print_table(records, just_asked=not bad)
    else:
        print("No run is on record there.")
    return FAILED if any(node.state == "unreachable" for node in bad) else GOOD


def _record(env: Environment, run: FoundRun) -> RunRecord:
    """As the history has it; its state as the nodes say while it has no result there."""
    known = env.history.run(run.run_id)
    assert known is not None
    if known.result is not None:
        return known
    values = {"run_id": known.run_id, "name": known.name, "started_at": known.started_at}
    return RunRecord(profile_path=known.profile_path, state=run.state, **values)  # type: ignore[arg-type]
