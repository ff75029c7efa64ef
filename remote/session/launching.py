"""From a plan to running tasks on all nodes, or to none at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from remote.errors import Cancelled, ClewError, LinkLost, NodesUnfit
from remote.facts import NodeFacts
from remote.link import AgentLink, TaskLaunch
from remote.plan import Plan, PlannedTask
from remote.preflight import caught, planned_routes
from remote.profile import Profile
from remote.session.cuts import current_link, through_cuts
from remote.session.holding import PortsHeld, Tries, holding
from remote.session.parallel import on_all, with_node
from remote.session.prepare import Preparation, Prepared
from remote.session.provision import Provision
from remote.session.reaching import FRESH_S, require_reach
from remote.session.resuming import resumed
from remote.session.run import Run
from remote.session.shutdown import stop_everywhere
from remote.session.tasks import Task
from remote.updates import NoticeUpdate
from trainer.spec import TaskId, TaskSpec, TrainingSpec

GRACE_S = 8.0
"""Between TERM and KILL when a supervisor is told to stop its task."""


class Launch:
    """The opening of a run that is new.

    Args:
        profile: how tasks are run (Python, setup lines).
        training: what to train.
        plan: where each task goes.
        facts: what the nodes had when that was planned.
        replan: plans once more, from what the nodes have by now.
    """

    def __init__(
        self,
        profile: Profile,
        training: TrainingSpec,
        plan: Plan,
        facts: Mapping[str, NodeFacts],
        replan: Callable[[], Plan],
    ) -> None:
        self._profile = profile
        self._training = training
        self._plan = plan
        self._facts = facts
        self._replan = replan
        self._roots = {planned.node: facts[planned.node].root for planned in plan.tasks}

    def tasks(self) -> list[Task]:
        """All tasks, not started."""
        return [
            Task(
                task=planned.task,
                node=planned.node,
                root=self._roots[planned.node],
                address=planned.target,
                gpus=tuple(gpu.uuid for gpu in planned.gpus),
            )
            for planned in self._plan.tasks
        ]

    def __call__(self, run: Run) -> None:
        """Prepare all nodes, then start all tasks at the same time. Raises ClewError."""
        chief = next(p for p in self._plan.tasks if p.task == TaskId("worker", 0))
        self._training = resumed(self._training, chief, run.home.history, run.run_id)
        for task in run.picture.tasks.values():
            task.preparing = True
        run.tell_tasks()
        looked = ThreadPoolExecutor(1, thread_name_prefix="clew-look")
        with looked:
            ways = looked.submit(self._look_and_dial, run)
            prepared = self._prepare(run)
            run.home.history.set_files(run.run_id, prepared.names)
            ways.result()
        if prepared.pythons:
            self._plan_again(run)  # TensorFlow is there now, and may differ between nodes
        if run.cancelled.is_set():
            raise Cancelled("stopped while preparing")
        run.set_state("starting")
        run.started = True
        for task in run.picture.tasks.values():
            task.launched = True
        run.tell_tasks()
        self._start_on_free_ports(run, prepared)

    def _start_on_free_ports(self, run: Run, prepared: Prepared) -> None:
        """Start, on other ports than planned if another launch was faster. Raises ClewError."""
        tries = Tries(run.cancelled)
        while True:
            try:
                with holding(run.home.nodes, self._plan.tasks, run.cancelled.is_set):
                    self._start_all(run, prepared)
                return
            except PortsHeld as error:
                self._see_and_plan_again(run, tries, error)

    def _start_all(self, run: Run, prepared: Prepared) -> None:
        """Start all tasks on all nodes at the same time, or none. Raises ClewError."""
        by_node: dict[str, list[PlannedTask]] = {}
        for planned in self._plan.tasks:
            by_node.setdefault(planned.node, []).append(planned)

        record = run.home.history.run(run.run_id)
        called = "" if record is None else record.name

        def start_here(link: AgentLink, name: str) -> None:
            run.follow_node(name)
            for planned in by_node[name]:  # one that runs already is not started again
                link.start_task(self._order(run.run_id, called, planned, prepared))
            run.control.ask(name)  # its file lies in a folder that is only there now

        def start(name: str) -> None:
            node = run.home.nodes[name]
            try:
                through_cuts(node, run.cancelled.is_set, lambda link: start_here(link, name))
            except ClewError as error:
                raise with_node(error, name) from None

        outcome = on_all(by_node, start)
        if outcome.failed:
            self._undo(run)
            outcome.raise_first()

    def _look_and_dial(self, run: Run) -> None:
        """While files travel: are the ports free, and does everyone reach whom it will dial?

        Tasks that cannot reach each other would wait for minutes, each on its own.
        """
        tries = Tries(run.cancelled)
        self._look_again(run)
        while True:
            try:
                self._dial(run)
                return
            except (PortsHeld, LinkLost) as error:
                self._see_and_plan_again(run, tries, error)

    def _dial(self, run: Run) -> None:
        routes = planned_routes(self._plan.tasks, self._training)
        for name in {route.source for route in routes}:
            facts = run.home.nodes[name].facts
            if facts is None:
                continue
            dialled = list(dict.fromkeys(r.to.address for r in routes if r.source == name))
            if (proxied := caught(facts.proxies, dialled)) is not None:
                text, remedy = f"{name}: {proxied.what}", proxied.remedy
                run.home.tell(NoticeUpdate(level="warning", text=text, remedy=remedy, node=name))
        require_reach(run.home.nodes, routes, run.cancelled.is_set)

    def _look_again(self, run: Run) -> None:
        """Ports that were free when the nodes were checked may be held by now.

        Raises:
            ClewError: the tasks do not fit any more, or would go to other nodes.
        """
        now = time.time()
        stale = [n for n, facts in self._facts.items() if now - facts.seen_at > FRESH_S]
        if not stale:
            return
        on_all(stale, lambda name: run.home.nodes[name].refresh()).raise_first()
        self._plan_again(run)

    def _see_and_plan_again(self, run: Run, tries: Tries, error: ClewError) -> None:
        """Plan with what the nodes have by now. Raises ``error`` if that was tried often."""
        tries.again(error)

        def see(name: str) -> None:
            node = run.home.nodes[name]
            current_link(node, run.cancelled.is_set)
            node.refresh()

        on_all(self._facts, see).raise_first()
        self._plan_again(run)

    def _plan_again(self, run: Run) -> None:
        plan = self._replan()
        if [(t.task, t.node) for t in plan.tasks] != [(t.task, t.node) for t in self._plan.tasks]:
            raise NodesUnfit(
                "the nodes have changed since this was planned", remedy="Look at the new plan."
            )
        for text in plan.warnings:
            if text not in self._plan.warnings:
                run.home.tell(NoticeUpdate(level="warning", text=text, run_id=run.run_id))
        self._plan = plan
        for planned in plan.tasks:
            task = run.picture.tasks[planned.task]
            task.address, task.gpus = planned.target, tuple(gpu.uuid for gpu in planned.gpus)

    def _prepare(self, run: Run) -> Prepared:
        names = {planned.node for planned in self._plan.tasks}
        nodes = {name: run.home.nodes[name] for name in run.home.nodes if name in names}
        workers = {p.node for p in self._plan.tasks if p.task.role == "worker"}
        return Preparation(
            nodes=nodes,
            workers=workers,
            roots=self._roots,
            training=self._training,
            digests=run.home.history.path.with_name("digests.db"),
            tell=run.home.tell,
            cancelled=run.cancelled.is_set,
            provision=Provision(nodes, self._profile, run.home.tell, run.cancelled.is_set),
        ).run()

    def _undo(self, run: Run) -> None:
        run.set_state("stopping", "a task could not be started")
        run.left = tuple(
            stop_everywhere(run.home.nodes, run.roots, run.run_id, run.home.history, grace_s=1.0)
        )

    def _order(
        self, run_id: str, called: str, planned: PlannedTask, prepared: Prepared
    ) -> TaskLaunch:
        root = self._roots[planned.node]
        spec = TaskSpec(
            run_id=run_id,
            task=planned.task,
            cluster=self._plan.cluster,
            training=self._training,
            data_dir=prepared.data_dirs.get(planned.node),
            checkpoint_dir=f"{root}/runs/{run_id}/checkpoints",
            code_dir=prepared.code_dirs.get(planned.node),
        )
        return TaskLaunch(
            root=root,
            app=prepared.app,
            spec=spec,
            python=prepared.pythons.get(planned.node) or self._facts[planned.node].python,
            setup=self._profile.environment.setup,
            variables=self._profile.environment.variables,
            environment=planned.environment,
            ports=(planned.port,),
            arguments=("-m", "trainer.script" if self._training.command else "trainer"),
            grace_s=GRACE_S,
            name=called,
        )
