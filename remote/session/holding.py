"""Ports between the plan and the start: held, so that no other launch takes them meanwhile."""

from __future__ import annotations

import contextlib
import random
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from remote.errors import Cancelled, ClewError, NodeError
from remote.plan import PlannedTask
from remote.preflight import Listening, port_findings
from remote.session.cuts import through_cuts
from remote.session.node import Node
from remote.session.parallel import on_all
from remote.survey import PortRefused

HOLD_S = 60.0
"""Tasks are started at once; if this desktop dies before, the nodes let go after so long."""
MOST_TRIES = 6
PAUSE_S = 0.3


class PortsHeld(NodeError):
    """A port that a task was to get is held; a new plan may have others."""


def first_held(
    refused: Mapping[str, Sequence[PortRefused]], meant: Sequence[Listening]
) -> PortsHeld:
    """The error about the first of the ports that could not be had, by node."""
    found = port_findings(refused, meant)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return PortsHeld(f"{found[0].what}{more}", node=found[0].node, remedy=found[0].remedy)


class Tries:
    """How often a launch plans again because of ports: ``MOST_TRIES`` in all.

    The pauses grow and are random, so that two launches do not meet again and again.
    """

    def __init__(self, cancelled: threading.Event) -> None:
        self._cancelled = cancelled
        self._made = 0

    def again(self, error: ClewError) -> None:
        """Pause before the next try. Raises ``error`` when there is none, Cancelled."""
        self._made += 1
        if self._made >= MOST_TRIES:
            raise error
        longest = PAUSE_S * self._made
        if self._cancelled.wait(random.uniform(0.0, longest)):  # noqa: S311 - no secret
            raise Cancelled("stopped while looking for free ports")


@contextmanager
def holding(
    nodes: Mapping[str, Node], tasks: Sequence[PlannedTask], cancelled: Callable[[], bool]
) -> Iterator[None]:
    """Every task's port is listened on by its node's agent, until the task is started there.

    Raises:
        PortsHeld: one of them is held by another program, or is another run's.
        ClewError: a node cannot be asked.
    """
    token = secrets.token_hex(16)
    by_node: dict[str, list[PlannedTask]] = {}
    for task in tasks:
        by_node.setdefault(task.node, []).append(task)

    def let_go(name: str) -> None:
        with contextlib.suppress(ClewError):  # it lets go by itself, too
            nodes[name].link().checks.unlisten(token)

    def listen(name: str) -> list[PortRefused]:
        ports = [task.port for task in by_node[name]]
        return through_cuts(
            nodes[name], cancelled, lambda link: link.checks.listen(token, 0, ports, HOLD_S)
        )

    try:
        outcome = on_all(by_node, listen)
        outcome.raise_first()
        refused = {name: found for name, found in outcome.succeeded.items() if found}
        if refused:
            meant = [Listening(str(t.task), t.node, t.address, t.port) for t in tasks]
            raise first_held(refused, meant)
        yield
    finally:
        on_all(by_node, let_go)
