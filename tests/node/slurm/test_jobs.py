"""A run's job on a real Slurm: submitted once, followed, cancelled, whatever breaks meanwhile."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from remote.node.layout import Layout
from remote.node.refused import Refused
from remote.node.slurm import commands, hostlist, ops, standing
from remote.node.slurm.lot import JOB
from remote.node.slurm.submission import BEGUN, SCRIPT, Submission
from tests.node.slurm.conftest import OwnSlurm
from tests.support.slurm_tables import rows
from tests.support.waiting import until, within

ROOT = Path(__file__).parents[3]
ORDER: dict[str, Any] = {
    "run_id": "r-1",
    "setup": [],
    "slurm": {"nodes": 2, "gpus_per_node": 4, "gpu_type": "a100", "time": "10", "memory": "200M"},
}
SCRIPT_TEXT = '#!/bin/sh\necho "gpus $CUDA_VISIBLE_DEVICES"\nexec sleep 600\n'


class Agent:
    """What operations need to know of theirs."""

    node = "login 1"


def script(order: dict[str, Any], folder: str) -> str:
    return SCRIPT_TEXT


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(tmp_path / "o'root \"ü")


def submission(root: str, run_id: str = "r-1") -> Submission:
    return Submission(Layout(root, Agent.node), run_id)


def submit(root: str, run_id: str = "r-1", **slurm: Any) -> dict[str, Any]:
    order = {**ORDER, "run_id": run_id, "slurm": {**ORDER["slurm"], **slurm}}
    return submission(root, run_id).submit(order, script)


def job(root: str, run_id: str = "r-1") -> dict[str, Any]:
    return ops.slurm_job(Agent(), 1, {"root": root, "run_id": run_id}, b"")  # type: ignore[arg-type]


def cancel(root: str, run_id: str = "r-1") -> None:
    assert ops.slurm_cancel(Agent(), 1, {"root": root, "run_id": run_id}, b"") == {}  # type: ignore[arg-type]


def look() -> dict[str, Any]:
    return ops.slurm_look(Agent(), 1, {}, b"")  # type: ignore[arg-type]


def wait_for(root: str, state: str, run_id: str = "r-1") -> dict[str, Any]:
    until(lambda: job(root, run_id)["state"] == state, what=lambda: str(job(root, run_id)))
    return job(root, run_id)


def test_that_a_job_is_submitted_followed_and_cancelled(slurm: OwnSlurm, root: str) -> None:
    assert job(root)["state"] == "none"
    made = submit(root, time="1-0")
    assert made == {"job": made["job"], "cluster": "", "already": False}
    found = wait_for(root, "running")
    assert found["job"] == made["job"]
    assert found["nodes"] == ["gpu001", "gpu002"]
    assert (found["restarts"], found["raw"], found["partition"]) == (0, "RUNNING", "gpu")
    assert 80_000 < found["time_left_s"] <= 86_400
    printed = Path(root, "runs", "r-1", "slurm", f"job-{made['job']}.txt")
    until(lambda: printed.exists() and printed.read_text().startswith("gpus 0,1,2,3\n"))
    assert submit(root) == {**made, "already": True}
    assert slurm.jobs() == [made["job"]]
    cancel(root)
    assert wait_for(root, "cancelled")["exit"] == "0:15"
    cancel(root)
    with pytest.raises(Refused, match="was cancelled"):
        submit(root)


def test_that_partitions_and_free_gpus_are_seen(slurm: OwnSlurm, root: str) -> None:
    debug_only = ("partition=debug", "nodes=gpu001", "maxtime=1-12:00:00")
    slurm.call("scontrol", "create", *debug_only)
    try:
        _check_partitions(slurm, root)
    finally:
        slurm.clear()
        slurm.call("scontrol", "delete", "partition=debug")


def _check_partitions(slurm: OwnSlurm, root: str) -> None:
    found = look()
    assert (found["version"].count("."), found["cluster"], found["accounting"]) == (
        2,
        "clew",
        False,
    )
    gpu, debug = found["partitions"]
    assert (gpu["name"], gpu["default"], gpu["up"], gpu["time_limit_s"]) == (
        "gpu",
        True,
        True,
        None,
    )
    assert (debug["name"], debug["default"], debug["time_limit_s"]) == ("debug", False, 129_600)
    assert (gpu["nodes"], gpu["nodes_free"], debug["nodes"]) == (2, 2, 1)
    assert (gpu["cpus_per_node"], gpu["memory_mb"]) == (8, 16_000)
    assert (gpu["default_time_s"], debug["default_time_s"]) == (3600, None)
    assert gpu["gpus"] == gpu["gpus_free"] == {"a100": 8}
    submit(root, nodes=1, gpus_per_node=3)
    wait_for(root, "running")
    assert look()["partitions"][0]["gpus_free"] == {"a100": 5}
    assert look()["partitions"][0]["nodes_free"] == 1
    slurm.call("scontrol", "update", "nodename=gpu002", "state=drain", "reason=test")
    try:
        assert look()["partitions"][0]["gpus_free"] == {"a100": 1}
    finally:
        slurm.call("scontrol", "update", "nodename=gpu002", "state=resume")


def test_that_a_waiting_job_has_a_place_and_an_estimate(slurm: OwnSlurm, root: str) -> None:
    """Others' jobs may be arrays, of several parts, held, and have names with anything in them."""
    submit(root, "first")
    wait_for(root, "running", "first")
    odd = "a|b \x1fc\x1e\nJobId=9 JobState=COMPLETED"
    wrap = ["--wrap", "sleep 600", "-o", "/dev/null", "--exclusive", "-t", "5"]
    slurm.call("sbatch", "-J", odd, "--comment", odd, *wrap)
    slurm.call("sbatch", "-a", "1-7%2", *wrap)
    slurm.call("sbatch", "-H", *wrap)
    slurm.call("sbatch", "-n1", ":", *wrap)
    slurm.call("sbatch", "-b", "now+1day", *wrap)
    submit(root, "second")
    submit(root, "third", extra=["--nice=100000000"])
    # The odd one, the array, the one of two parts. A new job's reason is not known at once.
    until(lambda: job(root, "second")["position"] == 3, what=lambda: str(job(root, "second")))
    found = wait_for(root, "waiting", "second")
    assert found["will_start"] is True
    until(lambda: job(root, "second")["start_at"] is not None)
    until(lambda: job(root, "third")["position"] == 4)
    assert job(root, "first")["position"] is None


