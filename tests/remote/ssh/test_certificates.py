"""Certificates of hosts and users, made by ssh-keygen and shown by real sshd nodes."""

from __future__ import annotations

import base64
import contextlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.errors import AuthError, HostKeyError
from remote.ssh import HostKeys
from remote.ssh.certificates import CertificateError, read_certificate, read_certificate_file
from remote.ssh.host_keys import Presented
from remote.ssh.known_hosts import fingerprint
from remote.ssh.stop import Stop
from tests.support.ssh import Desk, Recorder, known, run, target
from tests.support.ssh_agent import running_agent
from tests.support.sshd import NodeOptions, SshdNode, SshdNodes, make_key, why_no_nodes
from tests.support.waiting import PATIENCE_S

USERS, HOST, ONLY_CERTIFICATE, EXPIRED, RSA_CA = range(5)
ALIAS = "gpu1.lab"


@dataclass(frozen=True)
class Keys:
    """Authorities and keys in one folder."""

    folder: Path

    def public(self, name: str) -> str:
        """``type base64``."""
        return " ".join((self.folder / f"{name}.pub").read_text().split()[:2])

    def blob(self, name: str) -> bytes:
        return base64.b64decode(self.public(name).split()[1])

    def certify(self, ca: str, name: str, *words: str, copy: str = "") -> Path:
        """Sign ``name`` with ``ca``; the certificate's path, beside the key or at ``copy``."""
        command = ["ssh-keygen", "-q", "-s", str(self.folder / ca), "-I", "x", *words]
        command.append(str(self.folder / f"{name}.pub"))
        subprocess.run(command, check=True, capture_output=True)
        made = self.folder / f"{name}-cert.pub"
        return made.rename(self.folder / copy) if copy else made


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    found = Keys(tmp_path_factory.mktemp("certificates"))
    for name in ("user_ca", "host_ca", "other_ca", "plain", "beside", "host"):
        make_key(found.folder / name)
    for name, kind in (("rsa_ca", "rsa"), ("rsa", "rsa"), ("ecdsa", "ecdsa"), ("host2", "ecdsa")):
        make_key(found.folder / name, kind)
    for name in ("beside", "rsa", "ecdsa"):
        found.certify("user_ca", name, "-n", "root", "-V", "+1d")
    found.certify("user_ca", "plain", "-n", "root", "-V", "+1d", copy="named it's.pub")
    found.certify("host_ca", "host", "-h", "-n", ALIAS, "-V", "+1d", copy="good.pub")
    found.certify("host_ca", "host", "-h", "-n", ALIAS, "-V", "-2d:-1d", copy="expired.pub")
    found.certify("rsa_ca", "host2", "-h", "-n", "gpu?.lab", copy="by_rsa.pub")
    return found


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, keys: Keys) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)

    def shows(certificate: str, *more: str, key: str = "host") -> NodeOptions:
        lines = (f"HostKey {keys.folder / key}", f"HostCertificate {keys.folder / certificate}")
        other = "ecdsa" if key == "host" else "ed25519"
        return NodeOptions(host_key_types=(other,), config=(*lines, *more))

    only = "HostKeyAlgorithms ssh-ed25519-cert-v01@openssh.com"
    options = {
        USERS: NodeOptions(
            client_key=False, config=(f"TrustedUserCAKeys {keys.folder / 'user_ca.pub'}",)
        ),
        HOST: shows("good.pub"),
        ONLY_CERTIFICATE: shows("good.pub", only),
        EXPIRED: shows("expired.pub", only),
        RSA_CA: shows("by_rsa.pub", key="host2"),
    }
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=5, options=options) as running:
        yield running


@pytest.fixture
def desk(nodes: SshdNodes, tmp_path: Path) -> Desk:
    return Desk(known(nodes, tmp_path))


def desk_with(tmp_path: Path, *lines: str, trust: bool = False) -> Desk:
    """A desk whose known_hosts has ``lines``."""
    file = tmp_path / "known"
    file.write_text("".join(f"{line}\n" for line in lines))
    return Desk(HostKeys(tmp_path / "own", openssh=[file]), Recorder(trust=trust))


@contextmanager
def agent_with(folder: Path, *keys: Path, certificate_only: bool = False) -> Iterator[str]:
    """The socket of an agent that holds ``keys`` and the certificates beside them."""
    socket = str(folder / "agent.sock")
    with running_agent(socket) as surroundings:
        subprocess.run(["ssh-add", "-q", *map(str, keys)], env=surroundings, check=True)
        for key in keys if certificate_only else ():
            alone = folder / "alone.pub"  # a copy with no certificate beside it
            alone.write_text(Path(f"{key}.pub").read_text())
            subprocess.run(["ssh-add", "-q", "-d", str(alone)], env=surroundings, check=True)
        yield socket


# Users


@pytest.mark.parametrize("name", ["beside", "rsa", "ecdsa"])
def test_that_the_certificate_beside_a_key_logs_in(
    nodes: SshdNodes, desk: Desk, keys: Keys, name: str
) -> None:
    users = nodes.node(USERS)
    with desk.connected(target(users, keys.folder / name)) as connector:
        assert run(connector, "hostname").strip() == "gpu001"
    assert "ID x" in users.log


