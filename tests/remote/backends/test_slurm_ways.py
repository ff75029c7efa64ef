"""Which way leads to a job's node, what is said when none does, and that nothing stays behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import ConnectError, LinkLost
from remote.link import AgentLink
from tests.support.behind import Job, login_link, start_job
from tests.support.slurm import SlurmCluster, why_no_slurm
from tests.support.slurm_conf import SlurmOptions
from tests.support.waiting import PATIENCE_S, until, within

pytestmark = pytest.mark.nodes


@pytest.fixture
def login(slurm_cluster: SlurmCluster, tmp_path: Path) -> Iterator[AgentLink]:
    with login_link(slurm_cluster, tmp_path / "desk") as link:
        yield link


def _steps(job: Job) -> list[str]:
    return job.cluster.call("squeue", "--steps", "-h", "-j", job.job, "-o", "%i").split()


def test_that_a_step_is_chosen_sees_the_jobs_gpus_and_leaves_none_behind(
    slurm_cluster: SlurmCluster, login: AgentLink
) -> None:
    job = start_job(slurm_cluster)
    before = _steps(job)
    backend = job.backend(login)
    connector = backend.connector("gpu001")
    connector.connect()
    assert (connector.how, connector.why) == ("step", "")
    channel = connector.open("echo $CUDA_VISIBLE_DEVICES $SLURMD_NODENAME; exec cat")
    assert channel.read(100) == b"0,1 gpu001\n"
    connector.close()
    until(lambda: _steps(job) == before)
    backend.release()
    assert backend.nodes() == ()
    until(lambda: slurm_cluster.state(job.job) in ("CANCELLED", "COMPLETED"))
    with pytest.raises(ConnectError):
        backend.connector("gpu001")


def test_that_steps_end_with_the_agent_even_if_it_is_killed(
    slurm_cluster: SlurmCluster, login: AgentLink
) -> None:
    job = start_job(slurm_cluster)
    before = _steps(job)
    connector = job.backend(login).connector("gpu002")
    connector.connect()
    channel = connector.open("echo up; exec sleep 987")
    assert channel.read(100) == b"up\n"
    agents = [pid for pid in slurm_cluster.login.pids("python3")]
    assert len(agents) == 1
    slurm_cluster.login.signal("python3", signal.SIGKILL)
    with pytest.raises(LinkLost):
        channel.read(100)
    until(lambda: _steps(job) == before, what=lambda: _steps(job))
    assert not any("sleep 987" in words for words in slurm_cluster.nodes["gpu002"].commands())


def test_that_files_are_used_where_steps_are_refused_and_a_dead_keeper_is_noticed(
    tmp_path: Path,
) -> None:
    if reason := why_no_slurm():
        pytest.skip(reason)
    options = SlurmOptions(names=("node-a7",), settings={"MaxStepCount": "1"})
    with SlurmCluster(options) as cluster, login_link(cluster, tmp_path / "desk") as link:
        job = start_job(cluster)
        connector = job.backend(link).connector("node-a7")
        connector.connect()
        assert connector.how == "files"
        assert "limit" in connector.why
        (folder,) = job.mail.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        channel = connector.open("echo $CUDA_VISIBLE_DEVICES; exec sleep 987")
        assert channel.read(100) == b"0,1\n"
        machine = cluster.nodes["node-a7"]
        keepers = [pid for pid in machine.pids("python3")]
        assert keepers
        machine.signal("python3", signal.SIGSTOP)
        with within(10.0), pytest.raises(LinkLost, match="no sign of life"):
            channel.read(100)
        with pytest.raises(ConnectError, match="no sign of life"):
            connector.open("true")
        with pytest.raises(ConnectError, match="no way leads to node-a7"):
            connector.connect()
        machine.signal("python3", signal.SIGCONT)
        until(lambda: not any("sleep 987" in words for words in machine.commands()))
        until(lambda: not list(folder.glob("c-*")))


def test_that_a_job_that_is_over_leads_nowhere_and_says_so(
    slurm_cluster: SlurmCluster, login: AgentLink
) -> None:
    job = start_job(slurm_cluster)
    connector = job.backend(login).connector("gpu001")
    connector.connect()
    channel = connector.open("cat")
    got: list[bytes | LinkLost] = []

    def read() -> None:
        try:
            got.append(channel.read(10))
        except LinkLost as error:
            got.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    slurm_cluster.call("scancel", job.job)
    reader.join(PATIENCE_S)
    assert got == [b""]
    until(lambda: not slurm_cluster.call("squeue", "-h").strip())
    with pytest.raises(ConnectError, match=r"gpu001: .*[Jj]ob"):
        connector.open("cat")
    with pytest.raises(ConnectError, match="no way leads to gpu001"):
        job.backend(login).connector("gpu001").connect()