def test_that_a_held_job_says_that_it_will_not_start(slurm: OwnSlurm, root: str) -> None:
    submit(root, extra=["--hold"])
    found = wait_for(root, "held")
    assert found["will_start"] is False
    assert "held by you" in found["words"]


def test_that_many_who_submit_at_once_make_one_job(slurm: OwnSlurm, root: str) -> None:
    made: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: made.append(submit(root))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({found["job"] for found in made}) == 1
    assert sorted(found["already"] for found in made) == [False] + [True] * 5
    assert len(slurm.jobs("clew-r-1")) == 1


_AGENT = """
import sys
sys.path.insert(0, {root!r})
from remote.node.layout import Layout
from remote.node.slurm.submission import Submission
Submission(Layout({folder!r}, "login 1"), "r-1").submit({order!r}, lambda order, folder: {text!r})
"""
_KILLS_BEFORE = 'kill -9 $PPID; sleep 1; exec "$real" "$@"\n'
_KILLS_AFTER = 'out=$("$real" "$@"); kill -9 $PPID; echo "$out"\n'


@pytest.mark.parametrize("when", [_KILLS_BEFORE, _KILLS_AFTER], ids=["before", "after"])
def test_that_an_agent_killed_while_it_submits_has_submitted_once(
    slurm: OwnSlurm, root: str, tmp_path: Path, when: str
) -> None:
    real = subprocess.run(["which", "sbatch"], capture_output=True, text=True).stdout.strip()
    tool = tmp_path / "sbatch"
    tool.write_text(f"#!/bin/sh\nreal={shlex.quote(real)}\n{when}")
    tool.chmod(0o755)
    text = _AGENT.format(root=str(ROOT), folder=root, order=ORDER, text=SCRIPT_TEXT)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-c", text], env=env, timeout=90)
    assert done.returncode == -signal.SIGKILL
    assert not Path(root, "runs", "r-1", "slurm", JOB).exists()
    again = submit(root)
    assert again["already"] is True
    assert slurm.jobs("clew-r-1") == [again["job"]]
    assert not Path(root, "runs", "r-1", "slurm", BEGUN).exists()


