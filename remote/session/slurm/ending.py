"""Having a job end: it leaves by itself, or is cancelled, and is seen to be gone."""

from __future__ import annotations

import threading
import time

from remote.errors import ClewError
from remote.link import SlurmJob
from remote.session.slurm.lookout import ENDED, Lookout
from remote.updates import Leftover

LEAVES_S = 10.0
"""A job whose tasks have ended ends by itself; after this it is cancelled."""
GONE_S = 60.0
"""So long a job that was cancelled is watched until it is gone."""
LOOK_S = 1.0


class JobEnd:
    """The end of one job as far as this desktop brings it about. From any one thread at a time."""

    def __init__(self, run_id: str, lookout: Lookout, let_go: threading.Event) -> None:
        self._run_id = run_id
        self._lookout = lookout
        self._let_go = let_go
        self.by_us = False
        """Whether it was cancelled from here."""

    def bring_about(self, leaves_s: float) -> SlurmJob:
        """Have the job cancelled if it does not end within ``leaves_s``; blocks until it is gone.

        Returns:
            How it stands then; nobody waits longer than :data:`GONE_S`.
        """
        began, asked = time.monotonic(), False
        while True:
            job = self._lookout.look()
            waited = time.monotonic() - began
            if job.state in ENDED and (asked or job.state != "none" or job.job):
                return job
            if waited > leaves_s + GONE_S or self._let_go.is_set():
                return job
            if not asked and waited >= leaves_s and job.state != "unknown":
                asked = self._cancel()
            self._let_go.wait(LOOK_S)

    def _cancel(self) -> bool:
        try:
            self._lookout.link().slurm.cancel(root=self._lookout.root, run_id=self._run_id)
        except ClewError:
            return False
        self.by_us = True
        return True


def not_gone(job: SlurmJob, login: str) -> list[Leftover]:
    """What is left of it in the queue or on nodes; nothing where it has ended."""
    if job.state in ENDED:
        return []
    words = f": {job.words}" if job.words else ""
    what = f"job {job.job or '?'} is not known to be gone ({job.state}{words})"
    return [Leftover(node=login, what=what)]
