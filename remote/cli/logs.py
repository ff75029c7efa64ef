"""``clew logs``: what the tasks of a run wrote, one by one or merged by time."""

from __future__ import annotations

import re
import sys
import time

from remote.cli.environment import FAILED, GOOD, STOPPED, WRONG_INPUT, Environment, settled
from remote.cli.finding import find_run, learn_tasks
from remote.cli.jsonlines import Object
from remote.cli.jsonlines import cause as cause_object
from remote.cli.loglines import LinePrinter, Wanted
from remote.cli.text import plain
from remote.cli.view import JsonView
from remote.cli.watch import cause_rows
from remote.errors import UnknownRun
from remote.history import RunRecord
from remote.logs import LogRow, TaskLog, merged
from remote.logs.merged import merge_key
from remote.session import ClusterSession, RunHandle
from remote.session.recorded_logs import recorded_log
from remote.updates import Cause, CauseUpdate, LogUpdate, NoticeUpdate, TaskUpdate, Update
from trainer.spec import TaskId

HOLD_S = 1.0
"""Merged lines wait so long for others that were written before them."""
_QUIET_S = 1.5
_CATCH_UP_S = 20.0


def logs(env: Environment) -> int:
    """Show the logs; of a run that goes on, what its nodes have."""
    arguments = env.arguments
    try:
        pattern = re.compile(arguments.grep) if arguments.grep else None
    except re.error as error:
        env.view.say(f"--grep {arguments.grep}: not a regular expression: {error}.")
        return WRONG_INPUT
    record, session = find_run(env)
    if session is not None and not env.history.tasks(record.run_id):
        if not env.connect(session):
            return STOPPED
        learn_tasks(session, record.run_id)
    tasks = chosen_tasks(env, record.run_id)
    if session is not None and not tasks:
        env.view.say(f"Run {record.run_id} has no task yet, and no logs.")
        return GOOD
    if arguments.raw and len(tasks) != 1:
        env.view.say(f"--raw shows one task; name it: {', '.join(map(str, tasks))}.")
        return WRONG_INPUT
    printer = LinePrinter(
        Wanted(arguments.level or "debug", pattern),
        prefix=arguments.merged or (arguments.follow and len(tasks) > 1),
        run_id=record.run_id,
        write_object=env.view.write if isinstance(env.view, JsonView) else None,
    )
    if session is None:
        _show_recorded(env, record.run_id, tasks, printer)
        return _end(env, record, record.result.cause if record.result else None, printer)
    return _Reading(env, session, record, tasks, printer).run()


def chosen_tasks(env: Environment, run_id: str) -> list[TaskId]:
    """The tasks that the arguments name; a role stands for all its tasks. Raises UnknownRun."""
    known = [record.task for record in env.history.tasks(run_id)]
    found: list[TaskId] = []
    for name in env.arguments.task:
        named = [task for task in known if name in (str(task), task.role)]
        if not named:
            what = f"run {run_id} has no task {name}"
            raise UnknownRun(what, remedy=f"It has {', '.join(map(str, known)) or 'none'}.")
        found += [task for task in named if task not in found]
    return found or known


def _show_recorded(
    env: Environment, run_id: str, tasks: list[TaskId], printer: LinePrinter
) -> None:
    if env.arguments.raw:
        _raw(env, run_id, tasks[0])
        return
    logs = [recorded_log(env.history, run_id, task) for task in tasks]
    if env.arguments.merged:
        printer.show(merged(log.all() for log in logs))
        return
    for log in logs:
        if len(logs) > 1:
            printer.heading(str(log.task))
        printer.show(log.all())


def _raw(env: Environment, run_id: str, task: TaskId) -> None:
    """The bytes as they were written."""
    sys.stdout.flush()
    sys.stdout.buffer.write(env.history.log_bytes(run_id, task)[1])
    sys.stdout.buffer.flush()


