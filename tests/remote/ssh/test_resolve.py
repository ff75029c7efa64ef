"""From a node's fields to a target, through OpenSSH and without it."""

from __future__ import annotations

import getpass
import os
from dataclasses import replace
from pathlib import Path

import pytest

from remote.errors import ConnectError
from remote.ssh import openssh
from remote.ssh.openssh import OpenSshError, parse
from remote.ssh.resolve import ConfigSource, resolve
from remote.ssh.target import Fields, SshTarget
from tests.support.waiting import within

FILES = Path(__file__).resolve().parents[2] / "fixtures" / "ssh_config"
ME = getpass.getuser()


@pytest.fixture(params=["openssh", "own reader"])
def with_or_without_ssh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Once as it is, once on a computer that has no ``ssh``."""
    if request.param == "own reader":
        monkeypatch.setenv("PATH", "/nonexistent")
    elif not os.path.exists("/usr/bin/ssh"):
        pytest.skip("OpenSSH is not installed")
    return str(request.param)


@pytest.fixture
def config(weird_path: Path) -> Path:
    path = weird_path / "config"
    path.write_text(
        """
Host gpu*
    HostName %h.lab
    User alice
    Port 2200
    IdentityFile "~/My Keys/one"
    IdentityFile ~/.ssh/%r_two
    CertificateFile "~/My Keys/%r-cert.pub"
    IdentitiesOnly yes
    IdentityAgent none
    ConnectTimeout 3
    UserKnownHostsFile ~/.ssh/kh_lab
    RevokedHostKeys ~/.ssh/revoked
Host behind
    ProxyJump carol@first:2022,second
Host first
    HostName 10.1.1.1
    User dave
Host second
    ProxyJump elsewhere
Host single
    ProxyJump chained
Host chained
    ProxyJump root.example
Host ring-a
    ProxyJump ring-b
Host ring-b
    ProxyJump ring-a
Host direct
    ProxyJump none
Host piped
    ProxyCommand nc -w "1 0" %h %p # %%
    HostKeyAlias piped.keys
"""
    )
    return path


def find(config: Path, host: str, **fields: object) -> SshTarget:
    """Resolve; a notice fails the test, because OpenSSH's answer was not used then."""
    source = ConfigSource(user_file=config, notice=pytest.fail)
    return resolve(Fields(host=host, **fields), None, source)  # type: ignore[arg-type]


@pytest.mark.usefixtures("with_or_without_ssh")
class TestBothWays:
    def test_that_the_config_fills_every_field(self, config: Path) -> None:
        found = find(config, "gpu01")
        home = str(Path.home())
        assert (found.host_name, found.port, found.user) == ("gpu01.lab", 2200, "alice")
        assert found.identity_files == (f"{home}/My Keys/one", f"{home}/.ssh/alice_two")
        assert found.certificate_files == (f"{home}/My Keys/alice-cert.pub",)
        assert found.identities_named
        assert found.identities_only
        assert found.agent is None
        assert found.connect_timeout_s == 3.0
        assert f"{home}/.ssh/kh_lab" in found.known_hosts_files
        assert found.revoked_keys_file == f"{home}/.ssh/revoked"
        assert found.host_key_names == ("[gpu01.lab]:2200", "gpu01.lab")

    def test_that_profile_fields_win(self, config: Path) -> None:
        found = find(config, "gpu01", name="n", user="root", port=22, identity_file="~/mine")
        assert (found.name, found.port, found.user) == ("n", 22, "root")
        assert found.identity_files[0] == str(Path.home() / "mine")
        assert found.host_key_names == ("gpu01.lab",)

    def test_that_a_host_without_entry_gets_defaults(self, config: Path) -> None:
        found = find(config, "plain")
        assert (found.host_name, found.port, found.user) == ("plain", 22, ME)
        assert not found.identities_named
        assert found.jump is None
        assert found.proxy_command is None

    def test_that_a_list_of_jump_hosts_is_a_chain(self, config: Path) -> None:
        found = find(config, "behind")
        second = found.jump
        assert second is not None
        first = second.jump
        assert first is not None
        assert (second.host_name, second.user) == ("second", ME)
        assert (first.host_name, first.port, first.user) == ("10.1.1.1", 2022, "carol")
        assert first.jump is None  # `second`'s own ProxyJump does not count inside a list

    def test_that_a_single_jump_host_follows_its_own_config(self, config: Path) -> None:
        found = find(config, "single")
        assert found.jump is not None
        assert found.jump.jump is not None
        assert found.jump.jump.host_name == "root.example"

    def test_that_a_circle_of_jump_hosts_is_refused(self, config: Path) -> None:
        with pytest.raises(ConnectError, match="ring-a → ring-b → ring-a"):
            find(config, "ring-a")

    def test_that_the_profile_may_switch_a_jump_host_off_or_on(self, config: Path) -> None:
        assert find(config, "behind", jump="none").jump is None
        assert find(config, "direct").jump is None
        jumped = find(config, "direct", jump="first", identity_file="/k", user="ana").jump
        assert jumped is not None
        assert (jumped.host_name, jumped.user) == ("10.1.1.1", "dave")
        assert jumped.identity_files == ("/k",)

    def test_that_tokens_of_a_proxy_command_are_replaced(self, config: Path) -> None:
        found = find(config, "piped", port=2022)
        assert found.proxy_command == 'nc -w "1 0" piped 2022 # %'
        assert found.host_key_names == ("piped.keys",)

    def test_that_tokens_of_names_are_replaced(self) -> None:
        found = find(FILES / "import-list.config", "tok")
        assert found.host_key_names == ("tok.keys",)
        assert found.proxy_command == "nc 192.0.2.50 22 # 100%"

    def test_that_only_keys_that_are_paths_are_offered(self) -> None:
        found = find(FILES / "import-list.config", "gpu99")
        assert [Path(path).name for path in found.identity_files] == ["id_ed25519"]
        found = find(FILES / "import-list.config", "gpu01")
        assert [Path(path).name for path in found.identity_files] == [
            "lab_ed25519",
            "second_key",
            "id_ed25519",
        ]
        assert found.identities_only
        assert found.host_name == "gpu01.lab.example"

    @pytest.mark.parametrize("name", ["-oProxyCommand=x", "a b", "x;y", "$(id)", "", "a\nb", "`x`"])
    def test_that_what_is_no_host_name_is_refused(self, config: Path, name: str) -> None:
        with pytest.raises(ConnectError, match="is not a host name"):
            find(config, name, name="node")

    @pytest.mark.parametrize("user", ["-x", "a;b", "a\nb", ""])
    def test_that_what_is_no_user_name_is_refused(self, config: Path, user: str) -> None:
        with pytest.raises(ConnectError, match="is not a user name"):
            find(config, "gpu01", user=user)

    @pytest.mark.parametrize("jump", ["host:99999", "host:x", "a;b", "x@-y", ","])
    def test_that_what_is_no_jump_host_is_refused(self, config: Path, jump: str) -> None:
        with pytest.raises(ConnectError, match=r"is not a (jump host|host name)"):
            find(config, "gpu01", jump=jump)


