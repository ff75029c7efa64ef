"""Where commands run in tests, and a cluster for those that need one."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.practice import PracticeCluster
from remote.profile import save
from tests.support.sessions import practice_profile


@pytest.fixture
def data(weird_path: Path) -> Path:
    """The folder that a command has its history and its files in."""
    return weird_path


@pytest.fixture
def trust(practice: PracticeCluster) -> dict[str, str]:
    """What a command's environment needs in order to trust the practice nodes."""
    return {"CLEW_KNOWN_HOSTS": str(practice.known_hosts)}


@pytest.fixture
def profile(practice: PracticeCluster, data: Path) -> Path:
    """The practice profile with ports of its own."""
    path = data / "practice profile.yaml"
    save(practice_profile(practice.profile), path, None)
    return path
