"""Tasks go where the profile says, and a place that cannot be is refused in one sentence."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from remote.errors import PlanError, ProfileError
from remote.facts import NodeFacts
from remote.placing import placement_of
from remote.plan import Plan, make_plan
from remote.profile import Profile, build, dumps, loads, override
from tests.support.facts import cards, node_facts

NODES = [node_facts("a", cards("a", 2)), node_facts("b", cards("b", 1)), node_facts("c", ())]


def plan(
    placement: dict[str, str], nodes: list[NodeFacts] = NODES, /, gpus: Any = "all", **training: Any
) -> Plan:
    hosts = [{"host": facts.node, "gpus": gpus} for facts in nodes]
    profile = build({"nodes": hosts, "training": training, "placement": placement})
    return make_plan(profile, {facts.node: facts for facts in nodes})


def places(found: Plan) -> dict[str, tuple[str, list[int]]]:
    return {str(t.task): (t.node, [gpu.index for gpu in t.gpus]) for t in found.tasks}


def test_that_tasks_go_where_the_profile_says() -> None:
    found = plan({"worker:1": "a/1", "ps:0": "c", "worker:0": "b/0"})
    assert places(found) == {"ps:0": ("c", []), "worker:0": ("b", [0]), "worker:1": ("a", [1])}
    environment = found.tasks[0].environment
    assert environment["CUDA_VISIBLE_DEVICES"] == "-1"  # a ps takes no card
    assert found.tasks[2].environment["CUDA_VISIBLE_DEVICES"] == "GPU-a-1"


def test_that_the_card_that_was_chosen_is_the_one_that_is_used_whatever_cuda_calls_it() -> None:
    slow, fast = cards("a", 2)
    slow = dataclasses.replace(slow, name="K80", uuid="GPU-at-01:00.0")
    fast = dataclasses.replace(fast, uuid="GPU-at-41:00.0")  # CUDA's number 0
    found = plan({"worker:0": "a/1", "ps:0": "a"}, [node_facts("a", (slow, fast))])
    environment = found.tasks[1].environment
    assert environment["CUDA_VISIBLE_DEVICES"] == "GPU-at-41:00.0"
    assert environment["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert environment["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"


def test_that_a_worker_per_node_has_all_its_gpus_and_a_cpu_may_have_several_workers() -> None:
    found = plan({"worker:0": "a", "ps:0": "b"}, worker_per="node")
    assert places(found)["worker:0"] == ("a", [0, 1])
    found = plan({"worker:0": "c", "worker:1": "c", "worker:2": "a", "ps:0": "b"})
    assert [places(found)[f"worker:{i}"] for i in range(3)] == [("c", []), ("c", []), ("a", [])]


def test_that_a_single_process_goes_where_the_chief_is_placed() -> None:
    placement = {"worker:0": "b/0", "worker:1": "a/0", "ps:0": "c"}
    assert places(plan(placement, baseline="single")) == {"worker:0": ("b", [0])}


def test_that_sharing_is_said_where_ps_are_to_be_alone() -> None:
    found = plan({"worker:0": "a/0", "ps:0": "a"}, ps_placement="dedicated")
    assert "a: ps:0 shares it with worker:0, though ps_placement is dedicated" in found.warnings


@pytest.mark.parametrize("workers", [None, 3])
@pytest.mark.parametrize("per", ["gpu", "node"])
def test_that_what_is_automatic_is_the_same_plan_when_it_is_said(
    workers: int | None, per: str
) -> None:
    automatic = plan({}, workers=workers, worker_per=per, ps=2)
    training = build({"training": {"worker_per": per}}).training
    assert plan(placement_of(automatic.tasks, training), workers=workers, worker_per=per, ps=2) == (
        automatic
    )


@pytest.mark.parametrize(
    ("placement", "training", "words"),
    [
        (
            {"worker:0": "a/0", "worker:1": "a/7", "ps:0": "c"},
            {},
            "worker:1 cannot have GPU 7 of a: there is none of that number. Choose one of 0, 1",
        ),
        (
            {"worker:0": "c/0", "ps:0": "c"},
            {},
            "worker:0 cannot have GPU 0 of c: there is none of that number. Choose another node",
        ),
        (
            {"worker:0": "a/0"},
            {},
            "ps:0 has no place. Give it one, or place all tasks automatically",
        ),
        (
            {"worker:0": "a/0", "ps:0": "c"},
            {"workers": 2},
            "worker:1 has no place. Give it one, or place all tasks automatically",
        ),
        (
            {"worker:0": "a/0", "worker:1": "b", "ps:0": "c"},
            {"workers": 1},
            "worker:1 has a place, but workers is 1. Set workers higher, or take it out",
        ),
        (
            {"worker:0": "a/0", "ps:0": "c"},
            {"worker_per": "node"},
            "worker:0 is to have GPU 0 of a, but worker_per is node. Write a for all its GPUs, or "
            "set worker_per to gpu",
        ),
        (
            {"worker:0": "a", "worker:1": "a", "ps:0": "c"},
            {"worker_per": "node"},
            "worker:0 and worker:1 are both on a, and worker_per is node. Move one",
        ),
        (
            {"worker:0": "a/0", "ps:0": "c"},
            {"update": "sync", "backup_workers": 1},
            "backup_workers must be below the number of workers: 1 of 1 would leave none to wait "
            "for. Set it lower or add workers",
        ),
    ],
)
def test_that_places_that_cannot_be_are_one_sentence_each(
    placement: dict[str, str], training: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanError) as caught:
        plan(placement, **training)
    assert str(caught.value) == words
    assert [fault.message for fault in caught.value.faults] == [words]


def test_that_a_fault_says_which_task_on_which_card() -> None:
    lost = dataclasses.replace(cards("a", 2)[1], lost=True)
    nodes = [node_facts("a", (cards("a", 1)[0], lost))]
    with pytest.raises(PlanError, match="its system has lost it") as caught:
        plan({"worker:0": "a/1", "ps:0": "a"}, nodes)
    (fault,) = caught.value.faults
    assert (fault.node, fault.gpu, fault.task) == ("a", 1, "worker:0")
    with pytest.raises(PlanError, match="gpus of this node leaves it out"):
        plan({"worker:0": "a/1", "ps:0": "a"}, [node_facts("a", cards("a", 2))], gpus=[0])


@pytest.mark.parametrize(
    ("placement", "words"),
    [
        ({"worker:0": "d/0"}, "there is no node d: write one of a, b, c"),
        ({"worker:0": "a/0", "worker:1": "a/0"}, "a/0 is the place of worker:0, too"),
        ({"ps:0": "a/0"}, "a ps uses no GPU: write ps:0: a"),
        ({"worker:0": ""}, "must be a node like gpu001, or a GPU of it like gpu001/0"),
        ({"worker:0": "a/x"}, 'must be a node like gpu001, or a GPU of it like gpu001/0, not "a/x'),
        ({"worker:0": "/0"}, 'must be a node like gpu001, or a GPU of it like gpu001/0, not "/0"'),
        ({"worker": "a"}, "is not a task: write worker:0, worker:1, or ps:0"),
        ({"worker:01": "a"}, "is not a task"),
        ("a", "must be a mapping like"),
    ],
)
def test_that_what_no_node_is_needed_for_is_told_with_the_profile(
    placement: Any, words: str
) -> None:
    with pytest.raises(ProfileError, match="placement") as caught:
        build({"nodes": ["a", "b", "c"], "placement": placement})
    assert words in caught.value.issues[0].message
    assert len(caught.value.issues) == 1


def test_that_a_mistake_of_a_place_has_its_line() -> None:
    text = "clew: 1\nnodes: [gpu001]\nplacement:\n  ps:0: gpu001\n  worker:0: gpu01/0\n"
    with pytest.raises(ProfileError) as caught:
        loads(text)
    (issue,) = caught.value.issues
    assert (issue.line, issue.key) == (5, "placement.worker:0")
    assert issue.message == "there is no node gpu01, did you mean gpu001?"


@pytest.mark.parametrize(
    "name", ["gpu001", "nœud un 'é'", "节点", "2001:db8::5", "12", "~", "a: b"]
)
def test_that_places_are_read_as_they_were_saved(name: str) -> None:
    node = {"host": "gpu001", "name": name}
    placement = {"ps:0": name, "worker:0": f"{name}/0", "worker:1": f"{name}/11"}
    profile = build({"nodes": [node], "placement": placement})
    text = dumps(profile)
    assert loads(text).profile == profile
    assert "placement" not in dumps(build({"nodes": [node]}))


def test_that_a_small_placement_may_be_written_in_one_line() -> None:
    text = "clew: 1\nnodes: [gpu001]\nplacement: {worker:0: gpu001/0, ps:0: gpu001}\n"
    assert loads(text).profile.placement == {"ps:0": "gpu001", "worker:0": "gpu001/0"}


def test_that_places_are_set_on_the_command_line() -> None:
    profile: Profile = build({"nodes": ["a", "b"]})
    changed = override(profile, ["placement.worker:0=a/1", "placement.ps:0=b"])
    assert changed.placement == {"ps:0": "b", "worker:0": "a/1"}
    changed = override(changed, ["placement.worker:0=b/0"])
    assert changed.placement["worker:0"] == "b/0"
    changed = override(changed, ["placement.worker:0="])
    assert changed.placement == {"ps:0": "b"}
    assert override(changed, ["placement="]).placement == {}
    assert override(profile, ["placement={worker:0: a}"]).placement == {"worker:0": "a"}
    with pytest.raises(ProfileError, match=r"--set placement\.ps:0=a/0: a ps uses no GPU"):
        override(profile, ["placement.ps:0=a/0"])