def test_that_a_named_certificate_logs_in_with_its_key(
    nodes: SshdNodes, desk: Desk, keys: Keys
) -> None:
    node, key = nodes.node(USERS), keys.folder / "plain"
    with pytest.raises(AuthError, match="key plain: refused"):
        desk.connector(target(node, key)).connect()
    to = target(node, key, certificate_files=(str(keys.folder / "named it's.pub"),))
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == "gpu001"


def test_that_a_certificate_that_cannot_be_read_is_told(
    nodes: SshdNodes, desk: Desk, keys: Keys
) -> None:
    files = (str(keys.folder / "absent"), str(keys.folder / "plain"))
    to = target(nodes.node(USERS), keys.folder / "plain", certificate_files=files)
    with pytest.raises(AuthError) as caught:
        desk.connector(to).connect()
    assert f"certificate {files[0]}: no such file" in str(caught.value)
    assert f"certificate {files[1]}: this is not a certificate" in str(caught.value)


@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("name", ["beside", "rsa"])
def test_that_an_agents_certificate_logs_in(
    nodes: SshdNodes, desk: Desk, keys: Keys, tmp_path: Path, name: str, only: bool
) -> None:
    """Also where the agent holds the certificate alone, without the plain key."""
    with (
        agent_with(tmp_path, keys.folder / name, certificate_only=only) as socket,
        desk.connected(target(nodes.node(USERS), agent=socket)) as connector,
    ):
        assert run(connector, "hostname").strip() == "gpu001"


def test_that_a_named_certificate_is_signed_for_by_the_agent(
    nodes: SshdNodes, desk: Desk, keys: Keys, tmp_path: Path
) -> None:
    named = (str(keys.folder / "named it's.pub"),)
    with agent_with(tmp_path, keys.folder / "plain") as socket:
        to = target(nodes.node(USERS), agent=socket, identities_only=True, certificate_files=named)
        with desk.connected(to) as connector:
            assert run(connector, "hostname").strip() == "gpu001"


@pytest.mark.parametrize("named", [False, True])
def test_that_a_key_in_the_agent_takes_the_certificate_beside_its_file(
    nodes: SshdNodes, desk: Desk, keys: Keys, tmp_path: Path, named: bool
) -> None:
    """The public half on disk is enough."""
    folder = tmp_path / "public only"
    folder.mkdir()
    for ending in (".pub", "-cert.pub"):
        (folder / f"id{ending}").write_text((keys.folder / f"beside{ending}").read_text())
    (folder / "id.pub").rename(folder / "id")
    with agent_with(tmp_path, keys.folder / "beside") as socket:
        to = target(nodes.node(USERS), folder / "id", agent=socket, identities_only=named)
        with desk.connected(to) as connector:
            assert run(connector, "hostname").strip() == "gpu001"


# Hosts


def _connects(desk: Desk, node: SshdNode, nodes: SshdNodes, **changes: object) -> None:
    to = target(node, nodes.client_key, host_key_alias=ALIAS, **changes)
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == node.name


@pytest.mark.parametrize(("index", "ca"), [(HOST, "host_ca"), (RSA_CA, "rsa_ca")])
def test_that_a_trusted_authority_vouches_for_a_host(
    nodes: SshdNodes, keys: Keys, tmp_path: Path, index: int, ca: str
) -> None:
    desk = desk_with(tmp_path, f"@cert-authority *.lab {keys.public(ca)}")
    _connects(desk, nodes.node(index), nodes)
    assert desk.prompter.hosts == []
    assert not desk.known.own.exists()


def test_that_openssh_agrees(nodes: SshdNodes, keys: Keys, tmp_path: Path) -> None:
    (tmp_path / "known").write_text(f"@cert-authority *.lab {keys.public('host_ca')}\n")
    for index, good in ((HOST, True), (EXPIRED, False)):
        node = nodes.node(index)
        words = f"ssh -F none -p {node.port} -i {nodes.client_key} -o HostKeyAlias={ALIAS}".split()
        words += ["-o", f"UserKnownHostsFile={tmp_path / 'known'}", "-o", "BatchMode=yes"]
        done = subprocess.run(
            [*words, f"root@{node.ip}", "true"], capture_output=True, timeout=PATIENCE_S
        )
        assert (done.returncode == 0) is good, done.stderr


@pytest.mark.parametrize(
    ("index", "alias", "ca", "reason"),
    [
        (EXPIRED, ALIAS, "host_ca", "it expired on "),
        (HOST, "other.lab", "host_ca", "it is for gpu1.lab, not for other.lab"),
        (HOST, ALIAS, "other_ca", "another authority signed it"),
    ],
)
def test_that_a_bad_certificate_is_refused_with_the_reason(
    nodes: SshdNodes, keys: Keys, tmp_path: Path, index: int, alias: str, ca: str, reason: str
) -> None:
    desk = desk_with(tmp_path, "# first", f"@cert-authority * {keys.public(ca)}", trust=True)
    connector = desk.connector(target(nodes.node(index), nodes.client_key, host_key_alias=alias))
    with pytest.raises(HostKeyError) as caught:
        connector.connect()
    assert reason in str(caught.value)
    assert f"{tmp_path / 'known'}, line 2" in str(caught.value)
    assert desk.prompter.hosts == []


