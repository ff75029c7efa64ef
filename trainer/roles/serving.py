"""A worker that only serves: the chief drives its devices. It ends when the board says so."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.board import Board
from trainer.engine.departures import Word
from trainer.events import Finished, Notice
from trainer.failures import Unavailable
from trainer.roles.chief_watch import ChiefWatch
from trainer.roles.context import Context
from trainer.roles.opening import opened
from trainer.roles.waiting import Patience, wait_for_ps, wait_for_servers
from trainer.runtime import open_session, passes

POLL_S = 0.25
RETRY_S = 0.5


def run_serving(context: Context) -> None:
    """Serve until the chief is done. Raises ``StopRequested`` and ``TaskFailure``."""
    started = time.monotonic()
    spec = context.spec
    board = Board(spec.run_id, range(context.ps_count))
    patience = Patience(context)
    peers = {f"ps:{k}": address for k, address in enumerate(spec.cluster.ps)}
    while True:
        wait_for_servers(context, patience, peers)
        try:
            made = open_session(context.server, spec)
            first = partial(board.flags, made)
            with opened(context, patience, peers, made, first) as session:
                wait_for_ps(context, patience, board, session)
                patience.renew()
                watch_board(context, board, session, "worker:0 drives this worker")
                context.phase("finished")
                board.tell(session, Word(spec.task.index, 0))
                break
        except tf.errors.OpError as error:
            if not passes(error):
                raise
            if not patience.waiting:
                context.sink.emit(Notice(level="warning", text="lost a ps; waiting for it"))
            patience.wait("the ps to answer again", RETRY_S)
    seconds = time.monotonic() - started
    context.sink.emit(Finished(step=0, examples=0, train_seconds=seconds, first_step_seconds=None))


def watch_board(
    context: Context, board: Board, session: Any, serving: str = "", *, quiet: bool = False
) -> None:
    """Wait until the chief has done all its work.

    ``serving``: what this worker does meanwhile, in words; empty: it waits for the chief.
    ``quiet``: the process has other things to tell.

    Raises:
        Unavailable: the chief has ended the run.
        LostPeer: the chief was away for too long.
    """
    watch = ChiefWatch(context.spec.cluster.worker[0], time.monotonic())
    said = quiet
    while True:
        flags = board.flags(session)
        for k, flag in flags.items():
            if flag.failed:
                raise Unavailable(f"worker:0 ended the run: {board.failure(session, k)}")
        if all(flag.over for flag in flags.values()):
            return
        if not said and serving and all(flag.ready for flag in flags.values()):
            said = True
            context.phase("training", serving)
        elif not said and not serving:
            said = True
            context.phase("waiting", "waiting for worker:0 to save and evaluate")
        watch.check(time.monotonic())
        context.stop.sleep(POLL_S)
