"""The job of a run is known to whoever opens the history later."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import History, JobRecord, RunRecord

RUN = "20261201-0300-ab12"
JOB = JobRecord(run_id=RUN, job="41", cluster="clew", login="ana@login1:22", root="/home/ana/.clew")


def test_that_a_job_is_kept_replaced_and_forgotten_with_its_run(tmp_path: Path) -> None:
    history = History(tmp_path / "history.db")
    assert history.jobs.of_run(RUN) is None
    with pytest.raises(HistoryError, match="no run"):
        history.jobs.keep(JOB)
    history.add_run(RunRecord(run_id=RUN, name="", started_at=1.0), [])
    assert history.jobs.of_run(RUN) is None
    history.jobs.keep(JOB)
    again = dataclasses.replace(JOB, job="42")
    history.jobs.keep(again)
    history.close()
    history = History(tmp_path / "history.db")
    assert history.jobs.of_run(RUN) == again
    history.delete(RUN)
    assert history.jobs.of_run(RUN) is None
    history.close()
