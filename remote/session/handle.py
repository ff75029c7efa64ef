"""A run as its watcher holds it: the only object of a run that leaves the session."""

from __future__ import annotations

import time

from remote.errors import ClewError
from remote.session.run import Run
from remote.updates import ResultUpdate, RunState, StopDepth


class RunHandle:
    """One run: what it is called, how it stands, and the two things one can do with it.

    Everything else about the run arrives in the session's queue of updates. All members may be
    used from any thread.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def run_id(self) -> str:
        """The run's id, ``20261130-1502-k3f9``; known as soon as the handle is."""
        return self._run.run_id

    @property
    def state(self) -> RunState:
        """The last state that was put into the queue."""
        return self._run.state

    @property
    def started(self) -> bool:
        """Whether all its tasks have been started (or were found again): it can be left now."""
        return self._run.opened.is_set()

    @property
    def result(self) -> ResultUpdate | None:
        """The run's last word; None until it has ended (or could not be started)."""
        return self._run.result

    @property
    def failure(self) -> ClewError | None:
        """Why nothing was started, when that is the result."""
        return self._run.failure

    @property
    def controlled_from(self) -> str:
        """The other desktop that controls the run; empty: this one does, or none is known to."""
        return self._run.control.holder

    def take_control(self) -> None:
        """Take the control from whoever has it; blocks. Raises ClewError: no answer."""
        self._run.control.take()

    def stop(self, depth: StopDepth = "now") -> None:
        """Ask for the run to be stopped; returns at once, safe to call often.

        Before any task is started it cancels the preparation. Then every node is told at the same
        time: TERM to the tasks' process groups, KILL after the time that ``depth`` gives, and what
        is still there is named in the result's ``left_behind``. A node that cannot be asked is
        named there too, and stops the run when it is heard again. A second call with a deeper
        ``depth`` raises the stop to it.
        """
        self._run.request_stop(depth)

    def wait(self, timeout_s: float | None = None) -> ResultUpdate | None:
        """Block until the run has ended; None when ``timeout_s`` passed first, or the session
        was closed.

        The :class:`~remote.updates.ResultUpdate` is in the queue before this returns it.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._run.ended.is_set():
            left = 0.2 if deadline is None else min(0.2, deadline - time.monotonic())
            if left <= 0:
                break
            self._run.ended.wait(left)  # in slices, so that Ctrl-C gets through
        return self._run.result
