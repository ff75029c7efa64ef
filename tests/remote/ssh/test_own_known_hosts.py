"""Clew's own known_hosts file, written by several programs at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from remote.ssh.host_keys import HostKeys
from tests.support.sshd import make_key
from tests.support.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
WRITERS, LINES = 4, 8
WRITE = """
import sys
from pathlib import Path
from remote.ssh.own_known_hosts import append_line
path, name, count, key = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
sys.stdin.readline()
for number in range(count):
    append_line(path, f"{name}-{number} {key}\\n".encode())
"""


def test_that_writers_at_the_same_time_lose_and_mix_nothing(weird_path: Path) -> None:
    own = weird_path / "clew" / "known_hosts"
    key = " ".join(Path(f"{make_key(weird_path / 'k')}.pub").read_text().split()[:2])
    words = [sys.executable, "-c", WRITE, str(own)]
    writers = [
        subprocess.Popen([*words, f"w{n}", str(LINES), key], cwd=ROOT, stdin=subprocess.PIPE)
        for n in range(WRITERS)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.close()
    assert [writer.wait(PATIENCE_S) for writer in writers] == [0] * WRITERS
    lines = own.read_text().splitlines()
    expected = {f"w{n}-{number} {key}" for n in range(WRITERS) for number in range(LINES)}
    assert set(lines) == expected
    assert len(lines) == len(expected)
    told: list[str] = []
    hosts = HostKeys(own, openssh=(), notice=told.append)
    assert hosts.preferences([f"w3-{LINES - 1}"])[0] == ["ssh-ed25519"]
    assert told == []
