"""The Slurm that other tests stand on is a real one, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.node_processes import command_of
from tests.support.slurm import ACCOUNT, SlurmCluster, why_no_slurm
from tests.support.slurm_conf import SlurmOptions
from tests.support.ssh import Desk, known, run, target
from tests.support.waiting import until

pytestmark = [
    pytest.mark.nodes,
    pytest.mark.skipif(why_no_slurm() is not None, reason=str(why_no_slurm())),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[SlurmCluster]:
    options = SlurmOptions(gpu_types={"gpu002": "k80"}, settings={"MaxStepCount": "1"})
    with SlurmCluster(options) as made:
        yield made


def test_that_a_job_of_an_ordinary_account_gets_its_nodes_and_gpus(
    cluster: SlurmCluster, tmp_path: Path
) -> None:
    desk = Desk(known(cluster, tmp_path))
    with desk.connected(target(cluster.login_node, cluster.client_key)) as connector:
        told = run(
            connector,
            "id -un; pwd; srun -N2 --gpus-per-node=2 sh -c 'hostname; id -u; "
            "echo $CUDA_VISIBLE_DEVICES; echo $SLURMD_NODENAME >~/node.$(hostname)'",
        )
    lines = told.split()
    assert lines[:2] == [ACCOUNT, str(cluster.home)]
    assert sorted(lines[2:]) == sorted(["gpu001", "gpu002", "20007", "20007", "0,1", "0,1"])
    assert (cluster.home / "node.gpu002").read_text() == "gpu002\n"


def test_that_types_of_gpus_are_told_apart(cluster: SlurmCluster) -> None:
    where = cluster.call("srun", "--gres=gpu:k80:1", "hostname")
    assert where.strip() == "gpu002"


def test_that_the_controller_can_be_away_and_come_back_to_its_jobs(cluster: SlurmCluster) -> None:
    job = cluster.submit("sleep 600")
    cluster.wait_for(job, "RUNNING")
    cluster.stop_controller()
    cluster.start_controller()
    cluster.wait_for(job, "RUNNING")
    cluster.clear()
    assert cluster.state(job) == "CANCELLED"


def test_that_steps_can_be_refused(cluster: SlurmCluster) -> None:
    job = cluster.submit("srun sleep 600")
    until(lambda: f"{job}.0" in cluster.call("squeue", "-h", "-s", "-o", "%i"))
    with pytest.raises(RuntimeError, match=r"[Ss]tep"):
        cluster.call("srun", f"--jobid={job}", "--overlap", "hostname")
    cluster.clear()


def test_that_a_node_that_is_switched_off_fails_its_job_and_comes_back(
    cluster: SlurmCluster,
) -> None:
    job = cluster.submit("sleep 600", "--nodelist=gpu002", "--no-requeue")
    cluster.wait_for(job, "RUNNING")
    cluster.fail_node("gpu002")
    cluster.wait_for(job, "NODE_FAIL")
    cluster.mend_node("gpu002")
    cluster.wait_idle()


def test_that_nothing_survives_a_killed_starter() -> None:
    program = (
        "import sys, time; from tests.support.slurm import SlurmCluster\n"
        "c = SlurmCluster(); c.up(); print(c.folder, c._munge.pid,\n"
        "  *c.login.pids(), *[p for n in c.nodes.values() for p in n.pids()], flush=True)\n"
        "time.sleep(600)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=os.getcwd(), text=True
    )
    assert starter.stdout is not None
    folder, *pids = starter.stdout.readline().split()
    starter.kill()
    starter.wait()
    starter.stdout.close()
    try:
        assert len(pids) > 6
        until(lambda: not any(command_of(int(pid)) for pid in pids))
    finally:
        subprocess.run(["rm", "-rf", "--", folder], check=True)