def test_that_a_host_key_on_file_is_enough_when_the_certificate_is_bad(
    nodes: SshdNodes, keys: Keys, tmp_path: Path
) -> None:
    lines = (f"@cert-authority * {keys.public('host_ca')}", f"{ALIAS} {keys.public('host')}")
    _connects(desk_with(tmp_path, *lines), nodes.node(EXPIRED), nodes)


def test_that_a_revoked_authority_or_key_counts_most(
    nodes: SshdNodes, keys: Keys, tmp_path: Path
) -> None:
    trusted = f"@cert-authority * {keys.public('host_ca')}"
    for name, words in (("host_ca", "certificate authority SHA256"), ("host", "host key SHA256")):
        desk = desk_with(tmp_path, trusted, f"@revoked * {keys.public(name)}", trust=True)
        to = target(nodes.node(HOST), nodes.client_key, host_key_alias=ALIAS)
        with pytest.raises(HostKeyError, match=rf"{words}.* is revoked in .*line 2"):
            desk.connector(to).connect()


def test_that_an_untrusted_authority_leaves_the_plain_key_to_the_user(
    nodes: SshdNodes, keys: Keys, tmp_path: Path
) -> None:
    desk = desk_with(tmp_path, trust=True)
    _connects(desk, nodes.node(ONLY_CERTIFICATE), nodes)
    (question,) = desk.prompter.hosts
    assert question.fingerprint == fingerprint(keys.blob("host"))
    assert fingerprint(keys.blob("host_ca")) in question.note
    assert desk.known.own.read_text() == f"{ALIAS} {keys.public('host')}\n"
    _connects(desk, nodes.node(ONLY_CERTIFICATE), nodes)
    assert len(desk.prompter.hosts) == 1


# Every other reason, without a server


def _verify(keys: Keys, tmp_path: Path, ca: str, *words: str) -> None:
    path = keys.certify(ca, "host", *words, copy=f"{tmp_path.name}.pub")
    certificate = read_certificate_file(path)
    (tmp_path / "known").write_text(f"@cert-authority *.lab {keys.public(ca)}\n")
    shown = Presented(
        node="gpu1",
        names=(f"[{ALIAS}]:2222", ALIAS),
        key_type="ssh-ed25519",
        blob=certificate.public_blob,
        certificate=certificate.blob,
    )
    assert certificate.public_blob == keys.blob("host")
    HostKeys(tmp_path / "own", openssh=[tmp_path / "known"]).verify(shown, Recorder(), Stop())


@pytest.mark.parametrize(
    "words", [("-h",), ("-h", "-n", "a.lab,GPU1.lab"), ("-h", "-n", "gpu*.lab", "-V", "-1d:+1d")]
)
def test_that_a_certificate_may_name_any_several_or_patterns(
    keys: Keys, tmp_path: Path, words: tuple[str, ...]
) -> None:
    _verify(keys, tmp_path, "host_ca", *words)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("-n", ALIAS), "it is a user's certificate, not a host's"),
        (("-h", "-n", ALIAS, "-V", "+1d:+2d"), "it is not valid before "),
        (("-h", "-n", ALIAS, "-O", "critical:only@lab=1"), "unknown condition 'only@lab'"),
    ],
)
def test_that_other_reasons_are_told(
    keys: Keys, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(HostKeyError, match=reason):
        _verify(keys, tmp_path, "host_ca", *words)


def test_that_an_old_signature_form_is_not_believed(keys: Keys, tmp_path: Path) -> None:
    with pytest.raises(HostKeyError, match="its signature is not its authority's"):
        _verify(keys, tmp_path, "rsa_ca", "-t", "ssh-rsa", "-h", "-n", ALIAS)


def test_that_a_changed_certificate_is_not_believed(keys: Keys, tmp_path: Path) -> None:
    good = read_certificate_file(keys.folder / "good.pub")
    forged = good.blob.replace(ALIAS.encode(), b"gpu9.lab")
    (tmp_path / "known").write_text(f"@cert-authority * {keys.public('host_ca')}\n")
    shown = Presented(
        node="x",
        names=("gpu9.lab",),
        key_type="ssh-ed25519",
        blob=good.public_blob,
        certificate=forged,
    )
    with pytest.raises(HostKeyError, match="its signature is not its authority's"):
        HostKeys(tmp_path / "own", openssh=[tmp_path / "known"]).verify(shown, Recorder(), Stop())


@given(data=st.data())
def test_that_damaged_certificates_are_errors_of_one_kind(keys: Keys, data: st.DataObject) -> None:
    blob = bytearray(read_certificate_file(keys.folder / "good.pub").blob)
    at = data.draw(st.integers(0, len(blob) - 1))
    blob[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(blob)))
    for damaged in (bytes(blob), bytes(blob[:cut])):
        with contextlib.suppress(CertificateError):  # and nothing else
            read_certificate(damaged)
