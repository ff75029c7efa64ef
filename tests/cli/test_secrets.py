"""A password and a passphrase are nowhere but in the memory of the process that asked for them."""

from __future__ import annotations

import os
import pty
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.profile import build, save
from tests.support.commands import command, surroundings
from tests.support.sshd import NodeOptions, SshdNodes, make_key, why_no_nodes
from tests.support.waiting import PATIENCE_S

pytestmark = pytest.mark.nodes
PASSWORD = f"pw-{secrets.token_hex(12)}"
PASSPHRASE = f"pp-{secrets.token_hex(12)}"
MARKS = (PASSWORD.encode(), PASSPHRASE.encode())


class Watch(threading.Thread):
    """Looks through the command lines and surroundings of all processes, again and again."""

    def __init__(self) -> None:
        super().__init__(name="watch", daemon=True)
        self.found: list[str] = []
        self.rounds = 0
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.is_set():
            self.look()
            self._over.wait(0.05)

    def look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    data = (folder / name).read_bytes()
                except OSError:  # it has ended
                    continue
                self.found += [f"{folder}/{name}" for mark in MARKS if mark in data]
        self.rounds += 1

    def stop(self) -> None:
        self._over.set()
        self.join(PATIENCE_S)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    """Two nodes that want the key and then the password."""
    if reason := why_no_nodes():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("nodes")
    key = make_key(tmp_path_factory.mktemp("key") / "id", passphrase=PASSPHRASE)
    options = NodeOptions(
        password=PASSWORD,
        public_keys=(Path(f"{key}.pub").read_text(),),
        config=("AuthenticationMethods publickey,password",),
    )
    with SshdNodes(folder, mode="loop", count=2, options=options) as running:
        running.client_key = key
        yield running


def check(profile: Path, data: Path, known: Path) -> tuple[int, bytes, bytes, int]:
    """``clew check`` by somebody at a terminal; status, output, complaints, questions asked."""
    near, far = pty.openpty()
    asked = 0
    try:
        with subprocess.Popen(
            command("check", profile),
            cwd=data,
            env=surroundings(data, CLEW_KNOWN_HOSTS=str(known)),
            stdin=far,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that its terminal is the one given here
        ) as process:
            timer = threading.Timer(100, process.kill)
            timer.start()
            assert process.stdout is not None
            assert process.stderr is not None
            said = b""
            while piece := os.read(process.stderr.fileno(), 4096):
                said += piece
                for words, answer in ((b"Passphrase for", PASSPHRASE), (b"Password of", PASSWORD)):
                    if words in piece:
                        asked += 1
                        os.write(near, answer.encode() + b"\n")
            output = process.stdout.read()
            process.wait()
            timer.cancel()
        return process.returncode, output, said, asked
    finally:
        os.close(near)
        os.close(far)


def files_with_marks(*folders: Path) -> list[Path]:
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                found += [path for mark in MARKS if mark in data]
    return found


def test_that_secrets_are_asked_once_and_leave_no_trace(nodes: SshdNodes, weird_path: Path) -> None:
    profile = weird_path / "p.yaml"
    save(
        build(
            {
                "ssh": {"user": "root", "identity_file": str(nodes.client_key)},
                "nodes": [
                    {"host": node.ip, "port": node.port, "name": node.name} for node in nodes.nodes
                ],
                "environment": {"python": sys.executable},
                "training": {"dataset": {"name": "synthetic"}},
            }
        ),
        profile,
        None,
    )
    watch = Watch()
    watch.start()
    try:
        _, output, said, asked = check(profile, weird_path, nodes.known_hosts)
    finally:
        watch.stop()
    assert asked == 2, said.decode(errors="replace")  # for two nodes with two secrets each
    for node in nodes.nodes:
        assert "Accepted password" in node.log, said.decode(errors="replace")
    assert watch.rounds > 3
    assert watch.found == []
    assert not any(mark in output + said for mark in MARKS)
    assert (weird_path / "history.db").exists()
    homes = [node.home for node in nodes.nodes]
    assert files_with_marks(weird_path, *homes) == []


def test_that_the_watch_sees_what_it_looks_for(tmp_path: Path) -> None:
    watch = Watch()
    with subprocess.Popen(["sleep", "60"], env={"X": PASSWORD}) as process:
        watch.look()
        process.kill()
    assert watch.found == [f"/proc/{process.pid}/environ"]
    (tmp_path / "log").write_text(f"x {PASSPHRASE} y")
    assert files_with_marks(tmp_path) == [tmp_path / "log"]
