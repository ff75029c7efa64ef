"""Nodes of a job behind a login, with a stand-in for the job's keeper on each."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from remote.backends import SlurmBackend
from remote.channel import Channel
from remote.link import COMMAND, AgentLink, How
from tests.support.slurm import SlurmCluster
from tests.support.ssh import Desk, known, target
from tests.support.waiting import PATIENCE_S, until

ROOT = Path(__file__).resolve().parents[2]
RUN_ID = "20261201-it's näme"
_KEEPER = """\
import os, signal, sys, threading
sys.path.insert(0, sys.argv[1])
from remote.node import layout
from remote.node.slurm import mailbox
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
run = layout.Layout(sys.argv[2], "login1").run(sys.argv[3])
mailbox.serve(os.path.join(run, "slurm", "mail", os.environ["SLURMD_NODENAME"]), stop)
"""


@dataclass
class Job:
    """A job of two nodes with a keeper on each."""

    cluster: SlurmCluster
    job: str
    root: Path
    ways: dict[str, How] = field(default_factory=dict)

    @property
    def mail(self) -> Path:
        """The folder with the nodes' folders for the way by files."""
        (run,) = (self.root / "runs").iterdir()
        return run / "slurm" / "mail"

    def backend(self, login: AgentLink) -> SlurmBackend:
        made = SlurmBackend(
            lambda: login,
            root=str(self.root),
            run_id=RUN_ID,
            job=self.job,
            cluster="clew",
            nodes=self.cluster.options.names,
            cancel=lambda: void(self.cluster.call("scancel", self.job)),
        )
        made._ways.update(self.ways)
        return made


def void(value: object) -> None:
    """Throw a value away."""


def start_job(cluster: SlurmCluster, *options: str) -> Job:
    """A job with all nodes and two GPUs on each, in which one keeper a node answers by files."""
    app = cluster.folder / "app"
    if not app.exists():
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "remote" / "node", app / "remote" / "node", ignore=skipped)
        (app / "remote" / "__init__.py").write_text("")
        (app / "keeper.py").write_text(_KEEPER)
    root = cluster.home / "it's a näme"
    words = ["python3", "-B", str(app / "keeper.py"), str(app), str(root), RUN_ID]
    script = f"exec srun --mem=100 {shlex.join(words)}"
    count = len(cluster.options.names)
    asked = [f"-N{count}", "--ntasks-per-node=1", "-c2", "--gpus-per-node=2", "--mem=500"]
    job = Job(
        cluster, cluster.submit(script, *asked, *options, f"-o{cluster.home}/keeper.out"), root
    )
    cluster.wait_for(job.job, "RUNNING")

    def served() -> bool:
        try:
            return len(list(job.mail.glob("*/served.json"))) == count
        except (OSError, ValueError):
            return False

    until(served, what=lambda: (cluster.home / "keeper.out").read_text())
    return job


@contextmanager
def login_link(cluster: SlurmCluster, folder: Path) -> Iterator[AgentLink]:
    """An agent where one logs in."""
    folder.mkdir(parents=True, exist_ok=True)
    desk = Desk(known(cluster, folder))
    with desk.connected(target(cluster.login_node, cluster.client_key)) as connector:
        link = start_agent(connector.open(COMMAND), "login1")
        try:
            yield link
        finally:
            link.close()


def start_agent(channel: Channel, node: str) -> AgentLink:
    return AgentLink.start(
        channel, node=node, python=None, on_stream=void, on_closed=void, timeout_s=PATIENCE_S
    )
