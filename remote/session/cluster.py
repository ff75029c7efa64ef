"""One profile's nodes and the runs on them: what the window and the command line hold."""

from __future__ import annotations

from collections.abc import Mapping
from queue import SimpleQueue
from typing import TYPE_CHECKING

from remote.facts import NodeFacts
from remote.session.handle import RunHandle
from remote.updates import NodeUpdate, Update
from trainer.spec import TrainingSpec

if TYPE_CHECKING:
    from remote.history import History
    from remote.plan import Plan
    from remote.profile import Profile
    from remote.session.found import FoundRun
    from remote.ssh import Prompter


class ClusterSession:
    """The nodes of one profile, connected in parallel and kept connected; runs on them.

    Whatever happens is told through ``updates``, the one outward queue, as plain immutable items
    of :mod:`remote.updates`; nothing of the connections below leaks out. No method but those that
    say so blocks for longer than a moment, so a window may call them.

    Args:
        profile: the nodes and the default training.
        history: where runs are recorded; may be shared by several sessions.
        prompter: answers questions about host keys and passwords, called from the session's
            threads; it may block, and None or False means cancelled.
        updates: receives everything; never blocks.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        history: History,
        prompter: Prompter,
        updates: SimpleQueue[Update],
    ) -> None:
        raise NotImplementedError

    @property
    def profile(self) -> Profile:
        raise NotImplementedError

    def connect(self) -> None:
        """Connect and check all nodes, in parallel and without blocking.

        Each node then reports itself with NodeUpdates: connecting, checking, and ready, unusable
        (it answers, but cannot train; ``detail`` and ``remedy`` say why) or unreachable. A node
        whose connection is lost later is unreachable until it has been reconnected, which is
        tried by itself with growing pauses, unless it needs the user (a password, a changed host
        key). Called again, it tries at once those nodes that are not connected, asks the user
        where needed, and checks again those that are.
        """
        raise NotImplementedError

    def wait_ready(self, timeout_s: float) -> bool:
        """Block until every node is ready, unusable or unreachable; True if all are ready."""
        raise NotImplementedError

    def nodes(self) -> Mapping[str, NodeUpdate]:
        """The last NodeUpdate of each node, in the profile's order."""
        raise NotImplementedError

    def facts(self) -> dict[str, NodeFacts]:
        """What the nodes have, for those that have answered; in the profile's order."""
        raise NotImplementedError

    def plan(self, training: TrainingSpec | None = None) -> Plan:
        """Where each task of ``training`` (default: the profile's) would run now. Pure and quick.

        Raises:
            PlanError: the tasks do not fit on the usable nodes.
        """
        raise NotImplementedError

    def launch(self, training: TrainingSpec | None = None, *, name: str = "") -> RunHandle:
        """Prepare the nodes and start a run; returns at once.

        Checks that need only the desktop's memory are made here; checking the data, sending the
        trainer and the data, and starting go on in the background and tell their progress. If
        any of it fails, what was started is stopped again, and a ResultUpdate with state
        ``failed`` and the reason ends the run.

        Args:
            training: what to train; default: the profile's.
            name: what the user calls the run; default: the profile's name.

        Raises:
            PlanError: the tasks do not fit, or no node is ready.
            HistoryError: the run cannot be recorded.
            ClewError: a run of this session has not ended yet.
        """
        raise NotImplementedError

    def attach(self, run_id: str) -> RunHandle:
        """Watch a run that was started earlier, here or elsewhere; returns at once.

        What the history has of it is told first (see :func:`~remote.session.replay`), then what
        its nodes have written since: each event once. A run that no connected node knows ends
        with a ResultUpdate that says so.
        """
        raise NotImplementedError

    def runs(self, timeout_s: float = 10.0) -> list[FoundRun]:
        """The runs on record at the connected nodes, newest first. Blocks: asks the nodes."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of all connections, within a second. Tasks go on; their nodes look after them."""
        raise NotImplementedError
