"""The ps: holds variables until every worker is done, then ends by itself."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

from trainer.engine.board import Board
from trainer.engine.departures import CHIEF_SAVED, CHIEF_SEEN, STRAGGLERS_S, Departures, Word
from trainer.events import Finished, Notice
from trainer.failures import StopRequested, Unavailable
from trainer.roles.averager import Averager
from trainer.roles.chief_watch import ChiefWatch
from trainer.roles.context import Context
from trainer.runtime import open_session

POLL_S = 0.25
REPLY_S = 0.5
"""Time for the last reply to leave before the process ends."""
LATE_S = 10.0
"""How long a ps that comes back after the end stays for workers that have not heard of it."""
FAILURE_SHOWN_S = 3.0
"""How long the chief's failure stays on the board for workers that wait."""
SAVE_S = 5.0
"""How long a stopped ps stays for the chief to read the variables for a last checkpoint."""
MOST_SAVE_S = 60.0
"""The same where the run is to end after a checkpoint, however long that takes to write."""


def run_ps(context: Context) -> None:
    """Serve until all workers are done. Raises ``StopRequested`` and ``TaskFailure``."""
    started = time.monotonic()
    index = context.spec.task.index
    board = Board(context.spec.run_id, [index])
    departures = Departures(len(context.spec.cluster.worker))
    with open_session(context.server, context.spec) as session:
        board.mark(session)
        if context.earlier.finished:
            departures = Departures(len(context.spec.cluster.worker), stay_s=LATE_S)
            for word in (Word(0, context.earlier.step), Word(CHIEF_SEEN, 0)):
                departures.note(word, started)
            board.set_over(session)
        else:
            context.phase("waiting", "waiting for worker:0 to set up the variables")
        context.stop.grace_s = SAVE_S + 1.0
        context.stop.saves = True
        try:
            with closing(Averager(context)) as averager:
                _serve(context, board, session, departures, averager)
        except StopRequested:
            _let_chief_save(board, session, index, min(context.stop.lasting(SAVE_S), MOST_SAVE_S))
            raise
    if departures.missing and not context.earlier.finished:
        names = ", ".join(f"worker:{i}" for i in departures.missing)
        text = f"ended {STRAGGLERS_S:.0f} s after the chief without hearing from {names}"
        context.sink.emit(Notice(level="warning", text=text))
    seconds = time.monotonic() - started
    step = departures.step
    context.sink.emit(
        Finished(step=step, examples=0, train_seconds=seconds, first_step_seconds=None)
    )


def _serve(
    context: Context, board: Board, session: Any, departures: Departures, averager: Averager
) -> None:
    index = context.spec.task.index
    watch = ChiefWatch(context.spec.cluster.worker[0], time.monotonic())
    ready = said = False
    while not departures.may_go(time.monotonic()):
        context.stop.sleep(POLL_S)
        now = time.monotonic()
        flags = board.flags(session)[index]
        if flags.failed:
            _end_with_the_run(context, board.failure(session, index))
        if flags.ordered and context.spec.training.is_sync:
            _average(board, session, averager, index)
        if flags.ready and not ready:
            ready = True
            context.phase("training")
        for word in board.listen(session, index):
            departures.note(word, now)
        if not departures.chief_is_done:
            watch.check(now)
        elif not said:
            said = True
            context.phase("finished", "worker:0 is done")
            board.set_noted(session)
    context.stop.sleep(REPLY_S)


def _average(board: Board, session: Any, averager: Averager, index: int) -> None:
    """Take up new orders of the chief; see that the last ones are followed."""
    averager.check()
    orders = board.orders(session, index)
    if orders.mark != averager.mark:
        averager.follow(orders)
        board.set_serving(session, orders.mark)


def _end_with_the_run(context: Context, reason: str) -> None:
    context.stop.sleep(FAILURE_SHOWN_S)
    raise Unavailable(f"worker:0 ended the run: {reason}")


def _let_chief_save(board: Board, session: Any, index: int, limit_s: float) -> None:
    """Stopped together with the chief: stay while it reads the variables, if there are any."""
    until = time.monotonic() + limit_s
    flags = board.flags(session)[index]
    while flags.ready and time.monotonic() < until:
        if any(word.worker in (0, CHIEF_SAVED) for word in board.listen(session, index)):
            time.sleep(REPLY_S / 2)
            return
        time.sleep(0.05)