def test_that_a_job_is_found_by_what_it_has_written_of_itself(slurm: OwnSlurm, root: str) -> None:
    made = submit(root)
    folder = Path(root, "runs", "r-1", "slurm")
    (folder / f"{made['job']}.0").mkdir()
    (folder / JOB).unlink()
    assert submit(root) == {**made, "already": True}
    assert json.loads((folder / JOB).read_text())["job"] == made["job"]


def test_that_a_silent_controller_ends_nothing(
    slurm: OwnSlurm, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "QUERY_LIMIT_S", 1.0)
    monkeypatch.setattr(commands, "SUBMIT_LIMIT_S", 1.0)
    submit(root)
    wait_for(root, "running")
    slurm.cluster.pause_controller()
    try:
        with within(4.0):
            found = job(root)
        assert (found["state"], found["will_start"]) == ("unknown", None)
        assert "did not answer" in found["words"]
        with pytest.raises(commands.Silent):
            submit(root, "r-2", nodes=1)
        with pytest.raises(commands.Silent):
            cancel(root)
        with pytest.raises(commands.Silent):
            look()
    finally:
        slurm.cluster.resume_controller()
    monkeypatch.undo()
    monkeypatch.setenv("SLURM_CONF", slurm.conf)
    until(lambda: job(root)["state"] in ("cancelled", "running", "ending"))
    submit(root, "r-2", nodes=1)  # the one that was given up may have been taken
    assert len(slurm.jobs("clew-r-2")) == 1


