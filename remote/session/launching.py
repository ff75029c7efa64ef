"""From a plan to running tasks on all nodes, or to none at all."""

from __future__ import annotations

from collections.abc import Mapping

from remote.errors import Cancelled, ClewError
from remote.link import TaskLaunch
from remote.plan import Plan, PlannedTask
from remote.profile import Profile
from remote.session.parallel import on_all, with_node
from remote.session.prepare import Preparation, Prepared
from remote.session.run import Run
from remote.session.shutdown import stop_everywhere
from remote.session.tasks import Task
from trainer.spec import TaskSpec, TrainingSpec

GRACE_S = 8.0
"""Between TERM and KILL when a supervisor is told to stop its task."""


class Launch:
    """The opening of a run that is new.

    Args:
        profile: how tasks are run (Python, setup lines).
        training: what to train.
        plan: where each task goes.
        roots: absolute storage root by node.
        pythons: absolute path of each node's Python.
    """

    def __init__(
        self,
        profile: Profile,
        training: TrainingSpec,
        plan: Plan,
        roots: Mapping[str, str],
        pythons: Mapping[str, str],
    ) -> None:
        self._profile = profile
        self._training = training
        self._plan = plan
        self._roots = roots
        self._pythons = pythons

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
        for task in run.picture.tasks.values():
            task.preparing = True
        run.tell_tasks()
        prepared = self._prepare(run)
        if run.cancelled.is_set():
            raise Cancelled("stopped while preparing")
        run.set_state("starting")
        run.started = True
        for task in run.picture.tasks.values():
            task.launched = True
        run.tell_tasks()
        by_node: dict[str, list[PlannedTask]] = {}
        for planned in self._plan.tasks:
            by_node.setdefault(planned.node, []).append(planned)

        def start(name: str) -> None:
            link = run.home.nodes[name].link()
            try:
                run.follow_node(name)
                for planned in by_node[name]:
                    link.start_task(self._order(run.run_id, planned, prepared))
            except ClewError as error:
                raise with_node(error, name) from None

        outcome = on_all(by_node, start)
        if outcome.failed:
            self._undo(run)
            outcome.raise_first()

    def _prepare(self, run: Run) -> Prepared:
        names = {planned.node for planned in self._plan.tasks}
        workers = {p.node for p in self._plan.tasks if p.task.role == "worker"}
        return Preparation(
            nodes={name: run.home.nodes[name] for name in run.home.nodes if name in names},
            workers=workers,
            roots=self._roots,
            training=self._training,
            tell=run.home.tell,
            cancelled=run.cancelled.is_set,
        ).run()

    def _undo(self, run: Run) -> None:
        run.set_state("stopping", "a task could not be started")
        run.left = tuple(stop_everywhere(run.home.nodes, run.roots, run.run_id, 1.0))

    def _order(self, run_id: str, planned: PlannedTask, prepared: Prepared) -> TaskLaunch:
        root = self._roots[planned.node]
        spec = TaskSpec(
            run_id=run_id,
            task=planned.task,
            cluster=self._plan.cluster,
            training=self._training,
            data_dir=prepared.data_dirs.get(planned.node),
            checkpoint_dir=f"{root}/runs/{run_id}/checkpoints",
        )
        return TaskLaunch(
            root=root,
            app=prepared.app,
            spec=spec,
            python=self._pythons[planned.node],
            setup=self._profile.environment.setup,
            variables=self._profile.environment.variables,
            environment=planned.environment,
            ports=(planned.port,),
            grace_s=GRACE_S,
        )
