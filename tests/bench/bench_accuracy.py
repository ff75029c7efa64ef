"""What the main job learns: digits on the practice cluster, MNIST on three sshd nodes.

MNIST is read from the folder that CLEW_SHARED names or that lies beside the checkout; without it
that row is left out, and said so.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from remote.practice import PracticeCluster
from remote.profile import Profile, load
from tests.bench.on_nodes import connected, make_profile
from tests.bench.report import Report, Row
from tests.support.sshd import SshdNodes, why_no_nodes

LIMIT_S = 400.0
ROOT = Path(__file__).resolve().parents[2]


def mnist() -> Path | None:
    """The folder with MNIST's files, if it is here."""
    named = os.environ.get("CLEW_SHARED")
    places = [Path(named)] if named else [parent / "shared" for parent in ROOT.parents]
    return next((p / "data/mnist" for p in places if (p / "data/mnist").is_dir()), None)


def accuracy(profile: Profile, data: Path, known_hosts: Path) -> float:
    """Percent of the test split that a run of ``profile`` gets right at its end."""
    with connected(profile, data, known_hosts) as session:
        result = session.launch().wait(LIMIT_S)
    if result is None or result.state != "finished" or result.accuracy is None:
        raise SystemExit(f"accuracy: the run did not finish: {result}")
    if result.left_behind:
        raise SystemExit(f"accuracy: something is left on the nodes: {result.left_behind}")
    return 100 * result.accuracy


def main() -> int:
    report = Report("accuracy")
    report.begin()
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = Path(name)
        with PracticeCluster(folder / "practice") as practice:
            found = accuracy(load(practice.profile).profile, folder / "a", practice.known_hosts)
        report.add(_row("digits on the practice cluster", found, 95.0))
        images, reason = mnist(), why_no_nodes()
        if images is None or reason is not None:
            print(f"MNIST is left out: {reason or 'its files are not here'}")
            return report.finish()
        with SshdNodes(folder / "nodes", count=3) as nodes:
            dataset: dict[str, object] = {"name": "mnist", "path": str(images)}
            profile = make_profile(nodes, dataset, epochs=2)
            found = accuracy(profile, folder / "b", nodes.known_hosts)
        report.add(_row("MNIST on three sshd nodes, 2 epochs", found, 97.0))
    return report.finish()


def _row(what: str, found: float, bound: float) -> Row:
    return Row(what=what, samples=[found], bound=bound, at_most=False, unit="%")


if __name__ == "__main__":
    sys.exit(main())