def test_that_a_controller_that_is_away_is_unknown_and_comes_back(
    slurm: OwnSlurm, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(root)
    wait_for(root, "running")
    slurm.cluster.stop_controller()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(commands, "QUERY_LIMIT_S", 1.0)
            assert job(root)["state"] == "unknown"
    finally:
        slurm.cluster.start_controller()
    found = wait_for(root, "running")
    assert found["nodes"] == ["gpu001", "gpu002"]


def test_that_a_job_ended_by_others_is_cancelled(slurm: OwnSlurm, root: str) -> None:
    made = submit(root)
    wait_for(root, "running")
    slurm.call("scancel", made["job"])
    assert wait_for(root, "cancelled")["nodes"] == ["gpu001", "gpu002"]


def test_that_a_requeued_job_is_the_same_with_one_restart_more(slurm: OwnSlurm, root: str) -> None:
    made = submit(root)
    wait_for(root, "running")
    slurm.call("scontrol", "requeue", made["job"])
    until(lambda: job(root)["restarts"] == 1)
    assert job(root)["job"] == made["job"]
    assert submit(root)["already"] is True


def test_that_a_forgotten_job_is_none_and_anothers_is_not_taken_for_it(
    slurm: OwnSlurm, root: str
) -> None:
    made = submit(root, extra=["--hold"])
    noted = Path(root, "runs", "r-1", "slurm", JOB)
    noted.write_text(json.dumps({**json.loads(noted.read_text()), "job": "999999"}))
    assert (job(root)["state"], job(root)["job"]) == ("none", "999999")
    other = standing.Known(made["job"], "", "clew-other")
    assert standing.stands(other)["state"] == "none"


@pytest.mark.parametrize(
    ("said", "state", "words"),
    [
        ("COMPLETED|0:0|gpu0[1-2]", "finished", ""),
        ("CANCELLED by 0|0:15|gpu01", "cancelled", "cancelled by root"),
        ("OUT_OF_MEMORY|0:125|gpu01", "out of memory", ""),
        ("NODE_FAIL|1:0|gpu01", "node failed", "Slurm may start it again"),
        ("RUNNING|0:0|gpu01", "none", "Slurm does not know it any more"),
    ],
)
def test_that_the_accounting_tells_how_a_forgotten_job_ended(
    slurm: OwnSlurm,
    root: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    state: str,
    words: str,
) -> None:
    """What sacct prints was taken from a Slurm with a database; this one has none."""
    lines = [f"999999|{said}|clew-r-1", f"999999|{said.replace('0:', '9:')}|another"]
    table = "\n".join(lines).replace("|", commands.FIELD)
    (tmp_path / "table").write_text(table + "\n")
    (tmp_path / "sacct").write_text(f"#!/bin/sh\nexec cat {shlex.quote(str(tmp_path / 'table'))}\n")
    (tmp_path / "sacct").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = standing.stands(standing.Known("999999", "", "clew-r-1"))
    assert (found["state"], found["words"]) == (state, words)
    if state == "out of memory":
        assert found["exit"] == "0:125"


@pytest.mark.parametrize(
    ("slurm_part", "words"),
    [
        ({"partition": "nope"}, "invalid partition"),
        ({"gpus_per_node": 9}, "node configuration is not available"),
        ({"extra": ["--frobnicate"]}, "frobnicate"),
        ({"extra": ["--wrap=touch x"]}, "--wrap=touch x is set by Clew"),
        ({"partition": "gpu\n--wrap=x"}, "control character"),
    ],
)
def test_that_what_cannot_be_asked_for_is_told_and_can_be_corrected(
    slurm: OwnSlurm, root: str, slurm_part: dict[str, Any], words: str
) -> None:
    with pytest.raises(Refused) as caught:
        submit(root, **slurm_part)
    assert words in caught.value.what.replace("Requested ", "")
    assert not slurm.jobs()
    assert submit(root, extra=["--hold"])["already"] is False


def test_that_values_never_become_options(slurm: OwnSlurm, root: str) -> None:
    with pytest.raises(Refused):
        submit(root, account="--hold", reservation="--test-only")
    assert not slurm.jobs()


def test_that_a_client_that_refuses_a_field_is_asked_for_fewer(
    slurm: OwnSlurm, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(root)
    wait_for(root, "running")
    for name in ("squeue", "sinfo"):
        real = subprocess.run(["which", name], capture_output=True, text=True).stdout.strip()
        refuses = (
            "case \"$*\" in *%k*|*%G*|*GresUsed*) echo 'Invalid job format' >&2; exit 1;; esac"
        )
        (tmp_path / name).write_text(f'#!/bin/sh\n{refuses}\nexec {real} "$@"\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = job(root)
    assert (found["state"], found["nodes"]) == ("running", ["gpu001", "gpu002"])
    gpu = look()["partitions"][0]
    assert (gpu["nodes"], gpu["nodes_free"], gpu["gpus"]) == (2, 0, {})


def test_that_odd_folders_do_not_keep_a_job_from_starting(slurm: OwnSlurm, tmp_path: Path) -> None:
    root = str(tmp_path / "50%j of \\it")
    submit(root)
    wait_for(root, "running")
    assert Path(root, "runs", "r-1", "slurm", SCRIPT).read_text() == SCRIPT_TEXT


def test_that_scontrol_writes_host_lists_out_alike(slurm: OwnSlurm) -> None:
    for text, expected in rows("hostlists.tsv", 2):
        # This Slurm takes half a bracket for a name, and refuses text behind one.
        if not text or " " in text or expected == "ERROR" or text.endswith("-ib"):
            continue
        if "(" not in text:
            shown = slurm.call("scontrol", "show", "hostnames", text).split()
            assert hostlist.expand(text) == shown == expected.split()
