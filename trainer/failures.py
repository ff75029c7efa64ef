"""Why a task ends before its work is done, each with the exit status that says so."""

from __future__ import annotations

from trainer.spec import EXIT_BAD_DATA, EXIT_BAD_SPEC, EXIT_LOST_PEER, EXIT_UNAVAILABLE
from trainer.text import one_line


class TaskFailure(Exception):
    """Base. ``str()`` is one sentence: what is wrong, where, and what to do."""

    exit_status = 1

    def __str__(self) -> str:
        return one_line(super().__str__())


class BadData(TaskFailure):
    """The data set is missing, damaged or of another kind."""

    exit_status = EXIT_BAD_DATA


class BadSpec(TaskFailure):
    """The spec, or a checkpoint it points to, cannot be used."""

    exit_status = EXIT_BAD_SPEC


class Unavailable(TaskFailure):
    """Something that the task needs is not there: TensorFlow, its port, its run."""

    exit_status = EXIT_UNAVAILABLE


class LostPeer(TaskFailure):
    """Another task did not answer in time."""

    exit_status = EXIT_LOST_PEER


class OutOfMemory(TaskFailure):
    """The device or the host has no room for a step."""


class StopRequested(Exception):
    """The process was asked to end (SIGTERM or SIGINT)."""


class RunIsOver(Exception):
    """Nothing is left to do: the run came to its end while this task was away."""
