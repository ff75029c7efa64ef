"""How runs begin and are taken up with a profile whose nodes Slurm gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remote.errors import Cancelled, NodeError, PlanError
from remote.history import RunRecord
from remote.placing import Places
from remote.plan import Plan
from remote.profile import NodeConfig, Profile
from remote.profile.cluster import SlurmCluster
from remote.session.attaching import known_tasks, past
from remote.session.check_frame import CheckFrame
from remote.session.cuts import through_cuts
from remote.session.found import FoundRun
from remote.session.node import Node
from remote.session.openings import Beginning, Home, checked
from remote.session.picture import RunPicture
from remote.session.prepare import Preparation, Prepared
from remote.session.provision import Provision
from remote.session.resuming import resumed_on_disk
from remote.session.run import Opening, Run
from remote.session.slurm.checking import SlurmCheck
from remote.session.slurm.ending import JobEnd, not_gone
from remote.session.slurm.listing import find_handed_in
from remote.session.slurm.lookout import Lookout
from remote.session.slurm.nodes import LoginNode
from remote.session.slurm.order import order
from remote.session.slurm.tenancy import Tenancy
from remote.updates import Leftover
from trainer.spec import TrainingSpec

NO_PLACES = "Slurm gives the nodes when the job starts: tasks are placed then, and not by hand"


class SlurmNodes:
    """Openings on nodes of a job; one node, the login, is there from the start."""

    def __init__(self, home: Home, slurm: SlurmCluster) -> None:
        self._home = home
        self._slurm = slurm
        self._login = slurm.login

    def entries(self) -> Sequence[Node]:
        home = self._home
        return [LoginNode(self._login, home.profile, home.connector, home.watcher)]

    def plan(self, training: TrainingSpec | None, placement: Places) -> Plan:
        """Never: nothing is known before the job starts. Raises PlanError."""
        raise PlanError(NO_PLACES)

    def begin(self, training: TrainingSpec | None, placement: Places) -> Beginning:
        profile = checked(self._home.profile, training, None)
        if placement:
            raise PlanError(NO_PLACES, remedy="Take the places out of the profile.")
        node = self._home.nodes[self._login.name]
        if not node.connected or node.facts is None or not node.facts.root:
            what = node.update.detail or "is not connected"
            raise NodeError(what, node=node.name, remedy=node.update.remedy)
        submission = Submission(self._home, profile, self._login, self.tenancy)
        return Beginning(profile, (), submission)

    def attachment(self) -> Opening:
        return TakingUp(self._home, self._login, self.tenancy)

    def check(self, *, hello: bool) -> CheckFrame:
        return SlurmCheck(self._home, self._slurm, hello=hello)

    def runs(self) -> list[FoundRun]:
        return find_handed_in(self._home.nodes[self._login.name])

    def give_back(self, run_id: str) -> list[Leftover]:
        known = self._home.history.jobs.of_run(run_id)
        if known is None:
            return []
        lookout = Lookout(run_id, self._home.nodes[self._login.name], known.root)
        job = JobEnd(run_id, lookout, threading.Event()).bring_about(0.0)
        return not_gone(job, self._login.name)

    def tenancy(self, run: Run) -> Tenancy:
        """The run's job, as it is at the login node."""
        known = run.home.history.jobs.of_run(run.run_id)
        lookout = Lookout(
            run.run_id, self._home.nodes[self._login.name], known.root if known is not None else ""
        )
        return Tenancy(self._home, run, self._login, lookout)


@dataclass(slots=True)
class Submission:
    """The opening of a new run: prepare the shared disk once, hand the job in, wait."""

    home: Home
    profile: Profile
    login: NodeConfig
    tenancy: Callable[[Run], Tenancy]

    def __call__(self, run: Run) -> None:
        """Raises ClewError."""
        node, history = self.home.nodes[self.login.name], run.home.history
        facts = node.facts
        assert facts is not None
        root = facts.root
        training = resumed_on_disk(self.profile.training, node.place, history, run.run_id)
        prepared = self._prepare(run, node, root)
        history.set_files(run.run_id, prepared.names)
        if run.cancelled.is_set():
            raise Cancelled("stopped while preparing")
        record = history.run(run.run_id)
        name = record.name if record is not None else ""
        document = order(run.run_id, name, self.profile, training, prepared, root)
        run.set_state("queued", "handing the job in")
        run.started = True
        run.lender = tenancy = self.tenancy(run)
        try:
            through_cuts(
                node,
                run.cancelled.is_set,
                lambda link: link.slurm.submit(root=root, run_id=run.run_id, order=document),
            )
        except Cancelled:
            if run.let_go.is_set():
                raise
            tenancy.cancel_waiting()  # it may have been handed in all the same
            return
        run.opened.set()
        tenancy.wait()

    def _prepare(self, run: Run, node: Node, root: str) -> Prepared:
        names = {node.name: node}
        return Preparation(
            nodes=names,
            workers=[node.name],
            roots={node.name: root},
            training=self.profile.training,
            digests=run.home.history.path.with_name("digests.db"),
            tell=run.home.tell,
            cancelled=run.cancelled.is_set,
            provision=Provision(names, self.profile, run.home.tell, run.cancelled.is_set),
        ).run()


@dataclass(slots=True)
class TakingUp:
    """The opening of a run that was handed in earlier: goes on wherever it is by now."""

    home: Home
    login: NodeConfig
    tenancy: Callable[[Run], Tenancy]

    def __call__(self, run: Run) -> None:
        """Raises ClewError."""
        history = run.home.history
        record = history.run(run.run_id) or self._find(run)
        for update in past(history, run.picture):
            run.home.tell(update)
        if record.result is not None:
            run.conclude(record.result)
            return
        run.started = True
        run.lender = tenancy = self.tenancy(run)
        tenancy.shown = True
        run.opened.set()
        tenancy.wait()

    def _find(self, run: Run) -> RunRecord:
        """One that was handed in from elsewhere; it is known here from then on."""
        login = self.home.nodes[self.login.name]
        found = next((f for f in find_handed_in(login) if f.run_id == run.run_id), None)
        if found is None:
            raise NodeError(
                f"{login.name} has no run {run.run_id} on record",
                remedy="Check that it is connected, or list the runs: clew runs",
            )
        self.home.adopt(found)
        record = run.home.history.run(run.run_id)
        assert record is not None
        run.show(
            RunPicture(run.run_id, known_tasks(run.home.history, run.run_id), record.started_at)
        )
        return record
