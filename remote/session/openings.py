"""How runs of one profile begin and are taken up: on its own nodes, or on nodes that are lent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from remote.errors import PlanError
from remote.facts import NodeFacts
from remote.history import History
from remote.placing import Places, with_choices
from remote.plan import Plan, make_plan
from remote.profile import Profile
from remote.session.attaching import Attachment, find_on_nodes
from remote.session.check_frame import CheckFrame
from remote.session.checking import Check
from remote.session.found import FoundRun
from remote.session.launching import Launch
from remote.session.node import ConnectorFactory, Node, NodeWatcher
from remote.session.run import Opening
from remote.session.tasks import Task
from remote.updates import Leftover, Update
from trainer.spec import TrainingSpec


class Home(Protocol):
    """What is needed of the session."""

    @property
    def profile(self) -> Profile: ...
    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def history(self) -> History: ...
    @property
    def watcher(self) -> NodeWatcher: ...
    @property
    def connector(self) -> ConnectorFactory: ...
    def facts(self) -> dict[str, NodeFacts]: ...
    def plan(self, training: TrainingSpec | None = None, placement: Places = None) -> Plan: ...
    def addresses(self) -> dict[str, str]: ...
    def tell(self, update: Update) -> None: ...
    def adopt(self, found: FoundRun) -> None: ...
    def add_node(self, node: Node) -> None: ...
    def remove_node(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Beginning:
    """A run that can be recorded and opened."""

    profile: Profile
    """With the training and the places that were chosen for this run."""
    tasks: Sequence[Task]
    """As far as they are known before its nodes are."""
    opening: Opening
    warnings: Sequence[str] = ()


class Openings(Protocol):
    """What differs between profiles until a run is followed, and after its end."""

    def entries(self) -> Sequence[Node]:
        """The nodes that are there from the start, not connected yet."""
        ...

    def plan(self, training: TrainingSpec | None, placement: Places) -> Plan:
        """Where each task would run now. Raises PlanError."""
        ...

    def begin(self, training: TrainingSpec | None, placement: Places) -> Beginning:
        """A new run. Raises ClewError when it is clear by now that it cannot be."""
        ...

    def attachment(self) -> Opening:
        """Takes up a run that was started earlier."""
        ...

    def check(self, *, hello: bool) -> CheckFrame: ...

    def runs(self) -> list[FoundRun]:
        """The runs on record there, newest first. Blocks."""
        ...

    def give_back(self, run_id: str) -> list[Leftover]:
        """Let go of nodes that a run still has after its end; what is left then. Blocks."""
        ...


def checked(profile: Profile, training: TrainingSpec | None, placement: Places) -> Profile:
    """The profile with what was chosen for this run. Raises PlanError: it cannot be trained."""
    chosen = with_choices(profile, training, placement)
    problems = chosen.training.problems()
    if problems:
        raise PlanError("; ".join(f"{p.path} {p.message}" for p in problems))
    return chosen


class OwnNodes:
    """Openings on the nodes that the profile names."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def entries(self) -> Sequence[Node]:
        home = self._home
        return [Node(c, home.profile, home.connector, home.watcher) for c in home.profile.nodes]

    def plan(self, training: TrainingSpec | None, placement: Places) -> Plan:
        profile = with_choices(self._home.profile, training, placement)
        return make_plan(profile, self._home.facts(), addresses=self._home.addresses())

    def begin(self, training: TrainingSpec | None, placement: Places) -> Beginning:
        profile = checked(self._home.profile, training, placement)
        plan = self.plan(training, placement)
        again: Callable[[], Plan] = partial(self.plan, training, placement)
        launch = Launch(profile, profile.training, plan, self._home.facts(), again)
        return Beginning(profile, launch.tasks(), launch, plan.warnings)

    def attachment(self) -> Opening:
        return Attachment(self._home.adopt)

    def check(self, *, hello: bool) -> CheckFrame:
        return Check(self._home, hello=hello)

    def runs(self) -> list[FoundRun]:
        return find_on_nodes(self._home.nodes)

    def give_back(self, run_id: str) -> list[Leftover]:
        return []
