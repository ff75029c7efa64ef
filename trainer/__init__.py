"""The training job: what runs on the nodes. Needs the standard library, NumPy and TensorFlow.

A script of the user's own says how far it is with :func:`report`, and needs nothing else of this
package, which is on its path.
"""

from __future__ import annotations

__all__ = ["report"]


def report(*, step: int, loss: float | None = None, examples: int = 0) -> None:
    """Say that one step of the script's own training has ended; Clew draws and counts it.

    Cheap enough for every step: one small write to a pipe. Does nothing where the script was not
    started by Clew. Safe in threads and in processes that the script starts.

    Args:
        step: the step's number, from 1 on, growing.
        loss: the loss of that step; None: unknown.
        examples: how many examples this process put into that step.

    Raises:
        TypeError: an argument is no number.
        ValueError: ``step`` or ``examples`` is negative.
    """
    from trainer.reporting import send

    send(step, loss, examples)
