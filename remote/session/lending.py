"""Who gives a run its nodes for a time and takes them back: nobody, where they are the user's."""

from __future__ import annotations

from remote.updates import Leftover, RunState


class Lender:
    """The nodes are the user's own: they stay, and nothing else knows how the run stands.

    Whoever lends nodes overrides what differs. All but :meth:`give_back` is called on the run's
    thread.
    """

    def beat(self) -> None:
        """After each round of the run; may block while the run has no nodes.

        Raises:
            ClewError: the run cannot go on.
            Cancelled: it was let go meanwhile.
        """

    def holds(self) -> bool:
        """Whether the tasks' ends may be due to the nodes' being taken away, for all one knows."""
        return False

    def living(self, roots: dict[str, str]) -> dict[str, str]:
        """Those of the run's nodes on which something of it may run."""
        return roots

    def give_back(self, left: list[Leftover], *, asked: bool) -> list[Leftover]:
        """Let go of the nodes, once the tasks have been stopped; blocks.

        Args:
            left: what could not be stopped.
            asked: whether the user wanted the run stopped.

        Returns:
            What is left after that.
        """
        return left

    def verdict(self, state: RunState, reason: str) -> tuple[RunState, str]:
        """How the run ended, in view of what became of its nodes."""
        return state, reason

    def close(self) -> None:
        """The run has ended, or is not followed any more."""
