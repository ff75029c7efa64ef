"""Runs on a real Slurm by command, each command a process of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remote.history import History
from tests.support.commands import LIMIT_S, clew, objects, start_clew
from tests.support.sessions import file_of, recorded
from tests.support.slurm import SlurmCluster
from tests.support.slurm_profile import slurm_profile, trust
from tests.support.waiting import until

pytestmark = [
    pytest.mark.nodes,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn has the digits"),
]
LONG = ("--set", "training.steps=200000")


class Site:
    """The Slurm, a profile for it, and commands of a user of both."""

    def __init__(self, slurm: SlurmCluster, data: Path) -> None:
        self.slurm = slurm
        self.data = data
        self.profile = slurm_profile(slurm, data)

    def clew(self, *words: object) -> subprocess.CompletedProcess[str]:
        return clew(*words, data=self.data, **trust(self.slurm))

    def told(self, *words: object) -> list[dict[str, Any]]:
        """The objects of a command that goes well."""
        done = self.clew(*words, "--json")
        assert done.returncode == 0, done.stderr + done.stdout[-2000:]
        return objects(done.stdout)

    def jobs(self) -> list[str]:
        """Names of the jobs in the queue."""
        return self.slurm.call("squeue", "-h", "-o", "%j").split()

    def history(self) -> History:
        return History(self.data / "history.db")


@pytest.fixture
def site(slurm_cluster: SlurmCluster, data: Path) -> Site:
    return Site(slurm_cluster, data)


@pytest.fixture
def busy(site: Site) -> str:
    """A job that has all nodes."""
    job = site.slurm.submit("sleep 900", "-N2", "--exclusive")
    site.slurm.wait_for(job, "RUNNING")
    return job


class Watching:
    """``clew run --json`` as it goes on; use as a context."""

    def __init__(self, site: Site, *words: object) -> None:
        variables = trust(site.slurm)
        self.process = start_clew(*words, "--json", data=site.data, **variables)
        self.lines: list[str] = []
        self._errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.lines)),
            threading.Thread(target=self._read, args=(self.process.stderr, self._errors)),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(LIMIT_S)
        for reader in self._readers:
            reader.join(LIMIT_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [item for item in objects("\n".join(self.lines)) if item["type"] == kind]

    def wait_for(self, kind: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first object of this kind for which ``holds``."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = [item for item in self.of(kind) if holds(item)]
            return bool(found)

        until(is_there, LIMIT_S, what=lambda: (self.lines[-5:], self._errors), pause_s=0.05)
        return found[0]

    def result(self) -> dict[str, Any]:
        self.process.wait(LIMIT_S)
        for reader in self._readers:
            reader.join(LIMIT_S)
        assert self.of("result"), (self.lines[-5:], self._errors)
        return self.of("result")[-1]

    def _read(self, stream: Any, lines: list[str]) -> None:
        lines.extend(iter(lambda: stream.readline().rstrip("\n"), ""))


@pytest.fixture
def watching(site: Site) -> Iterator[Callable[..., Watching]]:
    """Starts ``clew run`` (or another command) and reads what it tells."""
    with contextlib.ExitStack() as stack:
        yield lambda *words: stack.enter_context(Watching(site, *words))


def test_that_a_check_holds_the_profile_against_the_partition(site: Site) -> None:
    told = site.told("check", site.profile)
    words = [item["text"] for item in told if item["type"] == "finding"]
    assert any(text.startswith("Slurm 2") for text in words)
    assert any("partition gpu takes a job of 2 nodes" in text for text in words)
    wrong = site.clew("check", site.profile, "--set", "cluster.slurm.nodes=3")
    assert wrong.returncode == 1
    assert "3 nodes are asked for, and partition gpu has 2" in wrong.stderr


def test_that_a_job_that_cannot_start_is_not_said_to_go_on_by_itself(site: Site) -> None:
    done = site.clew("run", site.profile, "--detach", "--set", 'cluster.slurm.extra=["--hold"]')
    assert done.returncode == 0, done.stderr
    assert "It does not start by itself" in done.stderr
    assert "goes on by itself" not in done.stderr


def test_that_files_must_lie_where_the_nodes_of_a_job_see_them(site: Site) -> None:
    done = site.clew("run", site.profile, "--set", "storage.root=/proc/nowhere")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "/proc/nowhere" in done.stdout + done.stderr
    assert site.jobs() == []


def test_that_a_waiting_run_is_left_seen_and_cancelled(site: Site, busy: str) -> None:
    told = site.told("run", site.profile, "--detach")
    assert told[-1]["state"] == "queued"
    run = told[-1]["run"]
    assert f"clew-{run}" in site.jobs()
    status = site.told("status", run)
    (queue,) = [item for item in status if item["type"] == "queue"]
    assert queue["state"] == "waiting"
    assert queue["will_start"] is True
    assert queue["words"]
    assert status[-1]["state"] == "queued"
    listed = [item for item in site.told("runs", site.profile) if item["type"] == "run"]
    assert (listed[0]["run"], listed[0]["state"]) == (run, "queued")
    stopped = site.told("stop", run)[-1]
    assert stopped["state"] == "stopped"
    assert stopped["reason"] == "cancelled while waiting"
    assert stopped["left_behind"] == []
    assert site.jobs() == ["sbatch"]


def test_that_a_job_cancelled_by_others_is_told_as_that(
    site: Site, busy: str, watching: Callable[..., Watching]
) -> None:
    run = watching("run", site.profile)
    job = run.wait_for("queue", lambda item: item["state"] == "waiting")["job"]
    site.slurm.call("scancel", job)
    result = run.result()
    assert result["state"] == "stopped"
    assert f"job {job} was cancelled while it waited" in result["reason"]


def test_that_a_silent_controller_is_unknown_and_no_end(
    site: Site, busy: str, watching: Callable[..., Watching]
) -> None:
    run = watching("run", site.profile)
    run.wait_for("queue", lambda item: item["state"] == "waiting")
    site.slurm.stop_controller()
    try:
        told = run.wait_for("queue", lambda item: item["state"] == "unknown")
    finally:
        site.slurm.start_controller()
    assert re.search(r"unknown since \d\d:\d\d", told["words"])
    assert run.process.poll() is None
    os.kill(run.process.pid, signal.SIGINT)  # it is cancelled once the controller is back
    result = run.result()
    assert result["reason"] == "cancelled while waiting"
    assert result["left_behind"] == []
    assert site.jobs() == ["sbatch"]


@pytest.mark.tf
def test_that_a_run_whose_desktop_died_while_it_waited_trains_and_is_complete(
    site: Site, busy: str, watching: Callable[..., Watching]
) -> None:
    first = watching("run", site.profile)
    waits = first.wait_for("queue", lambda item: item["state"] == "waiting")
    os.killpg(first.process.pid, signal.SIGKILL)
    site.slurm.call("scancel", busy)
    site.slurm.wait_for(waits["job"], "COMPLETED")
    result = site.told("attach", waits["run"])[-1]
    assert result["state"] == "finished"
    assert result["global_step"] == 300
    assert result["left_behind"] == []
    history = site.history()
    assert history.run(waits["run"]).result is not None  # type: ignore[union-attr]
    for task in ("ps:0", "worker:0", "worker:1"):
        path = file_of(site.slurm.home, waits["run"], task)
        assert recorded(history, waits["run"], task) == path.read_bytes()
    history.close()


@pytest.mark.tf
def test_that_a_run_is_stopped_after_a_checkpoint_and_goes_on_in_another_job(
    site: Site, watching: Callable[..., Watching]
) -> None:
    first = watching("run", site.profile, *LONG)
    first.wait_for("step", lambda item: item["step"] > 20)
    nodes = {item["node"] for item in first.of("node")}
    assert nodes == {"login1", "gpu001", "gpu002"}
    run = first.of("run")[0]["run"]
    stopped = site.told("stop", run, "--take-control")[-1]
    assert stopped["state"] == "stopped"
    assert stopped["left_behind"] == []
    assert site.jobs() == []
    assert first.result()["state"] == "stopped"
    steps = stopped["global_step"] + 50
    more = ("--set", f"training.resume_from={run}", "--set", f"training.steps={steps}")
    told = site.told("run", site.profile, *more)
    assert any(item["type"] == "mark" and item["kind"] == "restored" for item in told)
    assert told[-1]["state"] == "finished"
    assert told[-1]["global_step"] == steps
    assert site.jobs() == []


@pytest.mark.tf
def test_that_a_job_cancelled_while_it_trains_ends_its_run_as_that(
    site: Site, watching: Callable[..., Watching]
) -> None:
    run = watching("run", site.profile, *LONG)
    run.wait_for("step", lambda item: item["step"] > 20)
    job = run.of("queue")[-1]["job"]
    site.slurm.call("scancel", job)
    result = run.result()
    assert result["state"] == "stopped"
    assert f"job {job} was cancelled from outside" in result["reason"]
    assert result["left_behind"] == []


@pytest.mark.tf
def test_that_a_job_that_is_begun_again_goes_on_from_its_checkpoint(
    site: Site, watching: Callable[..., Watching]
) -> None:
    more = ("--set", "training.steps=3000", "--set", "training.checkpoint_every_s=1")
    run = watching("run", site.profile, *more)
    run.wait_for("mark", lambda item: item["kind"] == "checkpoint")
    job = run.of("queue")[-1]["job"]
    site.slurm.requeue(job)
    standing = site.told("status", run.of("run")[0]["run"])[-1]
    assert standing["state"] in ("queued", "starting", "training")
    result = run.result()
    assert result["state"] == "finished", result["reason"]
    assert result["global_step"] == 3000
    assert result["left_behind"] == []
    assert any(item["kind"] == "restored" for item in run.of("mark"))
    lost = [item for item in run.of("node") if item["state"] == "unreachable"]
    assert lost == []  # jobs end: that is no loss of a node
    assert site.jobs() == []
