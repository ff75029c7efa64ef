"""The list of hosts that an ssh_config names."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.ssh.config_file import ConfigFiles
from remote.ssh.config_hosts import ConfigHost, ConfigHosts, list_hosts
from tests.support.waiting import SLACK

FILES = Path(__file__).resolve().parents[2] / "fixtures" / "ssh_config"


@pytest.fixture(autouse=True)
def _looks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever starts a process or asks a name server fails the test."""

    def forbidden(*words: object, **more: object) -> object:
        raise AssertionError(f"looking at a file did something: {words}")

    for place, name in ((subprocess, "Popen"), (socket, "getaddrinfo"), (socket, "socket")):
        monkeypatch.setattr(place, name, forbidden)


def hosts_of(path: Path, home: Path | None = None) -> ConfigHosts:
    return list_hosts(ConfigFiles(home=home or path.parent, user=path, system=None))


def by_alias(found: ConfigHosts) -> dict[str, ConfigHost]:
    return {host.alias: host for host in found.hosts}


def write(folder: Path, text: str) -> Path:
    path = folder / "config"
    path.write_text(text)
    return path


def test_that_included_hosts_are_listed_with_their_file(weird_path: Path) -> None:
    folder = weird_path / ".ssh"
    (folder / "conf.d").mkdir(parents=True)
    for name, place in (
        ("include.config", "config"),
        ("10-lab.conf", "conf.d/10-lab.conf"),
        ("lab-only.inc", "conf.d/lab-only.inc"),
        ("loop.conf", "loop.conf"),
    ):
        shutil.copy(FILES / name, folder / place)
    started = time.monotonic()
    found = hosts_of(folder / "config", weird_path)
    assert time.monotonic() - started < 1 * SLACK
    hosts = by_alias(found)
    assert set(hosts) == {"lab-gpu01", "loop-host", "gpu-here"}
    lab = hosts["lab-gpu01"]
    assert (lab.host_name, lab.user, lab.port) == ("192.0.2.21", "bob", 2222)
    assert lab.identity_files == ("~/.ssh/lab_ed25519",)
    assert lab.file == folder / "conf.d" / "10-lab.conf"
    assert (hosts["gpu-here"].host_name, hosts["gpu-here"].user) == ("192.0.2.10", "alice")
    loop = folder / "loop.conf"
    assert found.problems == (f"{loop}: line 2: this Include leads back to {loop} and is left out",)


def test_that_listing_runs_no_command_and_says_so(tmp_path: Path) -> None:
    proof = Path("/tmp/clew-import-ran")
    proof.unlink(missing_ok=True)
    config = tmp_path / "config"
    shutil.copy(FILES / "match-exec.config", config)
    started = time.monotonic()
    found = hosts_of(config)
    assert time.monotonic() - started < 0.5 * SLACK
    assert not proof.exists()
    assert [(h.alias, h.user, h.needs_command) for h in found.hosts] == [
        ("gpu01", "alice", True),
        ("gpu02", "", True),
    ]


def test_that_a_condition_for_another_host_is_not_said_of_this_one(tmp_path: Path) -> None:
    found = hosts_of(write(tmp_path, "Host a b\nMatch host a exec false\n  User x\n"))
    assert [(h.alias, h.needs_command) for h in found.hosts] == [("a", True), ("b", False)]


def test_that_patterns_and_negations_are_no_hosts() -> None:
    found = hosts_of(FILES / "import-list.config")
    hosts = by_alias(found)
    assert list(hosts) == ["gpu01", "gpu02", "login", "gpu99", "tok", "canon"]
    assert found.patterns == ("gpu??",)
    gpu01 = hosts["gpu01"]
    assert (gpu01.host_name, gpu01.user, gpu01.port) == ("gpu01.lab.example", "alice", 2200)
    assert hosts["gpu99"].user == ""
    assert hosts["gpu99"].identity_files == ("~/.ssh/id_ed25519",)
    assert hosts["canon"].host_name == "canon"
    assert found.problems == (
        f"{FILES / 'import-list.config'}: line 22: canonicalizehostname is not applied by Clew",
    )


