"""A check of the whole cluster before a run, on a thread of its own: look, dial, add, judge."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Collection, Mapping
from typing import Protocol

from remote.bundle import folder_bytes
from remote.checks import Finding, Topic
from remote.errors import ClewError, NodesUnfit, PlanError
from remote.facts import NodeFacts
from remote.plan import Plan
from remote.preflight import (
    VERSIONS_DIFFER,
    Needs,
    Route,
    any_routes,
    hello_finding,
    home_findings,
    node_findings,
    pair,
    planned_routes,
    port_findings,
    reach_findings,
    rounds,
    together_findings,
)
from remote.profile import Profile
from remote.session.check_frame import CheckFrame
from remote.session.dataset import local_folder, needs_files
from remote.session.hello import Hello
from remote.session.node import Node
from remote.session.parallel import on_all
from remote.session.reaching import FRESH_S, Reach
from remote.survey import Dialled, NodeSurvey
from remote.updates import Update
from remote.wording import few
from trainer.spec import TrainingSpec

MEASURE_LIMIT_S = 30.0
"""So long throughput is measured at most; what is left then has none."""

SLOW_FRESH_S = 60.0


class Home(Protocol):
    """What a check needs of its session."""

    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def profile(self) -> Profile: ...
    def facts(self) -> dict[str, NodeFacts]: ...
    def plan(self, training: TrainingSpec | None = None) -> Plan: ...
    def addresses(self) -> dict[str, str]: ...
    def tell(self, update: Update) -> None: ...


class Check(CheckFrame):
    """The check of nodes that the profile names.

    Args:
        hello: run the vector addition on every device as well.
    """

    def __init__(self, home: Home, *, hello: bool) -> None:
        super().__init__(home)
        self._home = home
        self._hello = hello

    def _look(self) -> None:
        files = threading.Thread(target=self._check_files, name="clew-check-files", daemon=True)
        files.start()
        self._look_again()
        plan = self._plan()
        facts = self._connected()
        routes = self._routes(plan, facts)
        surveys = self._survey(facts, routes)
        for finding in together_findings(facts, surveys):
            self._find(finding)
        self._shared_roots({name: facts[name].root for name in surveys if facts[name].root})
        self._reach([r for r in routes if {r.source, r.to.node} <= set(surveys)])
        if self._hello:
            self._say_hello(surveys)
        while files.is_alive():
            files.join(0.1)
            self._go_on()

    def _look_again(self) -> None:
        """What was seen a while ago may have changed: ports, GPUs, the disk."""
        now, nodes = time.time(), self._home.nodes
        facts = self._home.facts()
        stale = [name for name, known in facts.items() if now - known.seen_at > _fresh_s(known)]
        for name in stale:
            self._step(name, "node", 0, "looking at Python, GPUs and ports")
        self._cannot_ask(on_all(stale, lambda n: nodes[n].refresh(), self._cancel.is_set).failed)

    def _connected(self) -> dict[str, NodeFacts]:
        """What the nodes have by now; those that cannot be asked are a problem each."""
        for name, node in self._home.nodes.items():
            update = node.update
            if not node.connected:
                what = update.detail or f"is {update.state}"
                self._find(Finding(topic="login", level="problem", what=what, node=name,
                                   remedy=update.remedy))  # fmt: skip
        return self._home.facts()

    def _plan(self) -> Plan | None:
        """Where the tasks would run; None: they cannot, for a reason that is told."""
        if not all(node.update.state == "ready" for node in self._home.nodes.values()):
            return None  # each of the others says why
        try:
            return self._home.plan()
        except PlanError as error:
            for line in error.what.split("\n"):
                if line.startswith(VERSIONS_DIFFER):
                    continue  # told once, of all nodes
                remedy = error.remedy if line == error.what else ""
                topic: Topic = "gpu" if isinstance(error, NodesUnfit) else "plan"
                self._find(Finding(topic=topic, level="problem", what=line, remedy=remedy))
            return None

    def _routes(self, plan: Plan | None, facts: Mapping[str, NodeFacts]) -> list[Route]:
        profile = self._home.profile
        if plan is not None:
            for text in plan.warnings:
                self._find(Finding(topic="plan", level="warning", what=text))
            return planned_routes(plan.tasks, profile.training)
        known = self._home.addresses()
        addresses = {
            node.name: node.address or known.get(node.name) or node.host for node in profile.nodes
        }
        return any_routes(facts, addresses, profile.ports.first)

    def _survey(self, facts: Mapping[str, NodeFacts], routes: list[Route]) -> dict[str, NodeSurvey]:
        profile, environment = self._home.profile, self._home.profile.environment
        dataset = profile.training.dataset
        on_node = needs_files(profile.training) and dataset.on == "node" and dataset.path
        addresses = tuple(dict.fromkeys(route.to.address for route in routes))
        data_bytes = self._data_bytes()

        def look(name: str) -> NodeSurvey:
            known = facts[name]
            self._step(name, "node", 0, "looking at disks, limits and GPUs")
            places = [("runs", known.root)] if known.root else []
            places += [("data", dataset.path or "")] if on_node else []
            places += [("home", known.home), ("temporary", "/tmp")]  # noqa: S108 - only looked at
            found = (
                self._home.nodes[name]
                .link()
                .checks.survey(
                    places=places,
                    # One that gave no answer to the probe would not give one now.
                    python=known.python_version and (known.python or "python3"),
                    setup=environment.setup,
                    variables=environment.variables,
                )
            )
            for finding in node_findings(known, found, Needs(addresses, data_bytes)):
                self._find(finding)
            self._step(name, "node", 1)
            return found

        outcome = on_all(facts, look, self._cancel.is_set)
        self._cannot_ask(outcome.failed)
        return dict(outcome.succeeded)

    def _data_bytes(self) -> int:
        """How much would be sent to a node that has no data yet."""
        training = self._home.profile.training
        if not needs_files(training) or training.dataset.on != "desktop":
            return 0
        with contextlib.suppress(ClewError, OSError):
            return folder_bytes(local_folder(training.dataset))
        return 0

    def _shared_roots(self, roots: Mapping[str, str]) -> None:
        token, names = secrets.token_hex(8), list(roots)

        def mark(name: str) -> None:
            checks = self._home.nodes[name].link().checks
            checks.mark(roots[name], token, names.index(name))

        def seen(name: str) -> frozenset[str]:
            others = [at for at, other in enumerate(names) if other != name]
            checks = self._home.nodes[name].link().checks
            return frozenset(names[at] for at in checks.marks_seen(roots[name], token, others))

        def unmark(name: str) -> None:
            checks = self._home.nodes[name].link().checks
            checks.unmark(roots[name], token, names.index(name))

        try:
            on_all(names, mark, self._cancel.is_set)
            found = on_all(names, seen, self._cancel.is_set).succeeded
        finally:
            on_all(names, unmark)
        for finding in home_findings(roots, found):
            self._find(finding)

    def _reach(self, routes: list[Route]) -> None:
        if not routes:
            return
        for name in {route.source for route in routes}:
            self._step(name, "reach", 0, "dialling the other nodes")
        with Reach(self._home.nodes, routes, self._cancel.is_set) as reach:
            for finding in port_findings(reach.refused, [route.to for route in routes]):
                self._find(finding)
            dialled = reach.dial(lambda node: self._step(node, "reach", 1))
            for route, one in dialled.items():
                self._home.tell(pair(route, one, reach.names))
            rates = self._measure(reach, dialled)
        self._cannot_ask(reach.failed)
        pairs = []
        for route, one in dialled.items():
            rate = rates.get((route.source, route.to.node)) if one.how == "open" else None
            pairs.append(pair(route, one, reach.names, rate))
            if rate is not None:
                self._home.tell(pairs[-1])
        for finding in reach_findings(dialled, reach.names, pairs):
            self._find(finding)

    def _measure(
        self, reach: Reach, dialled: Mapping[Route, Dialled]
    ) -> dict[tuple[str, str], float]:
        """Bytes per second by source and target, a round of links at a time."""
        turns = rounds(route for route, one in dialled.items() if one.how == "open")
        end = time.monotonic() + MEASURE_LIMIT_S
        rates: dict[tuple[str, str], float] = {}
        for number, turn in enumerate(turns):
            if time.monotonic() > end:
                what = f"throughput was measured for {len(rates)} links only, for want of time"
                self._find(Finding(topic="reach", level="ok", what=what))
                break
            for route in turn:
                self._step(route.source, "throughput", number, f"sending to {route.to.node}",
                           len(turns))  # fmt: skip
            for route, rate in reach.measure(turn).items():
                rates[route.source, route.to.node] = rate
        for name in {route.source for turn in turns for route in turn}:
            self._step(name, "throughput", len(turns), "", len(turns))
        return rates

    def _say_hello(self, surveyed: Collection[str]) -> None:
        home = self._home
        able = {
            name: known
            for name, known in home.facts().items()
            if known.usable and name in surveyed and known.environment != "missing"
        }
        waiting = [n for n, known in home.facts().items() if known.environment == "missing"]
        if waiting:
            what = f"the hello was left out on {few(waiting)}: the environment is not made yet"
            remedy = "Make it with `clew provision`, and check again."
            self._find(Finding(topic="hello", level="warning", what=what, remedy=remedy))
        if not able and not waiting:
            what = "the hello was left out: no node is ready"
            self._find(Finding(topic="hello", level="warning", what=what))
        if not able:
            return

        def tell(node: str, detail: str) -> None:
            self._step(node, "hello", 0 if detail else 1, detail)

        cancelled = self._cancel.is_set
        hello = Hello(home.nodes, able, home.profile, home.addresses(), tell, cancelled)
        for device in hello.run():
            home.tell(device)
            self._find(hello_finding(device))


def _fresh_s(known: NodeFacts) -> float:
    """So long what was seen of a node is taken as it is; a Python that hangs costs much time."""
    return FRESH_S if known.python_version else SLOW_FRESH_S
