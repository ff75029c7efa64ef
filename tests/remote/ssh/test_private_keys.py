"""Private key files of every kind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from remote.ssh.private_keys import KeyFileError, OpenedKeys, read_key_file
from tests.support.sshd import make_key


@pytest.mark.parametrize(
    ("kind", "name"),
    [("ed25519", "ssh-ed25519"), ("ecdsa", "ecdsa-sha2-nistp256"), ("rsa", "ssh-rsa")],
)
@pytest.mark.parametrize("passphrase", ["", 'geheim ünd "quoted"'])
def test_that_openssh_keys_open(weird_path: Path, kind: str, name: str, passphrase: str) -> None:
    path = make_key(weird_path / "id", kind, passphrase)
    file = read_key_file(str(path))
    assert file.key_type == name
    assert file.encrypted == bool(passphrase)
    opened = OpenedKeys()
    if passphrase:
        assert opened.open(file, "wrong") is None
    key = opened.open(file, passphrase or None)
    assert key is not None
    assert key.asbytes() == file.public_blob
    assert opened.open(file, "not looked at any more") is key


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
@pytest.mark.parametrize("passphrase", ["", "geheim"])
def test_that_pem_keys_open(tmp_path: Path, kind: str, passphrase: str) -> None:
    path = make_key(tmp_path / "id", kind)
    subprocess.run(
        ["ssh-keygen", "-p", "-m", "PEM", "-N", passphrase, "-f", str(path)],
        check=True,
        capture_output=True,
    )
    file = read_key_file(str(path))
    assert file.encrypted == bool(passphrase)
    opened = OpenedKeys()
    if passphrase:
        assert opened.open(file, "wrong") is None
    key = opened.open(file, passphrase or None)
    assert key is not None
    assert key.asbytes() == file.public_blob


def test_that_a_key_which_others_may_read_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = make_key(tmp_path / "id")
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match=r"other users may read it.*chmod 600"):
        read_key_file(str(path))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        ("PuTTY-User-Key-File-3: ssh-ed25519\n", "puttygen"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "ssh-keygen -p"),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
            "damaged",
        ),
        ("just text\n", "not a private key"),
        ("", "not a private key"),
        ("ssh-ed25519\n", "not a private key"),
    ],
)
def test_that_other_files_are_named_for_what_they_are(
    tmp_path: Path, content: str | None, reason: str
) -> None:
    path = tmp_path / "id"
    if content is not None:
        path.write_text(content)
        path.chmod(0o600)
    with pytest.raises(KeyFileError, match=reason):
        read_key_file(str(path))


def test_that_bytes_that_are_no_text_are_no_key(tmp_path: Path) -> None:
    path = tmp_path / "id"
    path.write_bytes(os.urandom(64) + b"\xff\xfe")
    with pytest.raises(KeyFileError):
        read_key_file(str(path))


def test_that_a_damaged_unencrypted_key_is_not_taken_for_a_wrong_passphrase(
    tmp_path: Path,
) -> None:
    path = make_key(tmp_path / "id", "rsa")
    lines = path.read_text().splitlines()
    lines[-3] = "A" * len(lines[-3])
    path.write_text("\n".join(lines))
    with pytest.raises(KeyFileError, match="damaged"):
        OpenedKeys().open(read_key_file(str(path)), None)


def test_that_key_material_is_in_no_repr(tmp_path: Path) -> None:
    file = read_key_file(str(make_key(tmp_path / "id")))
    assert file.text.splitlines()[2] not in repr(file)
