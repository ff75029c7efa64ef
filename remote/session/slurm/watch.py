"""Asks about a job again and again while its run is followed, beside the run's thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from remote.link import SlurmJob
from remote.session.slurm.lookout import Lookout

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 30.0
_GROWTH = 1.5
_HURRY_S = 1.0


class Pace:
    """Pauses between two looks: short after a change, longer while nothing does."""

    def __init__(self) -> None:
        self._pause = FIRST_PAUSE_S
        self._seen: tuple[str, ...] = ()

    def after(self, job: SlurmJob) -> float:
        """Seconds to wait after this answer."""
        seen = (job.state, job.raw, job.reason, str(job.restarts))
        changed, self._seen = seen != self._seen, seen
        self._pause = FIRST_PAUSE_S if changed else min(LONGEST_PAUSE_S, self._pause * _GROWTH)
        return self._pause


class JobWatch:
    """Looks until it is closed.

    Args:
        lookout: whom to ask.
        told: gets every answer, on the watch's thread; must be quick.
    """

    def __init__(self, run_id: str, lookout: Lookout, told: Callable[[SlurmJob], None]) -> None:
        self._lookout = lookout
        self._told = told
        self._wake = threading.Condition()
        self._closed = False
        self._hurried = False
        self._seen: tuple[float, SlurmJob] = (0.0, SlurmJob())
        self._thread = threading.Thread(target=self._run, name=f"clew-job-{run_id}", daemon=True)

    @property
    def seen(self) -> tuple[float, SlurmJob]:
        """The last answer, and when (monotonic) it was asked for."""
        return self._seen

    def start(self) -> None:
        self._thread.start()

    def hurry(self) -> None:
        """Ask again soon; returns at once, may be called often."""
        with self._wake:
            self._hurried = True
            self._wake.notify_all()

    def close(self) -> None:
        with self._wake:
            self._closed = True
            self._wake.notify_all()

    def _run(self) -> None:
        pace = Pace()
        while not self._closed:
            asked_at = time.monotonic()
            job = self._lookout.look()
            self._seen = asked_at, job
            if self._closed:
                return
            self._told(job)
            self._pause(asked_at, pace.after(job))

    def _pause(self, asked_at: float, seconds: float) -> None:
        with self._wake:
            self._wake.wait_for(lambda: self._hurried or self._closed, seconds)
            hurried, self._hurried = self._hurried, False
        rest = asked_at + _HURRY_S - time.monotonic()
        if hurried and rest > 0 and not self._closed:
            time.sleep(rest)  # whoever hurries asks at every turn
