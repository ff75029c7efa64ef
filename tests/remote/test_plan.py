"""Tasks are placed where they fit, and a plan that cannot work is refused with every reason."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import pytest

from remote.errors import PlanError
from remote.facts import Gpu, NodeFacts, PortHolder, Problem
from remote.plan import Plan, make_plan
from remote.profile import Profile, build


def cards(node: str, count: int) -> tuple[Gpu, ...]:
    return tuple(
        Gpu(index=i, uuid=f"GPU-{node}-{i}", name="A100", memory_total_bytes=None)
        for i in range(count)
    )


def facts_of(node: str, count: int = 0, /, **changes: Any) -> NodeFacts:
    values: dict[str, Any] = {
        "node": node,
        "seen_at": 0.0,
        "hostname": node,
        "boot_id": f"boot-{node}",
        "network_namespace": "net:[1]",
        "user": "ana",
        "home": "/home/ana",
        "root": "/home/ana/.clew",
        "python": "/usr/bin/python3",
        "python_version": "3.11.2",
        "tensorflow_version": "2.21.0",
        "cpus": 8,
        "memory_bytes": 1 << 34,
        "disk_free_bytes": 1 << 34,
        "gpus": cards(node, count),
        "gpu_note": "" if count else "no NVIDIA driver",
        "ports_in_use": (),
        "clock_offset_s": 0.0,
        **changes,
    }
    return NodeFacts(**values)


def cluster(nodes: Sequence[NodeFacts], **training: Any) -> tuple[Profile, dict[str, NodeFacts]]:
    profile = build({"nodes": [facts.node for facts in nodes], "training": training})
    return profile, {facts.node: facts for facts in nodes}


def placement(plan: Plan) -> dict[str, tuple[str, list[int]]]:
    return {str(t.task): (t.node, [gpu.index for gpu in t.gpus]) for t in plan.tasks}


def test_that_two_workers_and_a_ps_take_a_node_each() -> None:
    plan = make_plan(*cluster([facts_of("a"), facts_of("b"), facts_of("c")], workers=2))
    assert placement(plan) == {"ps:0": ("c", []), "worker:0": ("a", []), "worker:1": ("b", [])}
    assert plan.cluster.as_dict() == {"ps": ["c:2220"], "worker": ["a:2220", "b:2220"]}
    assert plan.warnings == ()


def test_that_every_gpu_gets_a_worker() -> None:
    plan = make_plan(*cluster([facts_of("a", 2), facts_of("b", 1)]))
    assert placement(plan) == {
        "ps:0": ("b", []),
        "worker:0": ("a", [0]),
        "worker:1": ("a", [1]),
        "worker:2": ("b", [0]),
    }


def with_a_lost_card(node: str) -> NodeFacts:
    first, second, *rest = cards(node, 4)
    second = dataclasses.replace(second, warning="fell off the bus", lost=True)
    return facts_of(node, gpus=(first, second, *rest))


def test_that_a_gpu_that_was_lost_gets_no_task() -> None:
    plan = make_plan(*cluster([with_a_lost_card("a")]))
    workers = {k: v for k, v in placement(plan).items() if k.startswith("worker")}
    assert workers == {"worker:0": ("a", [0]), "worker:1": ("a", [2]), "worker:2": ("a", [3])}


def test_that_a_lost_gpu_that_is_named_is_refused_in_a_sentence() -> None:
    profile = build({"nodes": [{"host": "a", "gpus": [1]}]})
    with pytest.raises(PlanError, match=r"a: GPU 1 is lost \(fell off the bus\)\. Reboot the node"):
        make_plan(profile, {"a": with_a_lost_card("a")})


def test_that_a_worker_per_node_gets_all_its_gpus() -> None:
    plan = make_plan(*cluster([facts_of("a", 2), facts_of("b", 4)], worker_per="node"))
    assert placement(plan)["worker:1"] == ("b", [0, 1, 2, 3])
    assert len(plan.cluster.worker) == 2


def test_that_fewer_workers_than_gpus_are_spread() -> None:
    plan = make_plan(*cluster([facts_of("a", 4), facts_of("b", 4)], workers=3))
    workers = [placement(plan)[f"worker:{i}"] for i in range(3)]
    assert workers == [("a", [0]), ("a", [1]), ("b", [0])]


def test_that_gpus_come_before_cpus() -> None:
    plan = make_plan(*cluster([facts_of("a"), facts_of("b", 2)], workers=2))
    assert [t.node for t in plan.tasks if t.task.role == "worker"] == ["b", "b"]


def test_that_a_node_without_a_gpu_gets_one_cpu_worker_and_a_warning() -> None:
    plan = make_plan(*cluster([facts_of("a", 2), facts_of("b")]))
    assert placement(plan)["worker:2"] == ("b", [])
    assert "b: worker:2 has no GPU and is slower than the others" in plan.warnings


def test_that_workers_share_nodes_where_no_node_has_a_gpu() -> None:
    plan = make_plan(*cluster([facts_of("a", cpus=2), facts_of("b", cpus=2)], workers=5))
    nodes = [t.node for t in plan.tasks if t.task.role == "worker"]
    assert nodes == ["a", "a", "a", "b", "b"]
    assert plan.warnings == ("a: 3 workers share 2 CPUs",)


def test_that_two_workers_on_one_card_are_refused() -> None:
    with pytest.raises(PlanError, match="3 workers do not fit: there is room for 2") as caught:
        make_plan(*cluster([facts_of("a", 2)], workers=3))
    assert "one for each of 2 GPUs" in str(caught.value)


def test_that_more_workers_than_nodes_do_not_fit_one_per_node() -> None:
    with pytest.raises(PlanError, match="room for 2 "):
        make_plan(*cluster([facts_of("a"), facts_of("b")], workers=3, worker_per="node"))


def test_that_dedicated_ps_take_nodes_without_gpus_and_keep_them_free() -> None:
    nodes = [facts_of("a", 2), facts_of("b"), facts_of("c", 1), facts_of("d")]
    plan = make_plan(*cluster(nodes, ps=2, ps_placement="dedicated"))
    assert [t.node for t in plan.tasks if t.task.role == "ps"] == ["b", "d"]
    assert {t.node for t in plan.tasks if t.task.role == "worker"} == {"a", "c"}


def test_that_a_dedicated_node_with_gpus_is_said_to_waste_them() -> None:
    plan = make_plan(*cluster([facts_of("a", 1), facts_of("b", 1)], ps_placement="dedicated"))
    assert plan.warnings == ("b: no task uses its GPU 0 (A100)",)


def test_that_dedicated_ps_need_nodes() -> None:
    with pytest.raises(PlanError, match="2 nodes of their own and one more for workers"):
        make_plan(*cluster([facts_of("a"), facts_of("b")], ps=2, ps_placement="dedicated"))


def test_that_ps_alongside_are_spread() -> None:
    plan = make_plan(*cluster([facts_of("a", 3), facts_of("b", 1), facts_of("c", 1)], ps=4))
    assert [t.node for t in plan.tasks if t.task.role == "ps"] == ["b", "c", "b", "c"]


def test_that_a_single_process_is_one_worker_without_ps() -> None:
    nodes = [facts_of("a"), facts_of("b", 2)]
    choices = {"workers": 3, "ps": 2, "ps_placement": "dedicated", "update": "sync"}
    plan = make_plan(*cluster(nodes, baseline="single", **choices))
    assert placement(plan) == {"worker:0": ("b", [0])}
    assert plan.cluster.as_dict() == {"worker": ["b:2220"]}
    assert json.loads(plan.tasks[0].environment["TF_CONFIG"]) == {
        "cluster": {"worker": ["b:2220"]},
        "task": {"type": "worker", "index": 0},
    }
    per_node = make_plan(*cluster(nodes, baseline="single", worker_per="node"))
    assert placement(per_node) == {"worker:0": ("b", [0, 1])}


def test_that_backup_workers_leave_workers_to_wait_for() -> None:
    nodes = [facts_of("a"), facts_of("b")]
    assert make_plan(*cluster(nodes, update="sync", backup_workers=1)).tasks
    with pytest.raises(PlanError, match=r"backup_workers must be below .* 2 of 2 would leave none"):
        make_plan(*cluster(nodes, update="sync", backup_workers=2))


def test_that_a_chosen_card_is_given_by_its_uuid() -> None:
    slow = Gpu(index=0, uuid="GPU-slow", name="T4", memory_total_bytes=None)
    fast = Gpu(index=1, uuid="GPU-fast", name="A100", memory_total_bytes=None)
    profile = build({"nodes": [{"host": "a", "gpus": [1]}]})
    plan = make_plan(profile, {"a": facts_of("a", gpus=(slow, fast))})
    server, worker = plan.tasks
    assert server.environment["CUDA_VISIBLE_DEVICES"] == "-1"
    assert worker.environment["CUDA_VISIBLE_DEVICES"] == "GPU-fast"
    assert worker.environment["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert worker.environment["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"


def test_that_tf_config_says_who_a_task_is() -> None:
    plan = make_plan(*cluster([facts_of("a"), facts_of("b")]))
    config = json.loads(plan.tasks[-1].environment["TF_CONFIG"])
    assert config == {
        "cluster": {"ps": ["a:2220"], "worker": ["a:2221", "b:2220"]},
        "task": {"type": "worker", "index": 1},
    }


def test_that_variables_of_the_profile_win_except_over_clews_own() -> None:
    own = {
        "TF_FORCE_GPU_ALLOW_GROWTH": "false",
        "CUDA_VISIBLE_DEVICES": "0",
        "CLEW_RUN": "x",
        "A": "$(b) 'c'",
    }
    profile = build({"nodes": ["a"], "environment": {"variables": own}})
    plan = make_plan(profile, {"a": facts_of("a")})
    environment = plan.tasks[0].environment
    assert environment["TF_FORCE_GPU_ALLOW_GROWTH"] == "false"
    assert environment["A"] == "$(b) 'c'"
    assert environment["CUDA_VISIBLE_DEVICES"] == "-1"
    assert "CLEW_RUN" not in environment
    assert len(plan.warnings) == 2


def test_that_all_unusable_nodes_are_named_at_once() -> None:
    profile = build({"nodes": ["a", "b", "c", "d"]})
    full = Problem(what="no space in /home", remedy="Free some")
    known = {
        "a": facts_of("a", problems=(full,)),
        "b": facts_of("b", tensorflow_version=None),
        "d": facts_of("d"),
    }
    with pytest.raises(PlanError) as caught:
        make_plan(profile, known)
    assert str(caught.value).splitlines() == [
        "a: no space in /home. Free some",
        "b: there is no TensorFlow for /usr/bin/python3. "
        "Set environment.python to a Python that has it",
        "c: not connected. Connect to it, or take it out of the profile",
    ]


def test_that_a_problem_that_is_not_fatal_does_not_matter() -> None:
    note = Problem(what="home is full, using /scratch", remedy="", fatal=False)
    make_plan(*cluster([facts_of("a", problems=(note,))]))


def test_that_a_profile_without_nodes_cannot_be_planned() -> None:
    with pytest.raises(PlanError, match="there are no nodes"):
        make_plan(build({}), {})


def test_that_a_gpu_that_is_not_there_is_refused_with_those_that_are() -> None:
    profile = build({"nodes": [{"host": "a", "gpus": [0, 5, 6]}, {"host": "b", "gpus": [1]}]})
    with pytest.raises(PlanError) as caught:
        make_plan(profile, {"a": facts_of("a", 2), "b": facts_of("b")})
    assert str(caught.value).splitlines() == [
        "a: there is no GPU 5, 6: it has 0, 1. Change gpus of this node",
        "b: there is no GPU 1: it has none (no NVIDIA driver). Change gpus of this node",
    ]


def test_that_a_node_that_is_told_to_use_no_gpu_uses_none() -> None:
    profile = build({"nodes": [{"host": "a", "gpus": "none"}]})
    plan = make_plan(profile, {"a": facts_of("a", 2)})
    assert placement(plan)["worker:0"] == ("a", [])


def test_that_one_machine_under_two_names_gives_its_cards_once() -> None:
    twin = facts_of("b", gpus=cards("a", 2), boot_id="boot-a")
    plan = make_plan(*cluster([facts_of("a", 2), twin]))
    uuids = [gpu.uuid for task in plan.tasks for gpu in task.gpus]
    assert uuids == ["GPU-a-0", "GPU-a-1"]
    assert "b: its GPUs belong to a node that is the same machine" in plan.warnings


def test_that_mixed_tensorflow_versions_stop_the_plan_and_are_listed() -> None:
    mixed = cluster([facts_of("a"), facts_of("b", tensorflow_version="2.15.1")])
    with pytest.raises(PlanError, match=r"a has 2\.21\.0, b has 2\.15\.1"):
        make_plan(*mixed)
    plan = make_plan(*mixed, allow_mixed_tensorflow=True)
    assert "b has 2.15.1" in plan.warnings[0]


def test_that_an_environment_that_is_not_made_yet_may_get_tensorflow_and_a_made_one_needs_it() -> (
    None
):
    waiting = facts_of("a", tensorflow_version=None, environment="missing")
    made = facts_of("b", environment="ready")
    make_plan(*cluster([waiting, made]))
    bare = facts_of("b", tensorflow_version=None, environment="ready")
    with pytest.raises(PlanError, match=r"b: there is no TensorFlow .*environment\.packages"):
        make_plan(*cluster([waiting, bare]))
    command = build({"nodes": ["b"], "training": {"command": ["python", "x.py"]}})
    make_plan(command, {"b": bare})
    other = facts_of("a", tensorflow_version="2.20.0", environment="ready")
    with pytest.raises(PlanError, match=r"a has 2\.20\.0, b has 2\.21\.0.*environment\.packages"):
        make_plan(*cluster([other, made]))


def test_that_patch_versions_may_differ() -> None:
    make_plan(*cluster([facts_of("a"), facts_of("b", tensorflow_version="2.21.3")]))


def test_that_a_plan_describes_itself() -> None:
    profile = build({"nodes": [{"host": "gpu001", "address": "gpu001-ib0"}, "gpu002"]})
    plan = make_plan(profile, {n: facts_of(n, 1) for n in ("gpu001", "gpu002")})
    assert plan.describe().splitlines() == [
        "ps:0      gpu001  gpu001-ib0:2220  CPU",
        "worker:0  gpu001  gpu001-ib0:2221  GPU 0 (A100)",
        "worker:1  gpu002  gpu002:2220      GPU 0 (A100)",
    ]


def test_that_a_held_port_is_skipped_and_its_holder_named() -> None:
    held = (
        PortHolder(port=2220, pid=123, program="python3"),
        PortHolder(port=2221, run_id="r-7", task="ps:0"),
        PortHolder(port=2222),
        PortHolder(port=9999, pid=5),
    )
    plan = make_plan(*cluster([facts_of("a", ports_in_use=held)]))
    assert [task.port for task in plan.tasks] == [2223, 2224]
    assert plan.tasks[0].moved_from_port == held[0]
    assert plan.tasks[1].moved_from_port is None
    assert plan.warnings == (
        "port 2220 on a is held by pid 123 (python3); ps:0 uses 2223",
        "port 2221 on a is held by ps:0 of run r-7: stop it with `clew stop r-7`; ps:0 uses 2223",
        "port 2222 on a is held by a program of another account; ps:0 uses 2223",
    )


def test_that_nodes_of_one_machine_share_its_ports() -> None:
    here: dict[str, Any] = {"boot_id": "boot", "network_namespace": "net:[1]"}
    held = (PortHolder(port=2221),)
    nodes = [facts_of("a", **here), facts_of("b", ports_in_use=held, **here), facts_of("c")]
    plan = make_plan(*cluster(nodes, ps=1))
    assert {str(t.task): t.target for t in plan.tasks} == {
        "ps:0": "a:2220",
        "worker:0": "a:2222",
        "worker:1": "b:2223",
        "worker:2": "c:2220",
    }


def test_that_running_out_of_ports_is_an_error() -> None:
    held = tuple(PortHolder(port=port) for port in range(65000, 65536))
    profile = build({"nodes": ["a"], "ports": {"first": 65000}})
    with pytest.raises(PlanError, match="a: no port from 65000 on is free for ps:0"):
        make_plan(profile, {"a": facts_of("a", ports_in_use=held)})


def test_that_an_alias_is_advertised_as_what_it_stands_for() -> None:
    profile = build({"nodes": ["alias", {"host": "b", "address": "10.0.0.2"}]})
    known = {"alias": facts_of("alias"), "b": facts_of("b")}
    plan = make_plan(profile, known, addresses={"alias": "fd00::7", "b": "ignored"})
    assert plan.cluster.worker == ("[fd00::7]:2221", "10.0.0.2:2220")
    assert plan.tasks[0].address == "fd00::7"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.12", "::1", "localhost", "LOCALHOST."])
def test_that_loopback_is_refused_between_machines(address: str) -> None:
    profile = build({"nodes": [{"host": "a", "address": address}, "b"]})
    with pytest.raises(PlanError, match=r"a: its address .* which means each node itself"):
        make_plan(profile, {"a": facts_of("a"), "b": facts_of("b")})
    alone = build({"nodes": [{"host": "a", "address": address}]})
    make_plan(alone, {"a": facts_of("a")})


def test_that_nodes_of_one_machine_may_use_loopback() -> None:
    profile = build({"nodes": ["127.0.0.11", "127.0.0.12"]})
    known = {n: facts_of(n, boot_id="one") for n in ("127.0.0.11", "127.0.0.12")}
    assert make_plan(profile, known).warnings == ()


def test_that_an_address_of_no_node_is_refused() -> None:
    profile = build({"nodes": [{"host": "a", "address": "0.0.0.0"}]})
    with pytest.raises(PlanError, match="which is no address of a node"):
        make_plan(profile, {"a": facts_of("a")})


@pytest.mark.parametrize(
    ("address", "is_public"),
    [("8.8.8.8", True), ("2606:4700::1", True), ("10.1.2.3", False), ("gpu001-ib0", False)],
)
def test_that_a_public_address_is_warned_about(address: str, is_public: bool) -> None:
    profile = build({"nodes": [{"host": "a", "address": address}]})
    plan = make_plan(profile, {"a": facts_of("a")})
    assert any("a public one" in warning for warning in plan.warnings) is is_public
