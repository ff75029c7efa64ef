"""Fixtures for the whole suite: nodes, data and awkward paths."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.practice import PracticeCluster
from tests.support.slurm import SlurmCluster, why_no_slurm
from tests.support.sshd import SshdNodes, why_no_nodes

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def sshd_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    """Three sshd nodes, each with its own network; ``client_key`` opens all of them."""
    reason = why_no_nodes()
    if reason is not None:
        pytest.skip(reason)
    with SshdNodes(tmp_path_factory.mktemp("nodes"), mode="netns", count=3) as nodes:
        yield nodes


@pytest.fixture(scope="session")
def slurm_started() -> Iterator[SlurmCluster]:
    """A Slurm with two nodes of four GPUs each, started once; use :func:`slurm_cluster`."""
    reason = why_no_slurm()
    if reason is not None:
        pytest.skip(reason)
    with SlurmCluster() as cluster:
        yield cluster


@pytest.fixture
def slurm_cluster(slurm_started: SlurmCluster) -> Iterator[SlurmCluster]:
    """The Slurm of the whole suite, without a job before and after."""
    slurm_started.clear()
    yield slurm_started
    slurm_started.clear()


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PracticeCluster]:
    """A practice cluster of three nodes in a folder with an awkward name."""
    pytest.importorskip("asyncssh")
    with PracticeCluster(tmp_path_factory.mktemp("practice") / awkward_name()) as cluster:
        yield cluster


@pytest.fixture
def weird_path(tmp_path: Path) -> Path:
    """An empty folder whose path has blanks, quotes, a dollar sign and other alphabets."""
    path = tmp_path / awkward_name()
    path.mkdir()
    return path


def awkward_name() -> str:
    return 'it\'s a "näme" $HOME 数据 #1'


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder ``shared`` with data sets: $CLEW_SHARED, or beside or above the checkout."""
    named = os.environ.get("CLEW_SHARED")
    places = [Path(named)] if named else [folder / "shared" for folder in (ROOT, *ROOT.parents)]
    for place in places:
        if (place / "data").is_dir():
            return place
    pytest.skip("the shared data folder is not here")
