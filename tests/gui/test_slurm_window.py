"""The window on a real Slurm: what the cluster has, a run that waits, starts, trains and ends."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from gui.attention import Happening
from gui.cluster_page import ClusterPage
from gui.live_page import LivePage
from gui.notifying import Way
from gui.window import MainWindow
from tests.support.slurm import SlurmCluster
from tests.support.slurm_profile import slurm_profile

Wait = Callable[[Callable[[], bool], float], None]
LONG_S = 240.0
"""A node starts TensorFlow three times on a busy machine."""
pytestmark = [
    pytest.mark.nodes,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn has the digits"),
]


def test_that_a_job_waits_is_told_at_its_start_and_trains(
    slurm_cluster: SlurmCluster,
    window: MainWindow,
    odd_path: Path,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller = window.controller
    controller.known_hosts = [slurm_cluster.known_hosts]
    told: list[Happening] = []

    def tell(happening: Happening) -> Way:
        told.append(happening)
        return "none"

    monkeypatch.setattr(window.notifying, "tell", tell)
    other = slurm_cluster.submit("sleep 900", "-N2", "--exclusive")
    slurm_cluster.wait_for(other, "RUNNING")
    assert window.open_profile(str(slurm_profile(slurm_cluster, odd_path)))
    cluster = window.page("cluster")
    assert isinstance(cluster, ClusterPage)

    window.actions_by_name["connect"].trigger()
    wait(lambda: cluster.slurm.look is not None, LONG_S)
    assert cluster.slurm.partitions.rowCount() >= 1
    assert not controller.why_not_launch()

    window.actions_by_name["launch"].trigger()
    live = window.page("live")
    assert isinstance(live, LivePage)
    wait(lambda: live.queue.isVisible() and "Job" in live.queue.name.text(), LONG_S)
    wait(lambda: bool(live.queue.words.text()), LONG_S)
    assert "waits" in live.queue.name.text()
    assert told == []

    slurm_cluster.call("scancel", other)
    run = controller.models.run
    assert run is not None
    wait(lambda: run.state != "queued" or run.ended, LONG_S)
    wait(lambda: any("has its nodes" in happening.text for happening in told), LONG_S)
    window.show_page("cluster")
    wait(lambda: cluster.model.rowCount() == 3 or run.ended, LONG_S)
    wait(lambda: run.ended, LONG_S)
    assert run.result is not None
    assert run.result.state == "finished", run.result.reason
    assert run.step == 300
    assert not live.queue.isVisible()
    wait(lambda: cluster.model.rowCount() == 1, LONG_S)
    assert not controller.why_not_launch()