def _end(env: Environment, record: RunRecord, cause: Cause | None, printer: LinePrinter) -> int:
    """Why the run failed, after its logs."""
    if isinstance(env.view, JsonView):
        data: Object = {"type": "result", "run": record.run_id, "state": record.state}
        data |= {"lines": printer.count, "cause": cause_object(cause) if cause else None}
        env.view.write(data)
    elif cause is not None and not env.arguments.raw:
        env.view.say(f"\nFirst failure: {cause.text}" if cause.found else f"\n{cause.text}")
        for label, text in cause_rows(record.run_id, cause):
            if label != "log":
                env.view.say(f"  {label:<8}  {text}")
    return GOOD


class _Reading:
    """The logs of a run that goes on: what is on record, then what its nodes have to add."""

    def __init__(
        self,
        env: Environment,
        session: ClusterSession,
        record: RunRecord,
        tasks: list[TaskId],
        printer: LinePrinter,
    ) -> None:
        self._env = env
        self._session = session
        self._record = record
        self._logs = {task: TaskLog(task, limit=None) for task in tasks}
        self._printer = printer
        self._held: list[LogRow] = []
        self._heard: set[TaskId] = set()
        self._newest = time.monotonic()
        self._cause: Cause | None = None

    def run(self) -> int:
        env, follow = self._env, self._env.arguments.follow
        while not settled(self._session):  # without a word: standard output is for the logs
            for _ in env.drain():
                continue
            if env.interrupts.count:
                return STOPPED
        bad = env.tell_bad_nodes(self._session)
        handle = self._session.attach(self._record.run_id)
        deadline = time.monotonic() + _CATCH_UP_S
        while handle.result is None and not env.interrupts.count:
            self._take()
            if follow:
                self._release(time.time() - HOLD_S)
            elif self._caught_up({node.node for node in bad}) or time.monotonic() > deadline:
                break
        for update in self._rest(handle):
            self._update(update)
        if not follow:
            self._print_all()
        self._release(float("inf"))
        _end(env, self._record, self._cause, self._printer)
        return FAILED if bad else STOPPED if follow and handle.result is None else GOOD

    def _take(self) -> None:
        for update in self._env.drain():
            self._update(update)

    def _rest(self, handle: RunHandle) -> list[Update]:
        found = list(self._env.drain())
        if handle.result is not None:
            self._cause = handle.result.cause
            self._record = self._env.history.find(self._record.run_id)
        return found

    def _update(self, update: Update) -> None:
        if isinstance(update, CauseUpdate):
            self._cause = update.cause
        elif isinstance(update, TaskUpdate) and update.last_heard is not None:
            self._heard.add(update.task)
        elif isinstance(update, NoticeUpdate) and self._env.arguments.follow:
            self._env.view.say(plain(update.text))
        elif isinstance(update, LogUpdate) and update.task in self._logs:
            self._newest = time.monotonic()
            self._read(update)

    def _read(self, update: LogUpdate) -> None:
        rows = self._logs[update.task].feed(
            update.text, update.read_at, shift_s=update.shift_s, begun=update.begun
        )
        if self._env.arguments.follow:
            self._held += rows

    def _caught_up(self, silent: set[str]) -> bool:
        tasks = self._env.history.tasks(self._record.run_id)
        heard = all(t.task in self._heard or t.node in silent for t in tasks)
        return heard and time.monotonic() - self._newest > _QUIET_S

    def _release(self, until: float) -> None:
        """Show what nothing older can come before any more; of one task all there is."""
        if len(self._logs) == 1:
            until = float("inf")
        self._held.sort(key=merge_key)
        ready = [row for row in self._held if (row.t or 0.0) <= until]
        self._held = self._held[len(ready) :]
        if ready:
            self._printer.show(ready)

    def _print_all(self) -> None:
        if self._env.arguments.raw:
            _raw(self._env, self._record.run_id, next(iter(self._logs)))
        elif self._env.arguments.merged:
            self._printer.show(merged(log.all() for log in self._logs.values()))
        else:
            for log in self._logs.values():
                if len(self._logs) > 1:
                    self._printer.heading(str(log.task))
                self._printer.show(log.all())
