"""The nodes of one Slurm job, each reached through the agent where one logs in."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence

from remote.channel import Channel
from remote.errors import ClewError, ConnectError, LinkLost, NodeError
from remote.link import AgentLink, Behind, How, RelayChannel

Login = Callable[[], AgentLink]
"""The agent where one logs in, as it is now. Raises NodeError or LinkLost when there is none."""


class SlurmConnector:
    """A way to one node of a job; see :class:`remote.channel.Connector`.

    Args:
        ways: what was found out already, by node; shared by the connectors of one job.
    """

    def __init__(self, login: Login, behind: Behind, ways: dict[str, How] | None = None) -> None:
        self._login = login
        self._behind = behind
        self._ways: dict[str, How] = {} if ways is None else ways
        self._lock = threading.Lock()
        self._link: AgentLink | None = None
        self._channels: weakref.WeakSet[RelayChannel] = weakref.WeakSet()
        self._closed = False
        self.why = ""
        """Why the node is reached through files; empty where it is not, or not known."""

    @property
    def how(self) -> How | None:
        """The way that is used; None: not known yet."""
        return self._ways.get(self._behind.node)

    def connect(self) -> None:
        """Find the login's agent and a way from there. Raises :class:`ConnectError`."""
        self._check()
        try:
            link = self._login()
            if self.how is None:
                self._ways[self._behind.node], self.why = link.relays.probe(self._behind)
        except ConnectError:
            raise
        except ClewError as error:  # the login may come back: it is tried again
            raise self._unreachable(error) from None
        with self._lock:
            self._link = link
        self._check()

    def open(self, command: str) -> Channel:
        """See :meth:`remote.channel.Connector.open`; through ``/bin/sh`` of that node.

        Raises:
            ConnectError: nothing can be started there; the way is looked for anew next time.
            LinkLost: the connection to where one logs in broke.
        """
        self._check()
        with self._lock:
            link = self._link
        how = self.how
        if link is None or how is None:
            raise LinkLost("it is not connected", node=self._behind.node, remedy="Connect again.")
        try:
            channel = link.relays.open(self._behind, command, how)
        except NodeError as error:
            self._ways.pop(self._behind.node, None)
            raise self._unreachable(error) from None
        with self._lock:
            self._channels.add(channel)
            closed = self._closed
        if closed:
            channel.close()
            self._check()
        return channel

    def close(self) -> None:
        """End the channels; the login's own connection stays. Final."""
        with self._lock:
            self._closed, self._link = True, None
            channels = list(self._channels)
        for channel in channels:
            channel.close()

    def _check(self) -> None:
        if self._closed:
            raise LinkLost("the connection was closed", node=self._behind.node)

    def _unreachable(self, error: ClewError) -> ConnectError:
        return ConnectError(error.what, node=self._behind.node, remedy=error.remedy)


class SlurmBackend:
    """See :class:`remote.backends.Backend`: the nodes of one start of a run's job.

    Args:
        login: the agent where one logs in, as it is now.
        nodes: Slurm's names of the job's nodes.
        cancel: ends the job; nothing of it is left when that returns.
    """

    def __init__(
        self,
        login: Login,
        *,
        root: str,
        run_id: str,
        job: str,
        cluster: str,
        nodes: Sequence[str],
        cancel: Callable[[], None],
    ) -> None:
        self._login = login
        self._behind = {
            node: Behind(root=root, run_id=run_id, job=job, cluster=cluster, node=node)
            for node in nodes
        }
        self._cancel = cancel
        self._ways: dict[str, How] = {}
        self._released = False

    def nodes(self) -> tuple[str, ...]:
        """The job's, until they are given back."""
        return () if self._released else tuple(self._behind)

    def connector(self, node: str, interactive: bool = False) -> SlurmConnector:
        """See :meth:`remote.backends.Backend.connector`; the user is never asked."""
        if node not in self.nodes():
            raise ConnectError("is no node of this job", node=node)
        return SlurmConnector(self._login, self._behind[node], self._ways)

    def release(self) -> None:
        """End the job; what could not be told is tried by the next call."""
        if not self._released:
            self._cancel()
            self._released = True