def test_that_defaults_of_the_profile_apply_to_nodes_but_not_a_bastion_to_itself(
    config: Path,
) -> None:
    defaults = Fields(host="", user="ana", identity_file="/k", jump="eve@bastion:2022")
    source = ConfigSource(user_file=config)
    node = resolve(Fields(host="plain"), defaults, source)
    assert node.user == "ana"
    assert node.jump is not None
    assert node.jump.login == "eve@bastion:2022"
    assert node.jump.identity_files == ("/k",)
    assert resolve(Fields(host="bastion"), defaults, source).jump is None
    silent = resolve(Fields(host="plain"), replace(defaults, jump="bastion"), source)
    assert silent.jump is not None
    assert silent.jump.user == "ana"  # nothing else names a user for it


def test_that_a_file_openssh_refuses_is_read_all_the_same() -> None:
    notices: list[str] = []
    source = ConfigSource(user_file=FILES / "lexical.config", notice=notices.append)
    found = resolve(Fields(host="gpu05"), None, source)
    assert (found.host_name, found.user, found.port) == ("192.0.2.15", ME, 22)
    assert [note.rpartition("lexical.config: ")[2] for note in notices][-2:] == [
        "line 16: User has no value",
        "line 18: 'ssh' is not a port",
    ]


@pytest.mark.parametrize("ssh", [True, False])
def test_that_what_is_not_applied_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ssh: bool
) -> None:
    if not ssh:
        monkeypatch.setenv("PATH", "/nonexistent")
    config = tmp_path / "config"
    config.write_text("Host gpu01\n  KnownHostsCommand /bin/x %H\n  BindAddress 127.0.0.1\n")
    told: list[str] = []
    resolve(Fields(host="gpu01"), None, ConfigSource(user_file=config, notice=told.append))
    assert len(told) == 2
    for keyword in ("knownhostscommand", "bindaddress"):
        assert any(f"{keyword} is not applied by Clew" in text for text in told)


def test_that_match_exec_runs_only_when_the_user_agreed(tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    config = tmp_path / "config"
    config.write_text(f'Match host gpu01 exec "touch {proof}"\n  User vpn\nHost *\n  User plain\n')
    notices: list[str] = []
    found = resolve(
        Fields(host="gpu01"), None, ConfigSource(user_file=config, notice=notices.append)
    )
    assert found.user == "plain"
    assert not proof.exists()
    assert "Match exec" in notices[0]
    agreed = ConfigSource(user_file=config, may_run_commands=lambda path, node: path == config)
    assert resolve(Fields(host="gpu01"), None, agreed).user == "vpn"
    assert proof.exists()


def test_that_an_openssh_that_hangs_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: Path
) -> None:
    fake = tmp_path / "bin" / "ssh"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexec sleep 3600\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent), prepend=os.pathsep)
    monkeypatch.setattr(openssh, "TIME_LIMIT_S", 0.3)
    source = ConfigSource(user_file=config)
    with within(3):
        assert resolve(Fields(host="gpu01"), None, source).host_name == "gpu01.lab"


def test_that_another_home_is_respected(weird_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (weird_path / ".ssh").mkdir()
    (weird_path / ".ssh" / "config").write_text(
        "Include extra\nHost gpu01\n HostName 127.0.0.9\n IdentityFile ~/.ssh/k\n"
    )
    (weird_path / ".ssh" / "extra").write_text("Host gpu01\n Port 2022\n")
    monkeypatch.setenv("HOME", str(weird_path))
    found = resolve(Fields(host="gpu01"))
    assert (found.host_name, found.port) == ("127.0.0.9", 2022)
    assert found.identity_files == (str(weird_path / ".ssh" / "k"),)


@pytest.mark.parametrize(
    "text", ["", "hostname x", "Usage: ssh\nport 22", "host\x00name x\nport 1"]
)
def test_that_other_output_is_not_taken_for_openssh(text: str) -> None:
    with pytest.raises(OpenSshError):
        parse(text)
