"""What is said about one node, from recorded facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from remote.checks import Finding
from remote.facts import Gpu, NodeFacts, Problem
from remote.preflight import Needs, node_findings
from remote.survey import Disk, GpuUser, NodeSurvey
from tests.support.facts import node_facts

CARD = Gpu(index=0, uuid="GPU-1", name="NVIDIA A100", memory_total_bytes=2**36)
DISK = Disk(
    purpose="runs",
    path="/home/ana/.clew",
    device="8:1",
    kind="ext4",
    free_bytes=2**40,
    total_bytes=2**41,
    free_files=10**7,
    write_s=0.01,
)
WELL = NodeSurvey(
    shell="bash",
    prints=False,
    threads=20,
    limits={"nofile": (65536, 65536), "nproc": (-1, -1), "memlock": (65536, 65536)},
    driver="550.54.15",
    disks=(DISK,),
    round_trip_s=0.0004,
)
NEEDS = Needs(addresses=("10.0.0.5", "gpu002-ib0"))


def facts(**changes: object) -> NodeFacts:
    return replace(node_facts("gpu001", (CARD,)), **changes)  # type: ignore[arg-type]


def about(topic: str, found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.topic == topic]


def bad(found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.level != "ok"]


def test_that_a_node_that_is_well_is_told_as_such() -> None:
    found = node_findings(facts(), WELL, NEEDS)
    assert bad(found) == []
    topics = {one.topic for one in found}
    assert topics == {"login", "shell", "python", "gpu", "disk", "clock", "limits", "proxy"}
    assert all(one.node == "gpu001" and not one.remedy for one in found)


@pytest.mark.parametrize(
    ("state", "words"),
    [("missing", "the environment is made from it at launch"), ("ready", "Clew made this")],
)
def test_that_an_environment_is_told_with_its_python(state: str, words: str) -> None:
    (one,) = about("python", node_findings(facts(environment=state), WELL, NEEDS))
    assert (one.level, one.remedy) == ("ok", "")
    assert words in one.what


@pytest.mark.parametrize(
    ("shell", "prints", "word"),
    [("fish", False, "does not mind"), ("tcsh", False, "sh"), ("bash", True, "prints text")],
)
def test_that_an_odd_login_shell_is_told_and_does_no_harm(
    shell: str, prints: bool, word: str
) -> None:
    found = node_findings(facts(), replace(WELL, shell=shell, prints=prints), NEEDS)
    (one,) = about("shell", found)
    assert one.level == "ok"
    assert shell in one.what
    assert word in one.what


def test_that_what_keeps_a_node_from_training_stays_a_problem_with_its_remedy() -> None:
    problem = Problem(what="there is no TensorFlow in /usr/bin/python3", remedy="Install it.")
    note = Problem(what="GPU 3 (A100): is hot", remedy="Cool it.", fatal=False)
    found = bad(node_findings(facts(problems=(problem, note)), WELL, NEEDS))
    assert [(one.topic, one.level, one.remedy) for one in found] == [
        ("python", "problem", "Install it."),
        ("gpu", "warning", "Cool it."),
    ]


@pytest.mark.parametrize(
    ("change", "level", "word"),
    [
        ({"free_bytes": 2**20}, "problem", "only 1.0 MiB free"),
        ({"free_bytes": 2**29}, "warning", "only 512.0 MiB free"),
        ({"free_files": 5}, "problem", "only 5 more files"),
        ({"free_files": 500}, "warning", "inodes"),
        ({"free_files": None}, "ok", "1.0 TiB free"),
        ({"write_s": 9.0}, "warning", "9.0 s"),
        ({"no_exec": True}, "ok", "noexec, which Clew does not mind"),
        ({"error": "no space left on gpu001:/x", "remedy": "Free."}, "problem", "no space left"),
    ],
)
def test_that_the_disk_of_the_runs_is_judged(
    change: dict[str, object], level: str, word: str
) -> None:
    disk = replace(DISK, **change)  # type: ignore[arg-type]
    (one,) = about("disk", node_findings(facts(), replace(WELL, disks=(disk,)), NEEDS))
    assert one.level == level
    assert word in one.what
    assert bool(one.remedy) == (level != "ok")


def test_that_a_full_home_is_told_once_where_the_runs_are_in_it() -> None:
    runs = replace(DISK, error="no space left on gpu001:/home/ana/.clew", remedy="Free some.")
    home = replace(runs, purpose="home", path="/home/ana", error="no space left on /home/ana")
    found = about("disk", node_findings(facts(), replace(WELL, disks=(runs, home)), NEEDS))
    assert [one.level for one in found] == ["problem"]
    elsewhere = replace(home, device="8:2")
    found = about("disk", node_findings(facts(), replace(WELL, disks=(DISK, elsewhere)), NEEDS))
    assert [one.level for one in found] == ["ok", "warning"]


def test_that_a_data_set_that_does_not_fit_is_told_before_it_is_sent() -> None:
    needs = Needs(addresses=(), data_bytes=2**41)
    (one,) = about("disk", node_findings(facts(), WELL, needs))
    assert one.level == "warning"
    assert "the data set has 2.0 TiB" in one.what


def test_that_a_disk_that_hangs_and_a_quota_are_told() -> None:
    survey = replace(WELL, disks=(), silent=("disk /nfs/x", "gpus"), quota=("/dev/sda1 9 8 8",))
    found = bad(node_findings(facts(), survey, NEEDS))
    words = [(one.topic, one.level, one.what) for one in found]
    assert (
        "disk",
        "problem",
        "/nfs/x gave no answer in time: that disk or its server hangs",
    ) in words
    assert ("gpu", "warning", "nvidia-smi gave no answer in time") in words
    assert any(topic == "disk" and "quota" in what for topic, _, what in words)


def test_that_other_peoples_processes_on_a_gpu_are_named() -> None:
    users = (
        GpuUser(gpu="GPU-1", pid=77, user="bob", program="python train.py", memory_bytes=2**34),
        GpuUser(gpu="GPU-1", pid=78, user="", program="", memory_bytes=None),
        GpuUser(gpu="GPU-9", pid=79, user="eve", program="x", memory_bytes=None),
    )
    (one,) = bad(node_findings(facts(), replace(WELL, gpu_users=users), NEEDS))
    assert one.level == "warning"
    assert "GPU 0 (NVIDIA A100) is in use: bob (pid 77 python train.py, 16.0 GiB)" in one.what
    assert "somebody (pid 78)" in one.what
    assert "eve" not in one.what


def test_that_a_run_of_clew_on_a_gpu_can_be_stopped() -> None:
    user = GpuUser(
        gpu="GPU-1", pid=7, user="ana", program="p", memory_bytes=None, run_id="20261130-1502-aaaa"
    )
    (one,) = bad(node_findings(facts(), replace(WELL, gpu_users=(user,)), NEEDS))
    assert "you (pid 7 p)" in one.what
    assert one.remedy == "Stop it: clew stop 20261130-1502-aaaa."


def test_that_a_driver_that_is_too_old_for_cuda_12_is_a_problem() -> None:
    (one,) = bad(node_findings(facts(), replace(WELL, driver="470.82.01"), NEEDS))
    assert (one.topic, one.level) == ("gpu", "problem")
    assert "525.60" in one.what
    assert bad(node_findings(facts(), replace(WELL, driver="525.60.13"), NEEDS)) == []
    assert bad(node_findings(facts(), replace(WELL, driver=""), NEEDS)) == []


@pytest.mark.parametrize(("offset", "level"), [(0.3, "ok"), (-1.9, "ok"), (-90.0, "warning")])
def test_that_the_clock_is_judged_within_what_is_known(offset: float, level: str) -> None:
    (one,) = about("clock", node_findings(facts(clock_offset_s=offset), WELL, NEEDS))
    assert one.level == level
    assert ("ahead of" if offset > 0 else "behind") in one.what
    slow = replace(WELL, round_trip_s=400.0)  # a link that slow says nothing about a clock
    (one,) = about("clock", node_findings(facts(clock_offset_s=offset), slow, NEEDS))
    assert one.level == "ok"


@pytest.mark.parametrize(
    ("name", "limit", "level", "remedy"),
    [
        ("nofile", (200, 200), "problem", "administrator"),
        ("nofile", (512, 4096), "warning", '"ulimit -n 4096"'),
        ("nofile", (1024, 1024), "ok", ""),
        ("nproc", (100, 100), "problem", "administrator"),
        ("nproc", (900, -1), "warning", '"ulimit -u unlimited"'),
    ],
)
def test_that_limits_are_judged_as_a_task_has_them(
    name: str, limit: tuple[int, int], level: str, remedy: str
) -> None:
    survey = replace(WELL, limits={**WELL.limits, name: limit})
    (one,) = about("limits", node_findings(facts(), survey, NEEDS))
    assert one.level == level
    assert remedy in one.remedy


def test_that_locked_memory_matters_where_there_is_infiniband() -> None:
    survey = replace(WELL, infiniband=("mlx5_0",))
    (one,) = bad(node_findings(facts(), survey, NEEDS))
    assert (one.topic, one.level) == ("limits", "warning")
    assert "64 KiB" in one.what


@pytest.mark.parametrize(
    ("proxies", "caught"),
    [
        ({}, ""),
        ({"no_proxy": "x"}, ""),
        ({"http_proxy": "http://p:1"}, "10.0.0.5, gpu002-ib0"),
        ({"http_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"}, "gpu002-ib0"),
        ({"http_proxy": "http://p:1", "no_proxy": "10.0.0.5, ib0"}, ""),
        ({"http_proxy": "http://p:1", "no_proxy": "0.0.5,IB0"}, ""),
        ({"https_proxy": "p", "no_proxy": "10.0.0.5,ib0", "no_grpc_proxy": "y"}, "10.0.0.5, gpu"),
        ({"grpc_proxy": "p", "no_proxy": "*"}, "10.0.0.5, gpu002-ib0"),
    ],
)
def test_that_a_proxy_that_grpc_would_follow_is_a_problem(
    proxies: dict[str, str], caught: str
) -> None:
    (one,) = about("proxy", node_findings(facts(proxies=proxies), WELL, NEEDS))
    assert one.level == ("problem" if caught else "ok")
    assert f"dial {caught}" in one.what or not caught


def test_that_the_remedy_for_a_proxy_keeps_the_exceptions_there_were() -> None:
    proxies = {"https_proxy": "http://p:1", "no_proxy": "10.0.0.5,.lab"}
    (one,) = bad(node_findings(facts(proxies=proxies), WELL, NEEDS))
    assert '{no_proxy: "10.0.0.5,.lab,gpu002-ib0"}' in one.remedy
