"""The check before a job is handed in: the login node, Slurm, what is asked of it, the files."""

from __future__ import annotations

import threading

from remote.checks import Finding
from remote.errors import ClewError
from remote.preflight import Needs, node_findings, queue_findings
from remote.profile.cluster import SlurmCluster
from remote.session.check_frame import CheckFrame
from remote.session.openings import Home

NO_NODES = "the nodes are looked at when the job has them, and not before"


class SlurmCheck(CheckFrame):
    """What can be known before Slurm has given any node."""

    def __init__(self, home: Home, slurm: SlurmCluster, *, hello: bool) -> None:
        super().__init__(home)
        self._home = home
        self._slurm = slurm
        self._hello = hello

    def _look(self) -> None:
        files = threading.Thread(target=self._check_files, name="clew-check-files", daemon=True)
        files.start()
        node = self._home.nodes[self._slurm.login.name]
        if node.connected:
            self._look_at_login()
            self._ask_slurm()
        else:
            what = node.update.detail or f"is {node.update.state}"
            self._find(Finding(topic="login", level="problem", what=what, node=node.name,
                               remedy=node.update.remedy))  # fmt: skip
        if self._hello:
            what = f"the hello was left out: {NO_NODES}"
            self._find(Finding(topic="hello", level="warning", what=what))
        while files.is_alive():
            files.join(0.1)
            self._go_on()

    def _look_at_login(self) -> None:
        """Its account, its disks, its Python. Raises ClewError."""
        name = self._slurm.login.name
        node, environment = self._home.nodes[name], self._home.profile.environment
        self._step(name, "node", 0, "looking at Python, disks and limits")
        facts = node.refresh()
        found = node.link().checks.survey(
            places=[("runs", facts.root), ("home", facts.home)] if facts.root else [],
            python=facts.python_version and (facts.python or "python3"),
            setup=environment.setup,
            variables=environment.variables,
        )
        for finding in node_findings(facts, found, Needs()):
            if finding.topic != "gpu":  # nobody trains there
                self._find(finding)
        if facts.root:
            what = f"{facts.root} is to be on a disk that the job's nodes share with {name}"
            self._find(Finding(topic="home", level="ok", what=what, node=name))
        self._step(name, "node", 1)

    def _ask_slurm(self) -> None:
        name, setup = self._slurm.login.name, self._home.profile.environment.setup
        self._step(name, "node", 0, "asking Slurm about its partitions")
        try:
            look = self._home.nodes[name].link().slurm.look(setup)
        except ClewError as error:
            self._find(Finding(topic="queue", level="problem", what=error.what, node=name,
                               remedy=error.remedy))  # fmt: skip
            return
        finally:
            self._step(name, "node", 1)
        for finding in queue_findings(look, self._slurm):
            self._find(finding)
