"""``clew status``: how a run stands, as its nodes say."""

from __future__ import annotations

import time

from remote.cli.environment import FAILED, GOOD, STOPPED, Environment
from remote.cli.finding import find_run, show_ended, training_of
from remote.cli.jsonlines import standing
from remote.cli.progress import total_steps
from remote.cli.text import clock, moment, number, plain, seconds, state_text
from remote.cli.view import JsonView
from remote.errors import HistoryError
from remote.history import RunRecord
from remote.session import FoundRun
from remote.session.attaching import known_tasks
from remote.session.tasks import Task
from remote.updates import RunUpdate
from remote.wording import few, waits_words
from trainer.spec import TaskId


def status(env: Environment) -> int:
    """How a run stands: by its result, or as its nodes say."""
    record, session = find_run(env)
    if session is None:
        status = show_ended(env, record)
        if not env.json:
            _waiting_words(env, record.run_id)
        return status
    if not env.connect(session):
        return STOPPED
    env.view.close()
    bad = env.tell_bad_nodes(session)
    found = next((f for f in session.runs() if f.run_id == record.run_id), None)
    silent = {node.node for node in bad if node.state == "unreachable"}
    if isinstance(env.view, JsonView):
        _objects(env, env.view, record, found, silent)
    else:
        _words(env, record, found, silent)
    if found is not None and found.state == "training":
        _remember(env, record)
    failed = found is not None and found.state == "failed"
    return FAILED if failed or silent else GOOD


def _objects(
    env: Environment,
    view: JsonView,
    record: RunRecord,
    found: FoundRun | None,
    silent: set[str],
) -> None:
    state = found.state if found is not None else record.state
    view.update(RunUpdate(run_id=record.run_id, state=state))
    told = {task.task: task for task in (found.tasks if found else ())}
    heard = env.history.last_heard(record.run_id)
    for known in known_tasks(env.history, record.run_id):
        task = told.pop(known.task, known)
        if task is known and known.node in silent:
            known.last_heard = heard.get(known.task)
            known.unknown_since = known.last_heard or record.started_at
        view.update(task.update(record.run_id))
    for task in told.values():
        view.update(task.update(record.run_id))
    evals = env.history.evals(record.run_id)
    data = standing(record.run_id, state)
    if found is not None and found.last is not None:
        data |= {"global_step": found.last.step, "final_loss": found.last.loss}
        data["last_step_at"] = found.last.at
    if silent:
        data["reason"] = f"no answer from {', '.join(sorted(silent))}"
    view.write(data | {"accuracy": evals[-1].accuracy if evals else None})


def _words(env: Environment, record: RunRecord, found: FoundRun | None, silent: set[str]) -> None:
    state = found.state if found is not None else state_text(record)
    print(plain(f"{record.run_id}  {record.name}  {state}  since {moment(record.started_at)}"))
    if found is not None and found.last is not None:
        print("  " + _last_step(record, found))
    tasks: dict[TaskId, Task] = {task.task: task for task in (found.tasks if found else ())}
    heard = env.history.last_heard(record.run_id)
    orders = {o.node for o in env.history.stop_orders.of_run(record.run_id)}
    for known in env.history.tasks(record.run_id):
        task = tasks.get(known.task)
        where = "no record"
        if known.node in silent:
            since = clock(heard.get(known.task) or record.started_at)
            where = f"unknown since {since}: its node does not answer"
            if known.node in orders:
                where = f"unknown since {since}: stops when {known.node} is heard again"
        words = f"{task.state} {task.detail}".strip() if task is not None else where
        print(plain(f"  {known.task}  {known.node}  {words}"))


def _waiting_words(env: Environment, run_id: str) -> None:
    """Of a run that has ended: what waits for nodes that are away."""
    orders = [order.node for order in env.history.stop_orders.of_run(run_id)]
    gaps = [gap.node for gap in env.history.gaps.of_run(run_id)]
    if orders:
        print(plain(f"It {waits_words(orders)}."))
    if gaps:
        print(plain(f"Its last lines may be missing here: {few(gaps)} has them."))
    if orders or gaps:
        print(plain(f"Gone for good? clew stop {run_id} --withdraw NODE"))


def _last_step(record: RunRecord, found: FoundRun) -> str:
    """``step 1,200/2,000  loss 0.12  1.5 s ago``."""
    last = found.last
    assert last is not None
    said = (task.total_steps for task in found.tasks if task.total_steps)
    total = total_steps(training_of(record)) or next(said, None)
    of_total = f"/{total:,}" if total else ""
    age = seconds(max(0.0, time.time() - last.at))
    return f"step {last.step:,}{of_total}  loss {number(last.loss)}  {age} ago"


def _remember(env: Environment, record: RunRecord) -> None:
    """The history's state is what was seen last."""
    try:
        env.history.set_state(record.run_id, "training")
    except HistoryError as error:
        env.view.say(str(error))
