"""When a run is over, and how. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from remote.session.picture import RunPicture
from remote.updates import RunState
from trainer.spec import CHIEF

LEAVE_S = 15.0
"""How long the other tasks get to end by themselves when the chief is done."""
EVIDENCE_S = 1.0
"""After a failure, before the others are stopped: their records may hold the real cause."""


@dataclass(slots=True)
class Ending:
    """How the run ends; the tasks may end by themselves until ``deadline`` (monotonic)."""

    state: RunState
    why: str
    deadline: float
    begun: bool = False
    """Stopping and looking for what is left has begun."""

    @classmethod
    def of(cls, picture: RunPicture, now: float) -> Ending | None:
        """The end that the tasks' states imply; None while the run goes on.

        A task that has failed for good ends the run; otherwise the chief decides.
        """
        for task in picture.tasks.values():
            if task.state == "failed":
                why = f"{task.task} on {task.node} failed: {task.detail or 'see its log'}"
                return cls("failed", why, now + EVIDENCE_S)
        chief = picture.tasks.get(CHIEF)
        if chief is None or not chief.ended:
            return None
        if chief.state == "stopped":
            return cls("stopped", "stopped from elsewhere", now + LEAVE_S)
        return cls("finished", "", now + LEAVE_S)

    def hurry(self, now: float) -> None:
        """The user does not want to wait."""
        self.deadline = min(self.deadline, now)

    def is_due(self, picture: RunPicture, now: float) -> bool:
        """Whether to stop what is left now, and look: all have ended, or had their time."""
        if self.begun or (self.state == "failed" and _is_open(picture)):
            return False
        open_tasks = [t for t in picture.tasks.values() if not t.ended]
        return now >= self.deadline or (self.state != "failed" and not open_tasks)


def _is_open(picture: RunPicture) -> bool:
    """Whether it is soon known of another task that it was lost: that may be the real cause."""
    tasks = picture.tasks.values()
    return any(task.gone_since is not None and not task.ended for task in tasks)
