"""One node of a session: connect, check, stay connected, say how it stands."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn, Protocol

from remote.channel import Connector
from remote.errors import AuthError, Cancelled, ClewError, HostKeyError, LinkLost, NodeError
from remote.facts import NodeFacts
from remote.link import COMMAND, AgentLink, Packages, StreamItem
from remote.profile import NodeConfig, Profile
from remote.session.parallel import not_connected
from remote.updates import NodeState, NodeUpdate
from remote.wheels import WheelStore

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
TELEMETRY_S = 1.0
RECONNECT_LIMIT_S = 90.0
"""A node that is lost while it is sent something may take so long to come back."""
MADE_AT_LAUNCH = "the environment is made at launch"
_LINK_POLL_S = 0.1

ConnectorFactory = Callable[[NodeConfig, bool], Connector]
"""A connector for a node; the flag says whether it may ask the user."""


class NodeWatcher(Protocol):
    """Who is told about a node. Called from the node's threads; must be quick."""

    def node_changed(self, update: NodeUpdate) -> None: ...
    def node_connected(self, node: str, facts: NodeFacts) -> None: ...
    def node_lost(self, node: str, since: float) -> None: ...
    def node_said(self, node: str, item: StreamItem) -> None: ...


class Node:
    """Keeps one node connected on a thread of its own, once :meth:`connect` was called.

    A connection that breaks is made again with growing pauses, without asking the user; where the
    user is needed (host key, password), it waits for the next :meth:`connect`.
    """

    def __init__(
        self,
        config: NodeConfig,
        profile: Profile,
        connector: ConnectorFactory,
        watcher: NodeWatcher,
    ) -> None:
        self.name = config.name
        self._config = config
        self._profile = profile
        self._make_connector = connector
        self._watcher = watcher
        self._update = NodeUpdate(node=config.name, state="disconnected")
        self._wake = threading.Condition()
        self._asked = False
        self._broken: ClewError | None = None
        self._closed = False
        self._connector: Connector | None = None
        self._once: Connector | None = None
        """The connector of the last attempt: it knows whether its login can be repeated."""
        self._link: AgentLink | None = None
        self._thread: threading.Thread | None = None

    @property
    def place(self) -> str:
        """Which machine the name means in this profile: ``ana@gpu001:22``, as far as it says."""
        config, ssh = self._config, self._profile.ssh
        user = config.user or ssh.user or ""
        return f"{user}@{config.host}:{config.port or ssh.port or ''}"

    @property
    def update(self) -> NodeUpdate:
        return self._update

    @property
    def wanted_root(self) -> str:
        """The storage root that the profile names; the node's facts have the one that is used."""
        return self._profile.storage.root

    @property
    def facts(self) -> NodeFacts | None:
        return self._update.facts

    @property
    def connected(self) -> bool:
        """Whether its agent answers; the node may still be unusable."""
        return self._link is not None and self._update.state in ("ready", "unusable")

    def link(self) -> AgentLink:
        """The connection to the node's agent. Raises NodeError when there is none."""
        link = self._link
        if link is None:
            raise not_connected(self.name)
        return link

    def next_link(
        self, last: AgentLink | None, lost: ClewError, limit_s: float, cancelled: Callable[[], bool]
    ) -> AgentLink:
        """The connection that follows ``last``, which was ``lost``; blocks until it is there.

        Without ``last``, any connection.

        Raises:
            LinkLost: there is none within ``limit_s``; says why.
            Cancelled: ``cancelled`` said so.
        """
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline and not self._closed:
            if cancelled():
                raise Cancelled("stopped while waiting for the node", node=self.name)
            link = self._link
            if link is not None and link is not last and self.connected:
                return link
            time.sleep(_LINK_POLL_S)
        why = self._update.detail or lost.what
        raise LinkLost(
            f"the node did not come back within {limit_s:.0f} s: {why}",
            node=self.name,
            remedy="Launch again once it answers; what was sent to it already is kept there.",
        )

    def connect(self) -> None:
        """Connect if it is not, check again if it is; the user may be asked. Does not block."""
        with self._wake:
            if self._closed:
                return
            self._asked = True
            self._wake.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name=f"clew-node-{self.name}", daemon=True
                )
                self._thread.start()

    def refresh(self) -> NodeFacts:
        """Look again at what the node has; blocks. Raises NodeError, LinkLost."""
        link = self.link()
        facts = self._probe(link)
        self._tell_checked(link, facts)
        return facts

    def heartbeat(self) -> None:
        """Tell when the node was last heard, if that has changed."""
        link = self._link
        if link is not None and self.connected and link.last_heard != self._update.last_heard:
            self._publish(replace(self._update, last_heard=link.last_heard))

    def close(self) -> None:
        """Let go of the connection; tasks go on. Safe from any thread, and twice."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
            link, connector = self._link, self._connector
        if link is not None:
            link.close()
        if connector is not None:
            connector.close()

    def join(self, timeout_s: float) -> None:
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        failures = 0
        while True:
            with self._wake:
                if self._closed:
                    return
                interactive, self._asked = self._asked, False
            was_up = False
            try:
                self._session(interactive)
            except ClewError as error:
                was_up = self.connected
                with self._wake:
                    self._link = None
                self._unreachable(error)
                failures = 0 if was_up else failures + 1
                self._pause(failures, self._needs_user(error))

    def _needs_user(self, error: ClewError) -> bool:
        """Whether trying again by itself would be no use, or ask somebody at night."""
        once_only = bool(getattr(self._once, "needs_user", False))
        return once_only or isinstance(error, (AuthError, HostKeyError, NodeError, Cancelled))

    def _session(self, interactive: bool) -> NoReturn:
        """Connect, check, and stay until the connection is gone. Raises ClewError, always."""
        self._state("connecting")
        connector = self._make_connector(self._config, interactive)
        with self._wake:
            self._connector = self._once = connector
            self._broken = None
        try:
            self._check_open()
            connector.connect()
            link = self._start_agent(connector)
            try:
                self._serve(link)
            finally:
                link.close()
        finally:
            with self._wake:
                self._connector = None
            connector.close()

    def _start_agent(self, connector: Connector) -> AgentLink:
        self._state("checking", "starting the agent")
        return AgentLink.start(
            connector.open(COMMAND),
            node=self.name,
            python=self._profile.environment.python,
            on_stream=lambda item: self._watcher.node_said(self.name, item),
            on_closed=self._link_closed,
        )

    def _serve(self, link: AgentLink) -> NoReturn:
        with self._wake:
            self._link = link
            self._check_open()
        while True:
            with self._wake:
                self._raise_if_over()
                self._asked = False
            facts = self.refresh()
            self._begin(link)
            self._watcher.node_connected(self.name, facts)
            with self._wake:
                while not self._asked:
                    self._raise_if_over()
                    self._wake.wait()

    def _begin(self, link: AgentLink) -> None:
        """What a node that was looked at is asked to tell from then on."""
        link.telemetry(TELEMETRY_S)

    def _check_open(self) -> None:
        if self._closed:
            raise Cancelled("was closed", node=self.name)

    def _raise_if_over(self) -> None:
        self._check_open()
        if self._broken is not None:
            raise self._broken

    def _probe(self, link: AgentLink) -> NodeFacts:
        profile = self._profile
        return link.probe(
            root=profile.storage.root,
            python=profile.environment.python,
            setup=profile.environment.setup,
            variables=profile.environment.variables,
            ports_from=profile.ports.first,
            gpus=self._config.gpus,
            packages=self._packages(),
        )

    def _packages(self) -> Packages:
        """What its environment is made of, and which wheels this computer has for it."""
        environment = self._profile.environment
        if not environment.packages:
            return Packages()
        digests = WheelStore().digests(environment.packages)
        return Packages(environment.packages, environment.wheels, digests)

    def _tell_checked(self, link: AgentLink, facts: NodeFacts) -> None:
        fatal = [p for p in facts.problems if p.fatal]
        shown = (fatal or list(facts.problems))[:1]
        waits = "" if facts.environment != "missing" or fatal else MADE_AT_LAUNCH
        state: NodeState = "unusable" if fatal else "ready"
        self._publish(
            NodeUpdate(
                node=self.name,
                state=state,
                detail=shown[0].what if shown else waits,
                remedy=shown[0].remedy if shown else "",
                last_heard=link.last_heard,
                facts=facts,
            )
        )

    def _link_closed(self, error: ClewError | None) -> None:
        with self._wake:
            if self._closed or self._broken is not None:
                return
            self._broken = error or ClewError(
                "the connection to the agent ended", node=self.name, remedy="Connect again."
            )
            self._wake.notify_all()

    def _unreachable(self, error: ClewError) -> None:
        last = self._update.last_heard
        state: NodeState = "unreachable"
        if isinstance(error, Cancelled):
            state = "disconnected"
        elif isinstance(error, NodeError):
            state = "unusable"  # it answers, but no agent can run there
        with self._wake:
            if self._closed:
                return
        self._publish(replace(self._update, state=state, detail=error.what, remedy=error.remedy))
        self._watcher.node_lost(self.name, last or time.time())

    def _pause(self, failures: int, needs_user: bool) -> None:
        longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failures, 10))
        pause = longest * random.uniform(0.5, 1.0)  # noqa: S311 - so that nodes do not all try at once
        with self._wake:
            if not self._asked and not self._closed:
                self._wake.wait_for(
                    lambda: self._asked or self._closed, None if needs_user else pause
                )

    def _state(self, state: NodeState, detail: str = "") -> None:
        self._publish(replace(self._update, state=state, detail=detail, remedy=""))

    def _publish(self, update: NodeUpdate) -> None:
        if self._note(update):
            self._watcher.node_changed(update)

    def _note(self, update: NodeUpdate) -> bool:
        """It is so from now on; False: the node was closed."""
        with self._wake:
            if not self._closed:
                self._update = update
            return not self._closed
