"""How a run's job stands, as its login node says; silence is told, and never an end."""

from __future__ import annotations

import dataclasses
import threading
import time

from remote.errors import ClewError
from remote.link import AgentLink, SlurmJob
from remote.session.node import Node
from remote.updates import QueueUpdate

WAITING = frozenset({"waiting", "held"})
RUNNING = frozenset({"running", "paused"})
"""It has its nodes; what is paused is not ended."""
ENDED = frozenset(
    {"finished", "failed", "cancelled", "time limit reached", "out of memory", "node failed"}
    | {"preempted", "moved to another cluster", "none"}
)
RETURNING = frozenset({"node failed", "preempted"})
"""Slurm may put such a job into its queue again in the next moment."""
RETURN_S = 15.0


class Lookout:
    """Asks about one run's job. From any thread.

    Args:
        login: the node that is asked.
        root: the storage root there, as far as it is known before the node has answered.
    """

    def __init__(self, run_id: str, login: Node, root: str = "") -> None:
        self._run_id = run_id
        self._login = login
        self._root = root
        self._lock = threading.Lock()
        self._known = SlurmJob()
        self._silent_since: float | None = None
        self._away_since: float | None = None

    @property
    def root(self) -> str:
        """The storage root that login and job share; empty: not known yet."""
        facts = self._login.facts
        return self._root or (facts.root if facts is not None else "")

    def link(self) -> AgentLink:
        """The connection to the login node. Raises NodeError."""
        return self._login.link()

    def look(self) -> SlurmJob:
        """How the job stands now; ``unknown`` where nobody answers, with since when."""
        began = time.monotonic()
        try:
            found = self.link().slurm.job(root=self.root, run_id=self._run_id)
            words = "Slurm does not answer"
        except ClewError as error:
            found = None
            words = f"{self._login.name} does not answer"
            if self._login.connected:
                words = error.what
        with self._lock:
            if found is None or found.state == "unknown":
                return self._silence(words)
            self._silent_since = None
            self._known = found
            if found.state in RETURNING:
                return self._returning(found, began)
            self._away_since = None
            return found

    def update(self, job: SlurmJob) -> QueueUpdate:
        """What is told of it; times on this computer's clock."""
        start_at = job.start_at
        if start_at is not None and self._login.facts is not None:
            start_at -= self._login.facts.clock_offset_s
        return QueueUpdate(
            run_id=self._run_id,
            job=job.job,
            cluster=job.cluster,
            state=job.state,
            words=job.words,
            will_start=job.will_start,
            # Slurm's side counts the jobs that come first.
            position=None if job.position is None else job.position + 1,
            start_at=start_at,
            time_left_s=job.time_left_s,
        )

    def _silence(self, words: str) -> SlurmJob:
        self._silent_since = self._silent_since or time.time()
        since = time.strftime("%H:%M", time.localtime(self._silent_since))
        return SlurmJob(
            job=self._known.job,
            cluster=self._known.cluster,
            state="unknown",
            words=f"{words.rstrip('.')} (unknown since {since})",
            restarts=self._known.restarts,
        )

    def _returning(self, found: SlurmJob, now: float) -> SlurmJob:
        """An end that may be none is one when it has lasted for a while."""
        self._away_since = now if self._away_since is None else self._away_since
        if now - self._away_since >= RETURN_S:
            return found
        return dataclasses.replace(found, state="ending")
