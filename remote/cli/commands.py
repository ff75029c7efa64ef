"""The commands that need the nodes: run, attach, stop."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue

from remote.cli import jsonlines
from remote.cli.environment import FAILED, GOOD, STOPPED, Environment, Watched
from remote.cli.finding import find_run, show_ended
from remote.cli.view import HumanView, JsonView, View
from remote.cli.watch import leave, print_summary, watch
from remote.cli.withdraw import withdraw_orders
from remote.errors import ClewError, PlanError
from remote.history import RunRecord
from remote.session import ClusterSession, RunHandle, claim, stop_leftovers
from remote.updates import NodeUpdate, ResultUpdate, RunUpdate, StopDepth
from trainer.spec import TrainingSpec

HINT_AFTER_S = 15.0
"""A stop that takes longer is told how it can be raised."""


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
        wrong = PlanError if all(map(_asks_too_much, bad)) else ClewError
        raise wrong(
            "not all nodes can train: " + "; ".join(f"{n.node}: {n.detail or n.state}" for n in bad)
            if env.json
            else f"{len(bad)} of {len(session.node_updates())} nodes cannot train",
            remedy="Nothing was started.",
        )
    handle = session.launch(training, name=getattr(env.arguments, "name", ""))
    if getattr(env.arguments, "detach", False):
        return _detach(env, handle)
    return watch(env, handle, stop_on_interrupt=True)


def _asks_too_much(node: NodeUpdate) -> bool:
    """Whether only what the profile wants of a node is in the way."""
    fatal = [p for p in node.facts.problems if p.fatal] if node.facts is not None else []
    return node.state == "unusable" and bool(fatal) and all(p.asked for p in fatal)


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
        env.view.say(_left_words(env.view, handle.run_id))
    return GOOD


def _left_words(view: View, run_id: str) -> str:
    queue = view.progress.queue if isinstance(view, HumanView) else None
    if queue is not None and queue.will_start is False:
        return f"It does not start by itself: {queue.words}. To take it back: clew stop {run_id}."
    return f"It goes on by itself. Watch it: clew attach {run_id}."


def attach(env: Environment) -> int:
    """Watch a run that was started earlier."""
    record, session = find_run(env)
    if session is None:
        return show_ended(env, record)
    if not env.connect(session):
        return STOPPED
    return watch(env, session.attach(record.run_id), stop_on_interrupt=False)


def stop(env: Environment) -> int:
    """Stop a run, as deep as the arguments say; 0 when nothing of it is left."""
    if env.arguments.withdraw:
        return withdraw_orders(env)
    depth: StopDepth = env.arguments.depth
    record, session = find_run(env)
    # What an earlier stop has left to do is to go as deep.
    env.history.stop_orders.deepen(record.run_id, depth)
    if session is None:
        env.view.say(f"Run {record.run_id} has ended already: {record.state}.")
        return show_ended(env, record, quiet=True)
    if not env.connect(session, orders=False):
        return STOPPED
    if record.result is not None:
        return _stop_leftovers(env, session, record, depth)
    holder = claim(session, record.run_id, take=env.arguments.take_control)
    if holder:
        raise ClewError(
            f"run {record.run_id} is controlled from {holder}",
            remedy=f"Stop it there, or here: clew stop {record.run_id} --take-control",
        )
    handle = session.attach(record.run_id)
    handle.stop(depth)
    env.watched = Watched(handle)
    env.watched.stop_asked = True
    if not _pump_stop(env, handle, depth):
        env.view.close()
        return leave(env, env.watched)
    result = handle.result
    assert result is not None
    return _show_stopped(env, result)


def _pump_stop(env: Environment, handle: RunHandle, depth: StopDepth) -> bool:
    """Until the run has ended; says how not to wait for it, once that takes long."""
    hint_at = time.monotonic() + HINT_AFTER_S
    deeper = {"checkpoint": "--now", "now": "--force"}.get(depth)

    def ended() -> bool:
        nonlocal deeper
        if deeper and time.monotonic() >= hint_at and handle.result is None:
            env.view.say(
                f"It takes long. Ctrl-C, then clew stop {handle.run_id} {deeper}, is faster."
            )
            deeper = None
        return handle.result is not None

    return env.pump(ended)


def _stop_leftovers(
    env: Environment, session: ClusterSession, record: RunRecord, depth: StopDepth
) -> int:
    """Stop again where an earlier stop did not reach; Ctrl-C does not wait for the end of it."""
    outcome: SimpleQueue[ResultUpdate | ClewError] = SimpleQueue()

    def work() -> None:
        try:
            outcome.put(stop_leftovers(session, record, depth))
        except ClewError as error:
            outcome.put(error)

    threading.Thread(target=work, name="clew-stop-leftovers", daemon=True).start()
    if not env.pump(lambda: not outcome.empty()):
        env.view.close()
        env.view.say(f"Run {record.run_id} may not be stopped everywhere: clew stop it again.")
        return STOPPED
    result = outcome.get()
    if isinstance(result, ClewError):
        raise result
    env.view.update(RunUpdate(run_id=record.run_id, state=result.state, detail=result.reason))
    env.view.update(result)
    return _show_stopped(env, result)


def _show_stopped(env: Environment, result: ResultUpdate) -> int:
    env.view.close()
    if not env.json:
        print_summary(result)
    return FAILED if result.left_behind else GOOD
