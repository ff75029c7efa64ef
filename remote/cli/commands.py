"""The commands that need the nodes: run, attach, stop."""

from __future__ import annotations

from remote.cli import jsonlines
from remote.cli.environment import FAILED, GOOD, STOPPED, Environment, Watched
from remote.cli.finding import find_run, show_ended
from remote.cli.view import JsonView
from remote.cli.watch import leave, print_summary, watch
from remote.errors import ClewError
from remote.session import ClusterSession, RunHandle
from trainer.spec import TrainingSpec


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
