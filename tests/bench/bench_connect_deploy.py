"""Bringing 300 files of 50 MB in all to an sshd node, against ``tar | ssh cat``.

Clew's part begins with reading the folder and ends when the node has checked every file, flushed
it and put the whole in its place; the connection is there. ``cat`` writes one file, unchecked; what
``ssh HOST true`` takes is taken off it, so that neither counts its login. Both take turns.
"""

from __future__ import annotations

import os
import random
import resource
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
from tests.bench.report import Report, Row
from tests.support.sshd import SshdNodes, why_no_nodes

FILES, BYTES = 300, 50_000_000
ROUNDS = 7
LIMIT_S = 120
KEPT = 0.9
"""Least rate, of that of ``tar | ssh cat``."""


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

    def __init__(self, nodes: SshdNodes, folder: Path, files: Path) -> None:
        known = HostKeys(folder / "own", extra=[nodes.known_hosts], openssh=())
        pool = SshPool(known=known, prompter=NoPrompter())
        node = nodes.nodes[0]
        fields = Fields(
            host=node.ip, port=node.port, user=node.user, identity_file=str(nodes.client_key)
        )
        self._files, self._turn = files, 0
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
            root=f"{self.link.hello.home}/turn {self._turn}",
            progress=lambda done, total: None,
            cancelled=lambda: False,
        )

    def close(self) -> None:
        self.link.close()
        self._connector.close()


class WithSsh:
    """The quickest exchange of keys that both sides have; no file of the user's is read."""

    def __init__(self, nodes: SshdNodes, files: Path) -> None:
        options = f"-F none -i {nodes.client_key} -o BatchMode=yes -o LogLevel=ERROR"
        options += f" -o UserKnownHostsFile={nodes.known_hosts}"
        options += " -o KexAlgorithms=curve25519-sha256"
        node = nodes.nodes[0]
        self._ssh = ["ssh", *options.split(), "-p", str(node.port), f"root@{node.ip}"]
        self._files = files

    def login(self) -> None:
        subprocess.run([*self._ssh, "true"], check=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S)

    def __call__(self) -> None:
        tar = ["tar", "-C", str(self._files), "-cf", "-", "."]
        with subprocess.Popen(tar, stdout=subprocess.PIPE) as packing:
            command = [*self._ssh, "cat > archive.tar"]
            subprocess.run(command, check=True, stdin=packing.stdout, timeout=LIMIT_S)


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
    ratios, ours, theirs = [], list[tuple[float, float]](), list[tuple[float, float]]()
    with (
        SshdNodes(folder / "nodes", mode="loop", count=1) as nodes,
        closing(WithClew(nodes, folder, files)) as clew,
    ):
        ssh = WithSsh(nodes, files)
        for number in range(-1, ROUNDS):
            both: list[Callable[[], None]] = [clew, ssh] if number % 2 else [ssh, clew]
            found = {id(each): taken(each) for each in both}
            login = taken(ssh.login)[0]
            if number >= 0:  # the first round warms up
                ours.append(found[id(clew)])
                theirs.append(found[id(ssh)])
                ratios.append((theirs[-1][0] - login) / ours[-1][0])
    for name, rows in (("Clew", ours), ("tar | ssh cat", theirs)):
        wall = statistics.median(wall for wall, _ in rows)
        cpu = statistics.median(cpu for _, cpu in rows)
        print(f"  {name:<14} {wall:.2f} s, {cpu:.2f} s of CPU here")
    what = f"{FILES} files, {BYTES // 10**6} MB to a node / tar | ssh cat"
    report.add(Row(what=what, samples=ratios, bound=KEPT, at_most=False))


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
