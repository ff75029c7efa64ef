"""What every test may use, and what no test may leave behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.fixtures import (
    practice,
    shared_data,
    slurm_cluster,
    slurm_started,
    sshd_nodes,
    weird_path,
)

__all__ = [
    "practice",
    "shared_data",
    "slurm_cluster",
    "slurm_started",
    "sshd_nodes",
    "weird_path",
]

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# How fast examples are made and tried says how busy the machine is, and nothing of what is tested.
# The same examples each time, so that a change is judged by what it changes; with CLEW_HUNT=1
# others each time, to find what nobody thought of.
settings.register_profile(
    "suite",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("CLEW_HUNT"),
)
settings.load_profile("suite")

_NODE_FIXTURES = frozenset({"sshd_nodes", "slurm_started"})
_MAY_LINGER = frozenset({"clew-name-lookup"})
_END_S = 60.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _NODE_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("nodes")


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the history of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEW_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """A test that leaves one of our threads, or one of paramiko's, fails."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + _END_S
    while left := [t for t in threading.enumerate() if t not in before and _is_ours(t)]:
        if time.monotonic() > deadline:
            pytest.fail(f"threads were left: {', '.join(t.name for t in left)}")
        time.sleep(0.02)


def _is_ours(thread: threading.Thread) -> bool:
    if thread.name in _MAY_LINGER:
        return False
    package = type(thread).__module__.partition(".")[0]
    return thread.name.startswith("clew") or package in ("paramiko", "remote", "gui")
