"""What a plan means is shown as it will be, without anything that is secret."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gui.consequences import TABS, command, consequences, masked, title
from remote.facts import NodeFacts
from remote.plan import Plan, make_plan
from remote.profile import Profile, build
from tests.support.facts import cards, node_facts

FACTS = {"a": node_facts("a", cards("a", 2)), "läb": node_facts("läb", ())}


def planned(**data: Any) -> tuple[Profile, Plan, dict[str, NodeFacts]]:
    nodes = [{"host": "a"}, {"host": "b", "name": "läb", "address": "10.0.0.7"}]
    profile = build({"nodes": nodes, **data})
    return profile, make_plan(profile, FACTS), FACTS


def test_that_a_task_is_told_with_address_device_environment_and_command() -> None:
    profile, plan, facts = planned(placement={"worker:0": "a/1", "ps:0": "läb"})
    overview, config, environment, line = consequences(profile, plan, facts, "worker:0")
    assert overview.splitlines() == [
        "task     worker:0, the chief",
        "node     a",
        "address  a:2220",
        "devices  GPU 1 (A100)",
        "uuid     GPU-a-1",
    ]
    assert json.loads(config) == {
        "cluster": {"ps": ["10.0.0.7:2220"], "worker": ["a:2220"]},
        "task": {"type": "worker", "index": 0},
    }
    assert "CUDA_VISIBLE_DEVICES=GPU-a-1" in environment.splitlines()
    assert f"TF_CONFIG='{plan.tasks[1].environment['TF_CONFIG']}'" in environment.splitlines()
    assert line == "/usr/bin/python3 -m trainer /home/ana/.clew/runs/RUN/a/worker-0"
    assert title(plan, "worker:0") == "worker:0, the chief, on a"
    assert title(plan, "") == "All 2 tasks"


def test_that_all_tasks_are_told_together() -> None:
    profile, plan, facts = planned()
    overview, config, environment, lines = consequences(profile, plan, facts, "")
    assert overview.startswith(plan.describe())
    assert json.loads(config) == {"cluster": plan.cluster.as_dict()}
    assert "worker:1: CUDA_VISIBLE_DEVICES=GPU-a-1" in environment.splitlines()
    assert lines.count("-m trainer") == len(plan.tasks)
    assert len(TABS) == 4


def test_that_a_program_of_the_users_is_named() -> None:
    training = {"command": ["python", "train.py", "--api-key", "hunter2"], "workers": 1, "ps": 0}
    profile, plan, facts = planned(training=training)
    line = command(profile, plan.tasks[0], facts)
    assert "-m trainer.script" in line
    assert line.endswith("# which runs: python train.py --api-key …")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://ana:hunter2@pypi.lab/simple", "https://ana:…@pypi.lab/simple"),
        ("export TOKEN=hunter2", "export TOKEN=…"),
        ("export HF_TOKEN='hun ter2' && cd /x", "export HF_TOKEN=… && cd /x"),
        ('login --password "hun ter2" -u ana', "login --password … -u ana"),
        ("module load cuda/12.4", "module load cuda/12.4"),
        ("export PATH=/opt/bin:$PATH", "export PATH=/opt/bin:$PATH"),
    ],
)
def test_that_nothing_secret_is_shown(text: str, shown: str) -> None:
    assert masked(text) == shown
    environment = {"variables": {"PLACE": text}, "setup": [text]}
    profile, plan, facts = planned(environment=environment)
    for task in ("worker:0", ""):
        for tab in consequences(profile, plan, facts, task):
            assert "hun" not in tab
