"""Where a job's tasks go: planned on its nodes, from what Slurm gave."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from remote.node import layout, orders, record, texts
from remote.node.refused import Refused
from remote.node.slurm import again, lent, lot, places, script


def order(**training: Any) -> dict[str, Any]:
    choices = {"workers": None, "ps": 1, "worker_per": "gpu", "ps_placement": "alongside"}
    return {
        "root": "/shared/it's here",
        "run_id": "r 1",
        "app": "cd" * 32,
        "training": {**choices, "backup_workers": 0, **training},
        "variables": {"OMP_NUM_THREADS": "4", "CUDA_VISIBLE_DEVICES": "7", "TF_CONFIG": "x"},
        "ports_first": 2220,
        "slurm": {},
    }


def node(name: str, *gpus: str, **changes: Any) -> dict[str, Any]:
    facts = {"node": name, "address": name, "gpus": list(gpus), "boot_id": name, "held": []}
    return {**facts, **changes}


def test_that_every_gpu_gets_a_worker_and_a_ps_sees_none() -> None:
    asked = order()
    plan = places.make_plan(asked, [node("a", "2", "3"), node("b", "GPU-x")], "8")
    where = [(t["task"], t["node"], t["gpus"]) for t in plan["tasks"]]
    assert where == [
        ("ps:0", "b", []),
        ("worker:0", "a", ["2"]),
        ("worker:1", "a", ["3"]),
        ("worker:2", "b", ["GPU-x"]),
    ]
    seen = [places.environment(asked, plan, t)["CUDA_VISIBLE_DEVICES"] for t in plan["tasks"]]
    assert seen == ["-1", "2", "3", "GPU-x"]
    config = json.loads(places.environment(asked, plan, plan["tasks"][2])["TF_CONFIG"])
    assert config["task"] == {"type": "worker", "index": 1}
    assert config["cluster"]["worker"] == ["a:2220", "a:2221", "b:2221"]
    assert places.environment(asked, plan, plan["tasks"][0])["OMP_NUM_THREADS"] == "4"


def test_that_held_ports_are_left_out_and_jobs_that_share_a_node_begin_apart() -> None:
    one = places.make_plan(order(), [node("a", "0", held=[2220, 2221])], "16")
    assert [t["port"] for t in one["tasks"]] == [2222, 2223]
    other = places.make_plan(order(), [node("a", "0")], "17")
    assert [t["port"] for t in other["tasks"]] == [2284, 2285]


def test_that_an_address_of_version_6_has_brackets() -> None:
    plan = places.make_plan(order(), [node("a", "0", address="fd00::1")], "8")
    assert plan["cluster"]["ps"] == ["[fd00::1]:2220"]


def test_that_tasks_that_do_not_fit_are_refused_with_the_numbers() -> None:
    with pytest.raises(Refused, match=r"3 workers do not fit: there is room for 1"):
        places.make_plan(order(workers=3), [node("a", "0")], "8")


@pytest.mark.parametrize("given", ["", "NoDevFiles", "-1", "none", "void"])
def test_that_no_gpu_is_no_gpu(given: str) -> None:
    assert lent.gpus({"CUDA_VISIBLE_DEVICES": given}) == []
    assert lent.gpus({}) == []


@pytest.mark.parametrize(
    ("wanted", "address"),
    [("-ib0", "gpu001-ib0"), ("{host}.data.example", "gpu001.data.example")],
)
def test_that_the_address_follows_the_profile(wanted: str, address: str) -> None:
    assert lent.address("gpu001", wanted, {}) == address


def test_that_a_name_that_nobody_knows_is_not_an_address() -> None:
    env = {"SLURM_LAUNCH_NODE_IPADDR": "127.0.0.1", "PATH": "/nowhere"}
    assert lent.address("no-such-node.invalid", "", env) == "127.0.0.1"


@pytest.mark.parametrize(("time", "seconds"), [("", 180), ("10", 60), ("1:00:00", 180), ("1", 10)])
def test_that_the_warning_comes_a_tenth_of_the_limit_before(time: str, seconds: int) -> None:
    assert script.warning_s({"slurm": {"time": time}}) == seconds


def test_that_the_script_quotes_what_it_is_told() -> None:
    text = script.batch_script(order(), "/shared/a b/$(touch x)", "/opt/py thon/bin/python3")
    assert "cd '/shared/a b/$(touch x)' " in text
    assert """'/shared/it'"'"'s here' 'r 1'""" in text
    assert "python='/opt/py thon/bin/python3'" in text


def test_that_nodes_that_do_not_come_are_waited_for_only_so_long(tmp_path: Path) -> None:
    start = lot.at(str(tmp_path), "12", 0)
    start.open()
    start.tell({"node": "gpu002", "rank": 1})
    assert not start.gathered(2, 0.5, lambda: False)
    threading.Timer(0.3, start.tell, [{"node": "gpu001", "rank": 0}]).start()
    assert start.gathered(2, 30.0, lambda: False)
    assert [each["node"] for each in start.nodes()] == ["gpu001", "gpu002"]
    assert not start.gathered(3, 30.0, lambda: True)


def test_that_why_nothing_is_planned_reaches_every_keeper(tmp_path: Path) -> None:
    start = lot.at(str(tmp_path), "12", 0)
    start.open()
    start.decide(lot.FAILED, {"what": "there is no room", "remedy": "Ask for more."})
    with pytest.raises(Refused, match="there is no room"):
        start.decided(5.0, lambda: False)


def test_that_the_newest_start_counts_by_number(tmp_path: Path) -> None:
    for name in ("99.0", "100.2", "100.10", "mail", "job-100.txt"):
        (tmp_path / name).mkdir()
    found = lot.newest(str(tmp_path))
    assert found is not None
    assert (found.job, found.restart) == ("100", 10)


def task_folder(root: Path, where: str, task: str, state: str, attempts: int) -> Path:
    folder = Path(layout.Layout(str(root), where).task("r", task))
    folder.mkdir(parents=True)
    tries: list[dict[str, Any]] = [
        {
            "attempt": n,
            "started_at": 1.0,
            "ended_at": 2.0 if n < attempts else None,
            "exit_code": None,
            "signal": None,
            "last_lines": [],
        }
        for n in range(1, attempts + 1)
    ]
    known = {"run_id": "r", "task": task, "node": where, "state": state, "reason": ""}
    (folder / layout.STATE).write_bytes(texts.dumps({**known, "attempts": tries}))
    (folder / layout.EVENTS).write_text("an event\n")
    return folder


def test_that_a_task_goes_to_its_new_node_with_all_that_it_has_written(tmp_path: Path) -> None:
    task_folder(tmp_path, "gpu001", "worker:0", "stopped", 2)
    paths = layout.Layout(str(tmp_path), "gpu005")
    orders.write(paths.run("r"), orders.NOW, "Slurm, which ends job 12")
    again.lift_order(paths, "r")
    again.take_up(paths, "r", [{"task": "worker:0", "node": "gpu005"}])
    there = Path(paths.task("r", "worker:0"))
    known = record.load(str(there))
    assert known is not None
    assert known["state"] == "restarting"
    assert [a["ended_at"] is None for a in known["attempts"]] == [False, False]
    assert (there / layout.EVENTS).read_text() == "an event\n"
    assert not Path(layout.Layout(str(tmp_path), "gpu001").task("r", "worker:0")).exists()
    assert orders.read(paths.run("r")) is None


@pytest.mark.parametrize(
    ("state", "by", "words"),
    [
        ("finished", None, "the run is finished"),
        ("failed", None, "the run has failed"),
        ("stopped", "ana@laptop", "the run was stopped by ana@laptop"),
        ("stopped", "Slurm, which ends job 12", ""),
        ("running", None, ""),
    ],
)
def test_that_a_run_that_is_over_is_not_begun_again(
    tmp_path: Path, state: str, by: str | None, words: str
) -> None:
    task_folder(tmp_path, "gpu001", "worker:0", state, 1)
    paths = layout.Layout(str(tmp_path), "gpu002")
    if by is not None:
        orders.write(paths.run("r"), orders.NOW, by)
    assert again.why_over(paths, "r").startswith(words)
    assert bool(again.why_over(paths, "r")) == bool(words)
