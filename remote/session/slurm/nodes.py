"""The nodes of a session with Slurm: where one logs in, and those whose records are read there."""

from __future__ import annotations

import dataclasses
import time

from remote.facts import NodeFacts
from remote.link import AgentLink
from remote.profile import NodeConfig, Profile
from remote.session.node import ConnectorFactory, Node, NodeWatcher


class LoginNode(Node):
    """It deploys and asks Slurm, and trains nothing: what training lacks there is only told."""

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
        told = tuple(dataclasses.replace(one, fatal=False) for one in facts.problems)
        return dataclasses.replace(facts, problems=told)


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
