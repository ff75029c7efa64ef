"""The nodes of a session with Slurm: where one logs in, and those whose records are read there."""

from __future__ import annotations

import dataclasses
import time

from remote.errors import ClewError
from remote.facts import NodeFacts
from remote.link import AgentLink
from remote.node import storage
from remote.profile import NodeConfig, Profile
from remote.session.node import ConnectorFactory, Node, NodeWatcher
from remote.updates import NodeUpdate

LOSS_S = 10.0
"""Slurm has said by then that a job has ended."""


class LoginNode(Node):
    """It deploys and asks Slurm, and trains nothing: what training lacks there is only told.

    But its files must go where the profile says, which the job's nodes share with it.
    """

    def __init__(
        self,
        config: NodeConfig,
        profile: Profile,
        connector: ConnectorFactory,
        watcher: NodeWatcher,
    ) -> None:
        no_gpus = config.model_copy(update={"gpus": "none"})
        super().__init__(no_gpus, profile, connector, watcher)

    def _probe(self, link: AgentLink) -> NodeFacts:
        facts = super()._probe(link)
        if not facts.root:
            return facts
        elsewhere = storage.ELSEWHERE % facts.root
        told = tuple(  # the nodes do not share a folder that is the login's own
            dataclasses.replace(one, fatal=elsewhere in one.what) for one in facts.problems
        )
        return dataclasses.replace(facts, problems=told)


class LentNode(Node):
    """A node of a job. Its agent ends with the job, which is no loss: one is told when it lasts."""

    _lost_at: float | None = None

    def _unreachable(self, error: ClewError) -> None:
        self._lost_at = time.monotonic() if self._lost_at is None else self._lost_at
        super()._unreachable(error)

    def _publish(self, update: NodeUpdate) -> None:
        if update.state in ("ready", "unusable"):
            self._lost_at = None
        if self._lost_at is None or time.monotonic() - self._lost_at >= LOSS_S:
            super()._publish(update)
        else:
            self._note(update)


class RecordsNode(Node):
    """A node that was given back: its files on the shared disk, read where one logs in.

    Its agent runs on the login node under the node's name; nothing is measured there.
    """

    def __init__(
        self,
        name: str,
        login: NodeConfig,
        profile: Profile,
        connector: ConnectorFactory,
        watcher: NodeWatcher,
        root: str,
    ) -> None:
        self._root = root
        config = login.model_copy(update={"name": name, "gpus": "none"})
        super().__init__(config, profile, connector, watcher)

    def _probe(self, link: AgentLink) -> NodeFacts:
        hello = link.hello
        return NodeFacts(
            node=self.name,
            seen_at=time.time(),
            hostname=self.name,
            boot_id="",
            network_namespace="",
            user=hello.user,
            home=hello.home,
            root=self._root,
            python="",
            python_version="",
            tensorflow_version=None,
            cpus=0,
            memory_bytes=0,
            disk_free_bytes=0,
            gpus=(),
            gpu_note="it was given back to Slurm",
            ports_in_use=(),
            clock_offset_s=link.clock_offset_s,
        )

    def _begin(self, link: AgentLink) -> None:
        """Samples of the login node are not this node's."""

    def _publish(self, update: NodeUpdate) -> None:
        """Nobody is told: the node itself is gone."""
        self._note(update)
