"""A job of a real Slurm trains by itself: no desktop is there from its submission to its end."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.slurm import UID, SlurmCluster, why_no_slurm
from tests.support.slurm_conf import SlurmOptions
from tests.support.waiting import until
from trainer.spec import FINAL_EXITS, RETRIED_EXITS, DatasetSpec, TrainingSpec, to_json

pytestmark = [
    pytest.mark.nodes,
    pytest.mark.skipif(why_no_slurm() is not None, reason=str(why_no_slurm())),
]
REPOSITORY = Path(__file__).parents[3]
DIGEST = "ab" * 32
PYTHON = str(Path(sys.prefix).resolve() / "bin" / "python")
SUBMIT = """
import json, sys
from remote.node import layout
from remote.node.slurm import ops
class Agent: node = "login1"
asked = json.load(sys.stdin)
print(json.dumps(ops.slurm_submit(Agent(), 0, asked, b"")))
"""


class Site:
    """The account's storage root, with the trainer in it."""

    def __init__(self, cluster: SlurmCluster) -> None:
        self.cluster = cluster
        self.root = cluster.home / "it's a root"
        app = self.root / "app" / DIGEST
        for part in ("trainer", "remote/node"):
            shutil.copytree(
                REPOSITORY / part, app / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(REPOSITORY / "remote" / "__init__.py", app / "remote")
        self.own(self.root)

    def own(self, folder: Path) -> None:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, UID, UID)

    def submit(self, run_id: str, training: TrainingSpec, **slurm: Any) -> str:
        restart = training.restart
        order = {
            "v": 1,
            "run_id": run_id,
            "name": "a job",
            "app": DIGEST,
            "training": to_json(training),
            "data_dir": None,
            "code_dir": None,
            "python": PYTHON,
            "setup": [],
            "variables": {"TF_CPP_MIN_LOG_LEVEL": "2"},
            "ports_first": 3220,
            "grace_s": 8.0,
            "arguments": ["-m", "trainer"],
            "restart": {k: getattr(restart, k) for k in restart.__slots__},
            "final_exits": sorted(FINAL_EXITS),
            "retried_exits": sorted(RETRIED_EXITS),
            "max_s": None,
            "root": str(self.root),
            "address": "",
            "slurm": slurm,
        }
        asked = {"root": str(self.root), "run_id": run_id, "order": order}
        program = ["env", f"PYTHONPATH={self.root / 'app' / DIGEST}", PYTHON, "-c", SUBMIT]
        told = json.loads(self.cluster.call(*program, stdin=json.dumps(asked)))
        assert told["already"] is False
        return str(told["job"])

    def run(self, run_id: str) -> Path:
        return self.root / "runs" / run_id

    def state(self, run_id: str, task: str) -> dict[str, Any]:
        """The task's record, on whatever node it is; empty: there is none."""
        for path in self.run(run_id).glob(f"*/{task}/state.json"):
            found: dict[str, Any] = json.loads(path.read_text())
            return found
        return {}

    def steps(self, run_id: str, task: str) -> list[tuple[int, int]]:
        """(attempt, step) of every step that the task has told."""
        events = [
            json.loads(line)
            for path in self.run(run_id).glob(f"*/{task}/events.jsonl")
            for line in path.read_text().splitlines()
        ]
        return [(e["attempt"], s) for e in events if e.get("type") == "steps" for s in e["steps"]]

    def said(self, run_id: str) -> str:
        """What job and tasks have printed, for a test that fails."""
        paths = [*self.run(run_id).glob("slurm/job-*"), *self.run(run_id).glob("*/*/log.txt")]
        return "\n".join(f"== {path.name}\n{path.read_text()[-1500:]}" for path in paths)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with SlurmCluster(SlurmOptions()) as cluster:
        yield Site(cluster)


def training(**choices: Any) -> TrainingSpec:
    given: dict[str, Any] = {"steps": 300, "ps": 1, "workers": 2, "model": "mlp", **choices}
    return TrainingSpec(dataset=DatasetSpec(name="synthetic"), **given)


def test_that_a_job_trains_to_its_last_step_with_the_gpus_it_was_given(site: Site) -> None:
    job = site.submit("r-1", training(), nodes=2, gpus_per_node=2)
    ended = site.cluster.wait_for(job, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")
    assert ended == "COMPLETED", site.said("r-1")
    assert {site.state("r-1", t)["state"] for t in ("ps-0", "worker-0", "worker-1")} == {"finished"}
    steps = {s for t in ("worker-0", "worker-1") for _, s in site.steps("r-1", t)}
    assert steps == set(range(1, 301))
    plan = json.loads(next(site.run("r-1").glob("slurm/*/plan.json")).read_text())
    places = {each["task"]: (each["node"], each["gpus"]) for each in plan["tasks"]}
    assert places["worker:0"] == ("gpu001", ["0"])
    assert places["worker:1"] == ("gpu002", ["0"])
    launches = {p.parent.name: json.loads(p.read_text()) for p in _launches(site, "r-1")}
    assert launches["ps-0"]["env"]["CUDA_VISIBLE_DEVICES"] == "-1"
    assert launches["worker-1"]["env"]["CUDA_VISIBLE_DEVICES"] == "0"
    site.cluster.wait_idle()


def test_that_the_warning_before_the_time_limit_stops_after_a_checkpoint(site: Site) -> None:
    job = site.submit("r-2", training(steps=10_000_000), nodes=1, time="10")
    asked = (site.run("r-2") / "slurm" / "batch.sh").read_text()
    assert "#SBATCH --signal=URG@60" in asked
    until(lambda: site.steps("r-2", "worker-0"), what=lambda: site.said("r-2"))
    site.cluster.call("scancel", "--signal=URG", job)  # as Slurm does, to all of the step
    ended = site.cluster.wait_for(job, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")
    chief = site.state("r-2", "worker-0")
    assert ended == "COMPLETED", site.said("r-2")
    assert chief["state"] == "stopped"
    assert f"the time limit of job {job} is near" in chief["reason"]
    assert list((site.run("r-2") / "checkpoints").iterdir())


def _launches(site: Site, run_id: str) -> list[Path]:
    return list(site.run(run_id).glob("*/*/launch.json"))
