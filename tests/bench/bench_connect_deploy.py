"""Bringing 300 files of 50 MB in all to an sshd node, against ``tar | ssh cat``.

Clew's part begins with reading the folder and ends when the node has checked every file, flushed
it and put the whole in its place; the connection is there. ``cat`` writes one file, unchecked,
which ``sync`` then flushes; what ``ssh HOST true`` takes is taken off it, so that neither counts
its login. They take turns, and write to one new file system. The rate without ``sync``, which
after which a power cut loses the files, is printed beside it.
"""

from __future__ import annotations

import os
import random
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from remote.bundle import folder_tree
from remote.link import COMMAND, AgentLink
from remote.ssh import Fields, HostKeys, NoPrompter, SshPool
from tests.bench.own_disk import own_disk
from tests.bench.report import Report, Row
from tests.support.sshd import SshdNodes, why_no_nodes

FILES, BYTES = 300, 50_000_000
ROUNDS = 7
LIMIT_S = 120
KEPT = 0.9
"""Least rate, of that of ``tar | ssh cat`` and ``sync``."""


def make_files(folder: Path) -> Path:
    """Files of 1 to 332 kB that no compression makes smaller."""
    random.seed(1)
    for number in range(FILES):
        path = folder / f"part {number % 12}" / f"file {number:03d}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(random.randbytes(BYTES * (2 * number + 1) // FILES**2))
    return folder


class WithClew:
    """Each turn sends the folder to a storage root of its own, over one connection."""

    def __init__(self, nodes: SshdNodes, folder: Path, files: Path, disk: Path) -> None:
        known = HostKeys(folder / "own", extra=[nodes.known_hosts], openssh=())
        pool = SshPool(known=known, prompter=NoPrompter())
        node = nodes.nodes[0]
        fields = Fields(
            host=node.ip, port=node.port, user=node.user, identity_file=str(nodes.client_key)
        )
        self._files, self._disk, self._turn = files, disk, 0
        self._connector = pool.connector(pool.resolve(fields))
        self._connector.connect()
        self.link = AgentLink.start(
            self._connector.open(COMMAND),
            node=node.name,
            python=sys.executable,
            on_stream=lambda item: None,
            on_closed=lambda error: None,
        )

    def __call__(self) -> None:
        self._turn += 1
        tree = folder_tree(self._files, "data")
        self.link.put_tree(
            tree,
            root=f"{self._disk}/turn {self._turn}",
            progress=lambda done, total: None,
            cancelled=lambda: False,
        )

    def close(self) -> None:
        self.link.close()
        self._connector.close()


class WithSsh:
    """The quickest exchange of keys that both sides have; no file of the user's is read."""

    def __init__(self, nodes: SshdNodes, files: Path, disk: Path) -> None:
        options = f"-F none -i {nodes.client_key} -o BatchMode=yes -o LogLevel=ERROR"
        options += f" -o UserKnownHostsFile={nodes.known_hosts}"
        options += " -o KexAlgorithms=curve25519-sha256"
        node = nodes.nodes[0]
        self._ssh = ["ssh", *options.split(), "-p", str(node.port), f"root@{node.ip}"]
        self._files = files
        self._archive = shlex.quote(str(disk / "archive.tar"))

    def login(self) -> None:
        subprocess.run([*self._ssh, "true"], check=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S)

    def write(self) -> None:
        self._send(f"cat > {self._archive}")

    def write_and_flush(self) -> None:
        self._send(f"cat > {self._archive} && sync {self._archive}")

    def _send(self, command: str) -> None:
        tar = ["tar", "-C", str(self._files), "-cf", "-", "."]
        with subprocess.Popen(tar, stdout=subprocess.PIPE) as packing:
            subprocess.run([*self._ssh, command], check=True, stdin=packing.stdout, timeout=LIMIT_S)


def taken(action: Callable[[], None]) -> tuple[float, float]:
    """Seconds, and CPU seconds of this process and of its children that have ended."""
    begin, cpu = time.monotonic(), _own_cpu()
    action()
    return time.monotonic() - begin, _own_cpu() - cpu


def _own_cpu() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measure(report: Report, folder: Path) -> None:
    files = make_files(folder / "files")
    rounds: list[dict[str, tuple[float, float]]] = []
    with (
        own_disk(folder) as disk,
        SshdNodes(folder / "nodes", mode="loop", count=1) as nodes,
        closing(WithClew(nodes, folder, files, disk)) as clew,
    ):
        ssh = WithSsh(nodes, files, disk)
        ways: dict[str, Callable[[], None]] = {
            "Clew": clew,
            "tar | ssh cat, sync": ssh.write_and_flush,
            "tar | ssh cat": ssh.write,
            "ssh true": ssh.login,
        }
        for number in range(-1, ROUNDS):
            names = list(ways)
            names = names[number % len(names) :] + names[: number % len(names)]
            found = {name: taken(ways[name]) for name in names}
            if number >= 0:  # the first round warms up
                rounds.append(found)
    for name in ways:
        wall, cpu = (statistics.median(found[name][n] for found in rounds) for n in (0, 1))
        print(f"  {name:<20} {wall:.2f} s, {cpu:.2f} s of CPU here")
    unsafe = statistics.median(ratio(found, "tar | ssh cat") for found in rounds)
    print(f"  of the rate of tar | ssh cat without sync: {unsafe:.2f}")
    what = f"{FILES} files, {BYTES // 10**6} MB to a node / tar | ssh cat, sync"
    ratios = [ratio(found, "tar | ssh cat, sync") for found in rounds]
    report.add(Row(what=what, samples=ratios, bound=KEPT, at_most=False))


def ratio(found: dict[str, tuple[float, float]], other: str) -> float:
    """Clew's rate over that of ``other`` in one round, which does not count its login."""
    return (found[other][0] - found["ssh true"][0]) / found["Clew"][0]


def main() -> int:
    reason = why_no_nodes()
    if reason is not None:
        print(f"connect deploy: cannot be measured here: {reason}")
        return 2
    report = Report("connect deploy")
    report.begin()
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        os.environ["CLEW_DATA_DIR"] = str(Path(name, "data"))
        os.environ.pop("SSH_AUTH_SOCK", None)
        measure(report, Path(name))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
