"""A cluster that is connected, for windows: real plans from made-up facts, no node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui.training_page import TrainingPage
from gui.window import MainWindow
from remote.facts import NodeFacts
from remote.placing import with_choices
from remote.plan import Plan, make_plan
from remote.profile import Profile
from remote.session.found import FoundRun
from remote.updates import NodeUpdate
from tests.support.facts import cards, node_facts
from trainer.spec import TrainingSpec


class PlayedSession:
    """What the Training page asks of a session: plans of the profile that was open."""

    def __init__(self, profile: Profile, facts: Mapping[str, NodeFacts]) -> None:
        self.profile = profile
        self._facts = facts

    def facts(self) -> dict[str, NodeFacts]:
        return dict(self._facts)

    def addresses(self) -> dict[str, str]:
        return {}

    def plan(self, training: TrainingSpec | None, placement: Mapping[str, str] | None) -> Plan:
        return make_plan(with_choices(self.profile, training, placement), self._facts)

    def runs(self) -> list[FoundRun]:
        """No run is on these nodes."""
        return []

    def close(self) -> None:
        """Nothing is held."""


def connected(
    window: MainWindow,
    gpus: Mapping[str, int],
    training: dict[str, Any] | None = None,
    placement: dict[str, str] | None = None,
    **facts_of: NodeFacts,
) -> TrainingPage:
    """The Training page with these nodes connected, each with so many GPUs."""
    controller = window.controller
    nodes = [{"host": f"host{i}", "name": name} for i, name in enumerate(gpus)]
    controller.document.new(
        {"nodes": nodes, "training": training or {}, "placement": placement or {}}
    )
    facts = {
        name: node_facts(name, cards(name, count, "NVIDIA A100-SXM4-80GB", 80 * 2**30))
        for name, count in gpus.items()
    }
    facts.update(facts_of)
    profile = controller.document.connectable
    assert profile is not None
    controller.session = PlayedSession(profile, facts)  # type: ignore[assignment]
    controller._session_profile = profile
    controller.models.nodes.reset(facts)
    for name, one in facts.items():
        controller.models.apply(NodeUpdate(node=name, state="ready", facts=one))
    window.show_page("training")
    page = window.page("training")
    assert isinstance(page, TrainingPage)
    controller.changed.emit()
    return page