def test_that_odd_lines_cost_themselves_and_no_host() -> None:
    found = hosts_of(FILES / "lexical.config")
    hosts = by_alias(found)
    assert list(hosts) == ["gpu01", "gpu02", "192.0.2.13", "gpu04", "gpu05", "gpu06"]
    assert hosts["gpu01"].port == 2222
    assert hosts["gpu02"].identity_files == ("~/My Keys/id_ed25519",)
    assert hosts["192.0.2.13"].user == "bob"
    assert hosts["gpu06"].host_name == "2001:db8::16"
    assert [text.rpartition(": ")[2] for text in found.problems] == [
        "User has no value",
        "'ssh' is not a port",
    ]


@pytest.mark.parametrize(
    ("name", "alias"), [("lexical-bom.config", "gpu07"), ("lexical-utf16.config", "gpu08")]
)
def test_that_encodings_with_a_mark_are_read(name: str, alias: str) -> None:
    assert alias in by_alias(hosts_of(FILES / name))


def test_that_an_include_in_a_host_block_lists_only_what_that_block_covers(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "inner").write_text("Host lab-1 other\n  User in\n")
    found = hosts_of(write(tmp_path, "Host lab-*\n  Include inner\n"), tmp_path)
    assert [host.alias for host in found.hosts] == ["lab-1"]


def test_that_what_could_be_an_option_or_a_command_is_no_host(tmp_path: Path) -> None:
    text = 'Host -oProxyCommand=x "a b" $(id) `x` good\n'
    found = hosts_of(write(tmp_path, text))
    assert [host.alias for host in found.hosts] == ["good"]
    assert len(found.problems) == 4


def test_that_jump_hosts_are_shown_as_written(tmp_path: Path) -> None:
    text = "Host a\n ProxyJump x@gate:22,b\nHost b\n ProxyJump none\nHost *\n ProxyJump gate\n"
    assert [host.jump for host in hosts_of(write(tmp_path, text)).hosts] == ["x@gate:22,b", ""]


def test_that_no_file_is_an_empty_list(tmp_path: Path) -> None:
    assert hosts_of(tmp_path / "absent") == ConfigHosts()


def test_that_a_thousand_hosts_are_listed_in_a_moment(tmp_path: Path) -> None:
    blocks = [f"Host gpu{n:04d}\n  HostName 10.0.{n // 250}.{n % 250}\n" for n in range(1000)]
    path = write(tmp_path, "".join(blocks) + "Host *\n  User ana\n")
    started = time.monotonic()
    found = hosts_of(path)
    assert len(found.hosts) == 1000
    assert found.hosts[-1].user == "ana"
    assert time.monotonic() - started < 10 * SLACK


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("KnownHostsCommand /bin/x", "knownhostscommand is not applied by Clew"),
        ("KexAlgorithms curve25519-sha256", "kexalgorithms is not applied by Clew"),
        ("Frobnicate yes", "'frobnicate' is not a keyword that Clew knows; it is not applied"),
        ("ControlMaster auto", ""),
        ("StrictHostKeyChecking ask", ""),
        ("Match tagged lab", "Match tagged is not understood; its block does not apply"),
        ("Match localnetwork 10.0.0.0/8", "Match localnetwork is not understood; its block does"),
        ('HostName "open', "a quote is not closed"),
    ],
)
def test_that_what_is_not_understood_is_told_with_its_line(
    tmp_path: Path, line: str, told: str
) -> None:
    path = write(tmp_path, f"Host a\n  User me\n  {line}\n")
    found = hosts_of(path)
    assert found.hosts[0].user == "me"
    if told:
        (problem,) = found.problems
        assert problem.startswith(f"{path}: line 3: {told}")
    else:
        assert found.problems == ()


def test_that_a_final_block_yields_to_what_stands_after_it(tmp_path: Path) -> None:
    text = "Match final host a.lab\n  User late\n  Port 2022\nHost a\n  HostName a.lab\n  User me\n"
    (host,) = hosts_of(write(tmp_path, text)).hosts
    assert (host.user, host.port) == ("me", 2022)


@given(st.binary(max_size=300))
def test_that_any_file_is_listed(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any_hosts"
    path.write_bytes(data.replace(b"nclude", b"xclude"))
    hosts_of(path)
