"""Who reaches whom, tried for real: the agents listen on the run's ports and dial each other.

One code path for a check, which also measures, and for a launch, which only has to know.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence

from remote.errors import ClewError, NodeError
from remote.link.checks import Target
from remote.preflight import Route, pair, reach_findings
from remote.session.holding import first_held
from remote.session.node import Node
from remote.session.parallel import on_all, with_node
from remote.survey import Dialled, PortRefused

FRESH_S = 3.0
"""What was seen of a node so recently is not looked at again."""
DIAL_S = 4.0
"""A SYN that was lost is sent again after one and after three seconds."""
LISTEN_S = 150.0
"""The longest that a port is kept open when nobody says that the check is over."""
MEASURE_S = 0.25


class Reach:
    """The listeners of one check, open for as long as the ``with`` block lasts.

    Args:
        nodes: the session's nodes by name.
        routes: the ways to try; their nodes must be connected.
        cancelled: ends every wait by :class:`~remote.errors.Cancelled`.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        routes: Sequence[Route],
        cancelled: Callable[[], bool],
    ) -> None:
        self.routes = list(routes)
        self.refused: dict[str, list[PortRefused]] = {}
        """Ports that could not be listened on, by node."""
        self.failed: dict[str, ClewError] = {}
        """Nodes that could not be asked."""
        self._nodes = nodes
        self._cancelled = cancelled
        self._token = secrets.token_hex(16)
        ends = {route.source for route in routes} | {route.to.node for route in routes}
        self.names = [name for name in nodes if name in ends]
        """The nodes by their number."""

    def __enter__(self) -> Reach:
        ports: dict[str, set[int]] = {}
        for route in self.routes:
            ports.setdefault(route.to.node, set()).add(route.to.port)

        def listen(name: str) -> list[PortRefused]:
            number = self.names.index(name)
            checks = self._nodes[name].link().checks
            return checks.listen(self._token, number, sorted(ports[name]), LISTEN_S)

        try:
            outcome = on_all(ports, listen, self._cancelled)
        except BaseException:
            self.close()
            raise
        self.failed.update(outcome.failed)
        self.refused = {name: found for name, found in outcome.succeeded.items() if found}
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Have all ports let go of; a node that cannot be told lets go by itself."""

        def unlisten(name: str) -> None:
            with contextlib.suppress(ClewError):
                self._nodes[name].link().checks.unlisten(self._token)

        on_all({route.to.node for route in self.routes}, unlisten)

    def dial(self, dialled: Callable[[str], None] = lambda node: None) -> dict[Route, Dialled]:
        """Dial along all routes, from all nodes at the same time; ``dialled`` as each is done.

        Routes to ports that could not be listened on, and from nodes that could not be asked, are
        left out. Raises Cancelled.
        """
        closed = {(n, port.port) for n, found in self.refused.items() for port in found}
        mine: dict[str, list[Route]] = {}
        for route in self.routes:
            if (route.to.node, route.to.port) not in closed and route.to.node not in self.failed:
                mine.setdefault(route.source, []).append(route)

        def dial(name: str) -> list[Dialled]:
            targets = [self._target(route) for route in mine[name]]
            found = self._nodes[name].link().checks.dial(self._token, targets, DIAL_S)
            dialled(name)
            return found

        outcome = on_all(mine, dial, self._cancelled)
        self.failed.update(outcome.failed)
        results = outcome.succeeded
        by_route = {
            r: d for name in results for r, d in zip(mine[name], results[name], strict=True)
        }
        return {route: by_route[route] for route in self.routes if route in by_route}

    def measure(self, routes: Sequence[Route]) -> dict[Route, float]:
        """Bytes per second along these routes, all at the same time; those that could be had."""

        def one(text: str) -> float | None:
            route = routes[int(text)]
            checks = self._nodes[route.source].link().checks
            return checks.measure(self._token, self._target(route), MEASURE_S, DIAL_S)

        outcome = on_all(map(str, range(len(routes))), one, self._cancelled)
        rates = outcome.succeeded
        return {routes[int(at)]: rate for at, rate in rates.items() if rate is not None}

    def _target(self, route: Route) -> Target:
        return route.to.address, route.to.port, self.names.index(route.to.node)


def require_reach(
    nodes: Mapping[str, Node], routes: Sequence[Route], cancelled: Callable[[], bool]
) -> None:
    """Make sure that every way of a run is open.

    Raises:
        PortsHeld: a port that a task was to get is not free.
        NodeError: one is not; says which, why, and what to do.
        ClewError: a node cannot be asked.
    """
    if not routes:
        return
    with Reach(nodes, routes, cancelled) as reach:
        dialled = reach.dial()
    for name, error in reach.failed.items():
        raise with_node(error, name)
    if reach.refused:
        raise first_held(reach.refused, [route.to for route in routes])
    pairs = [pair(route, one, reach.names) for route, one in dialled.items()]
    found = reach_findings(dialled, reach.names, pairs)
    bad = [item for item in found if item.level == "problem"]
    if bad:
        more = f" (and {len(bad) - 1} more; clew check tells all)" if len(bad) > 1 else ""
        where = f"{bad[0].node}: " if bad[0].node else ""
        raise NodeError(f"{where}{bad[0].what}{more}", remedy=bad[0].remedy)
