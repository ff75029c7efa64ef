"""Reading known_hosts files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.ssh.known_hosts import KnownLine, fingerprint, parse_known_hosts, read_known_hosts
from tests.support.sshd import make_key

PATH = Path("known_hosts")


@pytest.fixture(scope="module")
def key_line(tmp_path_factory: pytest.TempPathFactory) -> str:
    """``type base64`` of a fresh key."""
    path = make_key(tmp_path_factory.mktemp("key") / "id")
    return " ".join(Path(f"{path}.pub").read_text().split()[:2])


def only(text: str) -> KnownLine:
    file = parse_known_hosts(text.encode(), PATH)
    assert file.problems == ()
    (line,) = file.lines
    return line


@pytest.mark.parametrize(
    ("patterns", "name", "covered"),
    [
        ("gpu01", "gpu01", True),
        ("GPU01", "gpu01", True),
        ("gpu01", "gpu011", False),
        ("gpu01,10.0.0.1", "10.0.0.1", True),
        ("gpu??", "gpu17", True),
        ("*.lab,!bad.lab", "good.lab", True),
        ("*.lab,!bad.lab", "bad.lab", False),
        ("!bad.lab,*.lab", "bad.lab", False),
        ("[gpu01]:2222", "[gpu01]:2222", True),
        ("[gpu01]:2222", "gpu01", False),
        ("[gpu*]:2222", "[gpu7]:2222", True),
        ("gpu[01]", "gpu0", False),
    ],
)
def test_that_patterns_cover_what_openssh_says(
    key_line: str, patterns: str, name: str, covered: bool
) -> None:
    assert only(f"{patterns} {key_line}").covers(name) is covered


def test_that_hashed_names_are_found(tmp_path: Path, key_line: str) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(f"gpu01 {key_line}\n[gpu02]:2222 {key_line}\n")
    subprocess.run(["ssh-keygen", "-H", "-f", str(path)], check=True, capture_output=True)
    assert "gpu01" not in path.read_text()
    first, second = read_known_hosts(path).lines
    assert first.covers("gpu01")
    assert not first.covers("gpu02")
    assert second.covers("[gpu02]:2222")


def test_that_a_bad_line_costs_one_line(key_line: str) -> None:
    lines = [
        "# comment",
        "",
        f"@revoked * {key_line}",
        f"@cert-authority *.lab {key_line}",
        f"@unknown x {key_line}",
        "gpu01 ssh-ed25519 not-base64!",
        "gpu02 ssh-rsa " + key_line.split()[1],
        "gpu03",
        f"gpu04 {key_line} a comment",
    ]
    file = parse_known_hosts("\r\n".join(lines).encode(), PATH)
    assert [(line.number, line.marker) for line in file.lines] == [
        (3, "@revoked"),
        (4, "@cert-authority"),
        (9, ""),
    ]
    assert [problem.split(":")[0] for problem in file.problems] == [
        f"known_hosts, line {n}" for n in (5, 6, 7, 8)
    ]


def test_that_the_fingerprint_is_ssh_keygens(tmp_path: Path) -> None:
    path = make_key(tmp_path / "id", "ecdsa")
    listed = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(path)], check=True, capture_output=True, text=True
    ).stdout.split()[1]
    line = only("host " + Path(f"{path}.pub").read_text())
    assert fingerprint(line.blob) == listed


def test_that_a_missing_file_is_empty_and_a_folder_is_a_problem(tmp_path: Path) -> None:
    assert read_known_hosts(tmp_path / "absent").lines == ()
    assert len(read_known_hosts(tmp_path).problems) == 1


@given(st.binary(max_size=400))
def test_that_any_bytes_are_read(data: bytes) -> None:
    file = parse_known_hosts(data, PATH)
    for line in file.lines:
        line.covers("gpu01")


@given(
    st.text(alphabet="|1=*?!,[]:@ ab\t", max_size=40),
    st.sampled_from(["", "@revoked ", "@cert-authority "]),
)
def test_that_any_patterns_are_matched(patterns: str, marker: str) -> None:
    blob = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
    file = parse_known_hosts(f"{marker}{patterns} ssh-ed25519 {blob}".encode(), PATH)
    for line in file.lines:
        assert line.covers("gpu01") in (True, False)
