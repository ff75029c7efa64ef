"""The practice cluster inside this process: real SSH servers on this computer, for trying out."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remote.practice import PracticeCluster

_NEEDS = {"asyncssh": "asyncssh", "sklearn": "scikit-learn", "tensorflow": "tensorflow-cpu"}
NODES = 3
_PROFILE = "practice.yaml"


def missing_for_practice() -> list[str]:
    """The packages that the practice cluster needs and that are not here; nothing is imported."""
    return [package for module, package in _NEEDS.items() if find_spec(module) is None]


def practice_folder() -> Path:
    """Where the practice cluster of this account lives."""
    from remote.history.database import default_path

    return (default_path().parent / "practice").resolve()


def practice_profile() -> Path:
    """The profile that the practice cluster writes."""
    return practice_folder() / _PROFILE


def is_practice_profile(path: Path) -> bool:
    """Whether ``path`` is that profile; loads the history's package only where it may be."""
    return path.name == _PROFILE and path.resolve() == practice_profile()


class Practice:
    """Starts the cluster once and ends it with the window."""

    def __init__(self) -> None:
        self._cluster: PracticeCluster | None = None

    def start(self) -> Path:
        """The cluster's profile; blocks until its servers listen. Raises ClewError, OSError."""
        if self._cluster is None:
            from remote.practice import PracticeCluster

            cluster = PracticeCluster(practice_folder(), NODES)
            cluster.start()
            self._cluster = cluster
        return self._cluster.profile

    @property
    def known_hosts(self) -> tuple[Path, ...]:
        """Where the keys of the practice nodes are; nothing while it does not run."""
        return (self._cluster.known_hosts,) if self._cluster is not None else ()

    @property
    def running(self) -> bool:
        return self._cluster is not None

    def stop(self) -> None:
        """End the servers; safe to call twice."""
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.close()
