"""Keys that RevokedHostKeys forbids, however they are known."""

from __future__ import annotations

import base64
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from remote.errors import HostKeyError
from remote.ssh.host_keys import HostKeys, Presented
from remote.ssh.stop import Stop
from tests.support.ssh import Recorder
from tests.support.sshd import make_key


@pytest.fixture
def shown(weird_path: Path) -> Presented:
    """A host whose key is on file, and the lines of two keys as ``good.pub`` and ``bad.pub``."""
    make_key(weird_path / "good")
    make_key(weird_path / "bad")
    kind, text = (weird_path / "bad.pub").read_text().split()[:2]
    (weird_path / "known").write_text(f"gpu01 {kind} {text}\n")
    return Presented(node="n", names=("gpu01",), key_type=kind, blob=base64.b64decode(text))


def verify(folder: Path, shown: Presented, file: Path) -> None:
    hosts = HostKeys(folder / "own", openssh=[folder / "known"])
    hosts.verify(replace(shown, revoked_file=str(file)), Recorder(), Stop())


@pytest.mark.parametrize(("name", "revoked"), [("good", False), ("bad", True)])
@pytest.mark.parametrize("krl", [False, True])
def test_that_a_listed_key_is_refused(
    weird_path: Path, shown: Presented, name: str, revoked: bool, krl: bool
) -> None:
    file = weird_path / "revoked keys"
    public = weird_path / f"{name}.pub"
    if krl:
        command = ["ssh-keygen", "-q", "-k", "-f", str(file), str(public)]
        subprocess.run(command, check=True, capture_output=True)
    else:
        file.write_text(f"# revoked\nnonsense\n{public.read_text()}")
    if not revoked:
        verify(weird_path, shown, file)
        return
    with pytest.raises(HostKeyError, match=r"refused by RevokedHostKeys: .* lists it"):
        verify(weird_path, shown, file)


def test_that_a_file_that_cannot_be_read_forbids_all(weird_path: Path, shown: Presented) -> None:
    with pytest.raises(HostKeyError, match=r"cannot be read \(no such file"):
        verify(weird_path, shown, weird_path / "absent")


def test_that_a_list_nobody_can_read_forbids_all(
    weird_path: Path, shown: Presented, monkeypatch: pytest.MonkeyPatch
) -> None:
    (weird_path / "krl").write_bytes(b"SSHKRL\n\0damaged")
    with pytest.raises(HostKeyError, match="damaged"):
        verify(weird_path, shown, weird_path / "krl")
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(HostKeyError, match="ssh-keygen, which reads it, cannot be run"):
        verify(weird_path, shown, weird_path / "krl")
