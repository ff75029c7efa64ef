"""A run as its watcher holds it: the only object of a run that leaves the session."""

from __future__ import annotations

from remote.updates import ResultUpdate, RunState


class RunHandle:
    """One run: what it is called, how it stands, and the two things one can do with it.

    Everything else about the run arrives in the session's queue of updates. All members may be
    used from any thread.
    """

    @property
    def run_id(self) -> str:
        """The run's id, ``20261130-1502-k3f9``; known as soon as the handle is."""
        raise NotImplementedError

    @property
    def state(self) -> RunState:
        """The last state that was put into the queue."""
        raise NotImplementedError

    @property
    def result(self) -> ResultUpdate | None:
        """The run's last word; None until it has ended (or could not be started)."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ask for the run to be stopped; returns at once, safe to call twice.

        Before any task is started it cancels the preparation. Then every node is told at the same
        time: TERM to the tasks' process groups, KILL after a grace time, and what is still there
        is named in the result's ``left_behind``. A node that cannot be asked is named there too.
        """
        raise NotImplementedError

    def wait(self, timeout_s: float | None = None) -> ResultUpdate | None:
        """Block until the run has ended; None when ``timeout_s`` passed first.

        The :class:`~remote.updates.ResultUpdate` is in the queue before this returns it.
        """
        raise NotImplementedError
