"""The hello: a ps and a worker on every node add two vectors on every device, as training would."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import threading
from collections.abc import Callable, Mapping

from remote.bundle import app_tree
from remote.checks import HelloDevice
from remote.errors import ClewError
from remote.facts import NodeFacts
from remote.link import TaskLaunch
from remote.plan import Plan, PlannedTask, make_plan
from remote.preflight import hello_devices
from remote.profile import Profile
from remote.session.node import Node
from remote.session.parallel import on_all
from remote.survey import HelloOutput
from trainer.spec import TaskSpec, TrainingSpec

LIMIT_S = 120.0
"""Importing TensorFlow from a slow shared disk is most of it."""


def hello_training(training: TrainingSpec) -> TrainingSpec:
    """What is planned for a hello: one worker on each node, with all its devices, and one ps."""
    return dataclasses.replace(
        training,
        baseline="none",
        command=(),
        update="async",
        backup_workers=0,
        replication="between-graph",
        worker_per="node",
        workers=None,
        ps=1,
        ps_placement="alongside",
    )


class Hello:
    """One hello. :meth:`run` blocks; whatever happens, no process of it stays.

    Args:
        nodes: the session's nodes by name.
        facts: what those have that are to take part.
        addresses: how each node's host is known on this computer.
        tell: called with each node and what it does.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        facts: Mapping[str, NodeFacts],
        profile: Profile,
        addresses: Mapping[str, str],
        tell: Callable[[str, str], None],
        cancelled: Callable[[], bool],
        limit_s: float = LIMIT_S,
    ) -> None:
        self._nodes = nodes
        self._facts = facts
        self._profile = profile
        self._addresses = addresses
        self._training = hello_training(profile.training)
        self._app = app_tree()
        self._plan: Plan
        self._tasks: dict[str, PlannedTask] = {}
        self._tell = tell
        self._cancelled = cancelled
        self._limit_s = limit_s
        self._token = secrets.token_hex(16)
        self._lock = threading.Lock()
        self._left = 0

    def run(self) -> list[HelloDevice]:
        """What came of each device of each node. A node that cannot take part keeps no other.

        Raises:
            PlanError: the rest cannot be planned.
            Cancelled: the user stopped it.
        """
        sent = on_all(self._facts, self._send, self._cancelled)
        found: list[HelloDevice] = []
        for name, error in sent.failed.items():
            found += hello_devices(name, self._facts[name].live_gpus, None, error.what)
        if not sent.succeeded:
            return found
        names = list(sent.succeeded)
        self._make_plan(names)
        try:
            outcome = on_all(
                self._tasks, lambda task: self._one(self._tasks[task]), self._cancelled
            )
        finally:
            self._stop(names)
        failed = {task: error.what for task, error in outcome.failed.items()}
        instead = self._ps_words(outcome.succeeded, failed)
        return found + self._devices(outcome.succeeded, failed, instead)

    def _make_plan(self, names: list[str]) -> None:
        """One worker on each of these nodes, and a ps beside one of them."""
        nodes = tuple(node for node in self._profile.nodes if node.name in names)
        changes = {"training": self._training, "nodes": nodes, "placement": {}}
        self._plan = make_plan(
            self._profile.model_copy(update=changes),
            self._facts,
            addresses=self._addresses,
            allow_mixed_tensorflow=True,
        )
        self._tasks = {str(planned.task): planned for planned in self._plan.tasks}
        self._left = sum(planned.task.role == "worker" for planned in self._plan.tasks)

    def _send(self, name: str) -> None:
        self._tell(name, "sending the trainer")
        self._nodes[name].link().put_tree(
            self._app,
            root=self._facts[name].root,
            progress=lambda done, total: None,
            cancelled=self._cancelled,
        )

    def _one(self, planned: PlannedTask) -> HelloOutput:
        self._tell(planned.node, "TensorFlow starts")
        link = self._nodes[planned.node].link()
        try:
            return link.checks.hello(
                self._order(planned),
                token=self._token,
                mark=secrets.token_hex(8),
                limit_s=self._limit_s,
            )
        finally:
            self._ended(planned)

    def _ended(self, planned: PlannedTask) -> None:
        """The ps is not needed after the last worker, and no worker without the ps."""
        with self._lock:
            if planned.task.role == "worker":
                self._left -= 1
                self._tell(planned.node, "")
            over = self._left == 0 or planned.task.role == "ps"
        if over:
            self._stop({p.node for p in self._tasks.values()})

    def _stop(self, names: set[str] | list[str]) -> None:
        def stop(name: str) -> None:
            with contextlib.suppress(ClewError):
                self._nodes[name].link().checks.hello_stop(self._token)

        on_all(names, stop)

    def _order(self, planned: PlannedTask) -> TaskLaunch:
        environment = self._profile.environment
        facts = self._facts[planned.node]
        return TaskLaunch(
            root=facts.root,
            app=self._app.id,
            spec=TaskSpec(
                run_id="hello",
                task=planned.task,
                cluster=self._plan.cluster,
                training=self._training,
                data_dir=None,
                checkpoint_dir="",
            ),
            python=facts.python,
            setup=environment.setup,
            variables=environment.variables,
            environment={**planned.environment, "CLEW_PATIENCE_S": str(self._limit_s)},
            arguments=("-m", "trainer.hello"),
        )

    def _ps_words(self, said: Mapping[str, HelloOutput], failed: Mapping[str, str]) -> str:
        """Why the ps, and so everything, did not work; empty: it did."""
        for task, planned in self._tasks.items():
            if planned.task.role == "ps":
                lines = said[task].lines if task in said else ()
                if task in failed:
                    return f"{task} on {planned.node} failed: {failed[task]}"
                words = [str(line["failed"]) for line in lines if "failed" in line]
                if words:
                    return f"{task} on {planned.node} failed: {words[-1]}"
                if not any(line.get("phase") == "serving" for line in lines):
                    last = said[task].last[-1:] if task in said else ()
                    return f"{task} on {planned.node} did not start{': '.join(('', *last))}"
        return ""

    def _devices(
        self, said: Mapping[str, HelloOutput], failed: Mapping[str, str], instead: str
    ) -> list[HelloDevice]:
        found = []
        for task, planned in self._tasks.items():
            if planned.task.role == "worker":
                output = said.get(task)
                reason = failed.get(task) or (instead if not _has_failed(output) else "")
                found += hello_devices(planned.node, planned.gpus, output, reason)
        return found


def _has_failed(output: HelloOutput | None) -> bool:
    """Whether it says by itself why it did not work."""
    return output is not None and any("failed" in line for line in output.lines)
