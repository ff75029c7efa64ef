"""What holds for every plan, whatever the cluster."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from remote.errors import PlanError
from remote.facts import Gpu, NodeFacts, PortHolder
from remote.plan import Plan, make_plan
from remote.profile import build

machines = st.lists(
    st.tuples(
        st.integers(0, 2),  # which boot
        st.integers(0, 1),  # which network namespace of it
        st.sets(st.integers(0, 3)),  # numbers of the GPUs of that boot that this node sees
        st.sets(st.integers(2220, 2226), max_size=4),  # ports held
        st.sampled_from(["all", "none", "some"]),
    ),
    min_size=1,
    max_size=6,
)
trainings = st.fixed_dictionaries(
    {},
    optional={
        "workers": st.integers(1, 12),
        "ps": st.integers(1, 4),
        "worker_per": st.sampled_from(["gpu", "node"]),
        "ps_placement": st.sampled_from(["alongside", "dedicated"]),
        "baseline": st.sampled_from(["none", "single"]),
    },
)


def facts_of(index: int, machine: Any) -> NodeFacts:
    boot, network, gpus, ports, _ = machine
    return NodeFacts(
        node=f"n{index}",
        seen_at=0.0,
        hostname="h",
        boot_id=f"b{boot}",
        network_namespace=f"b{boot}n{network}",
        user="u",
        home="/h",
        root="/h/.clew",
        python="/p",
        python_version="3.11",
        tensorflow_version="2.21.0",
        cpus=2,
        memory_bytes=1,
        disk_free_bytes=1,
        gpus=tuple(
            Gpu(index=i, uuid=f"GPU-{boot}-{i}", name="T4", memory_total_bytes=None)
            for i in sorted(gpus)
        ),
        gpu_note="",
        ports_in_use=tuple(PortHolder(port=port) for port in sorted(ports)),
        clock_offset_s=0.0,
    )


@settings(max_examples=400, deadline=None)
@given(machines, trainings)
def test_that_every_plan_can_run(cluster: list[Any], training: dict[str, Any]) -> None:
    nodes = []
    for index, (_, _, gpus, _, choice) in enumerate(cluster):
        some = sorted(gpus)[:2] if choice == "some" else choice
        nodes.append({"host": f"n{index}", "gpus": some})
    profile = build({"nodes": nodes, "training": training})
    facts = {f"n{i}": facts_of(i, machine) for i, machine in enumerate(cluster)}
    try:
        plan = make_plan(profile, facts)
    except PlanError as caught:
        refusal = str(caught)
    else:
        assert plan == make_plan(profile, dict(reversed(facts.items())))
        check_tasks(plan, training)
        check_sharing(plan, facts)
        return
    assert "do not fit" in refusal or "dedicated ps need" in refusal


def check_tasks(plan: Plan, training: dict[str, Any]) -> None:
    roles = Counter(task.task.role for task in plan.tasks)
    single = training.get("baseline") == "single"
    assert roles["ps"] == (0 if single else training.get("ps", 1))
    workers = 1 if single else training.get("workers", roles["worker"])
    assert roles["worker"] == workers > 0
    assert [task.task for task in plan.tasks] == plan.cluster.tasks()
    for task in plan.tasks:
        assert plan.cluster.addresses(task.task.role)[task.task.index] == task.target
        seen = ",".join(gpu.uuid for gpu in task.gpus) or "-1"
        assert task.environment["CUDA_VISIBLE_DEVICES"] == seen
        assert json.loads(task.environment["TF_CONFIG"])["task"]["index"] == task.task.index
        if task.task.role == "ps":
            assert seen == "-1"
    if training.get("ps_placement") == "dedicated":
        servers = {task.node for task in plan.tasks if task.task.role == "ps"}
        assert servers.isdisjoint(t.node for t in plan.tasks if t.task.role == "worker")


def check_sharing(plan: Plan, facts: dict[str, NodeFacts]) -> None:
    given_cards = [(facts[task.node].boot_id, gpu.uuid) for task in plan.tasks for gpu in task.gpus]
    assert len(given_cards) == len(set(given_cards))
    ports = [(facts[task.node].network_namespace, task.port) for task in plan.tasks]
    assert len(ports) == len(set(ports))
    assert len({task.target for task in plan.tasks}) == len(plan.tasks)
    for task in plan.tasks:
        here = facts[task.node].network_namespace
        same = [f for f in facts.values() if f.network_namespace == here]
        assert task.port not in {holder.port for f in same for holder in f.ports_in_use}
