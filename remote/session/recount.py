"""The numbers of a recorded result, added up again when more of its run has come."""

from __future__ import annotations

import dataclasses
import time

from remote.history import History
from remote.session.totals import Totals
from trainer.events import Evaluated, Finished, Steps


def recount(history: History, run_id: str) -> bool:
    """Correct the result of a run that the history has; whether it says something else now.

    Raises:
        HistoryError: the history cannot be read or written.
    """
    record = history.run(run_id)
    if record is None or record.result is None:
        return False
    totals, old = _totals(history, run_id, record.started_at), record.result
    if totals.examples < old.examples:
        return False  # whoever watched it has seen more than came to be recorded
    further = totals.global_step > old.global_step or old.final_loss is None
    new = dataclasses.replace(
        old,
        global_step=max(totals.global_step, old.global_step),
        final_loss=totals.final_loss if further else old.final_loss,
        accuracy=old.accuracy if totals.accuracy is None else totals.accuracy,
        examples=totals.examples,
        examples_per_second=totals.examples_per_second,
        time_to_first_step_s=totals.time_to_first_step_s,
    )
    if new == old:
        return False
    history.finish(new, record.ended_at or time.time())
    return True


def _totals(history: History, run_id: str, launched_at: float) -> Totals:
    totals = Totals(launched_at)
    for task in history.tasks(run_id):
        for stored in history.events(run_id, task.task):
            body = stored.event.body
            if isinstance(body, Steps):
                totals.add_steps(body, stored.t - stored.event.t)
            elif isinstance(body, Evaluated):
                totals.add_evaluation(body, stored.t)
            elif isinstance(body, Finished):
                totals.add_finished(body)
    return totals
