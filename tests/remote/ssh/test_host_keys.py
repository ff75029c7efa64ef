"""Deciding about a host key."""

from __future__ import annotations

import base64
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remote.errors import Cancelled, HostKeyError
from remote.ssh.host_keys import HostKeys, Presented
from remote.ssh.prompts import HostKeyQuestion
from remote.ssh.stop import Stop
from tests.support.ssh import Arrivals, Recorder
from tests.support.sshd import make_key


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two lines ``type base64``."""
    folder = tmp_path_factory.mktemp("keys")
    paths = [make_key(folder / f"id{n}") for n in range(2)]
    return [" ".join(Path(f"{path}.pub").read_text().split()[:2]) for path in paths]


def shown(key: str, *names: str, node: str = "gpu01") -> Presented:
    kind, text = key.split()
    return Presented(
        node=node, names=names or ("gpu01",), key_type=kind, blob=base64.b64decode(text)
    )


def test_that_a_known_key_is_accepted_without_a_question(tmp_path: Path, keys: list[str]) -> None:
    (tmp_path / "known").write_text(f"gpu0? {keys[0]}\n")
    prompter = Recorder()
    hosts = HostKeys(tmp_path / "own", openssh=[tmp_path / "known"])
    hosts.verify(shown(keys[0]), prompter, Stop())
    assert prompter.hosts == []
    assert not (tmp_path / "own").exists()


def test_that_an_accepted_key_is_stored_and_not_asked_again(
    weird_path: Path, keys: list[str]
) -> None:
    own = weird_path / "clew" / "known_hosts"
    prompter = Recorder(trust=True)
    HostKeys(own, openssh=()).verify(shown(keys[0], "[gpu01]:2222", "gpu01"), prompter, Stop())
    (question,) = prompter.hosts
    assert question.host == "[gpu01]:2222"
    assert question.key_type == "ssh-ed25519"
    assert question.fingerprint.startswith("SHA256:")
    assert own.read_text() == f"[gpu01]:2222 {keys[0]}\n"
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    HostKeys(own, openssh=()).verify(shown(keys[0], "[gpu01]:2222"), Recorder(), Stop())


def test_that_a_file_without_a_line_end_keeps_its_last_line(
    tmp_path: Path, keys: list[str]
) -> None:
    own = tmp_path / "own"
    own.write_text(f"other {keys[1]}")
    HostKeys(own, openssh=()).verify(shown(keys[0]), Recorder(trust=True), Stop())
    assert own.read_text() == f"other {keys[1]}\ngpu01 {keys[0]}\n"


def test_that_a_changed_key_names_file_and_line_and_never_asks(
    tmp_path: Path, keys: list[str]
) -> None:
    known = tmp_path / "known"
    known.write_text(f"# mine\ngpu01 {keys[1]}\n")
    prompter = Recorder(trust=True)
    hosts = HostKeys(tmp_path / "own", openssh=[known])
    with pytest.raises(HostKeyError) as caught:
        hosts.verify(shown(keys[0]), prompter, Stop())
    assert "has changed" in str(caught.value)
    assert f"{known}, line 2" in str(caught.value)
    assert prompter.hosts == []


def test_that_a_revoked_key_is_refused_even_if_another_line_knows_it(
    tmp_path: Path, keys: list[str]
) -> None:
    known = tmp_path / "known"
    known.write_text(f"gpu01 {keys[0]}\n@revoked * {keys[0]}\n")
    hosts = HostKeys(tmp_path / "own", openssh=[known])
    with pytest.raises(HostKeyError, match=r"is revoked in .*line 2"):
        hosts.verify(shown(keys[0]), Recorder(trust=True), Stop())


def test_that_a_certificate_authority_is_no_key_but_is_mentioned(
    tmp_path: Path, keys: list[str]
) -> None:
    known = tmp_path / "known"
    known.write_text(f"@cert-authority gpu* {keys[0]}\n")
    prompter = Recorder(trust=False)
    hosts = HostKeys(tmp_path / "own", openssh=[known])
    with pytest.raises(HostKeyError, match="was not accepted"):
        hosts.verify(shown(keys[0]), prompter, Stop())
    assert "certificate authority" in prompter.hosts[0].note


def test_that_a_key_known_for_the_bare_name_counts_for_another_port(
    tmp_path: Path, keys: list[str]
) -> None:
    known = tmp_path / "known"
    known.write_text(f"gpu01 {keys[0]}\n")
    hosts = HostKeys(tmp_path / "own", openssh=[known])
    hosts.verify(shown(keys[0], "[gpu01]:2222", "gpu01"), Recorder(), Stop())
    prompter = Recorder()
    with pytest.raises(HostKeyError, match="was not accepted"):  # another key is not a change
        hosts.verify(shown(keys[1], "[gpu01]:2222", "gpu01"), prompter, Stop())
    assert len(prompter.hosts) == 1


@pytest.mark.parametrize("trust", [True, False])
def test_that_32_connections_at_once_ask_once(tmp_path: Path, keys: list[str], trust: bool) -> None:
    arrivals = Arrivals()
    stops = [arrivals.stop() for _ in range(32)]

    class Slow(Recorder):
        def unknown_host(self, question: HostKeyQuestion) -> bool:
            arrivals.wait_for(32)
            return super().unknown_host(question)

    prompter = Slow(trust=trust)
    hosts = HostKeys(tmp_path / "own", openssh=())

    def verify(number: int) -> bool:
        try:
            hosts.verify(shown(keys[0], node=f"node{number}"), prompter, stops[number])
        except HostKeyError:
            return False
        return True

    with ThreadPoolExecutor(32) as threads:
        results = list(threads.map(verify, range(32)))
    assert results == [trust] * 32
    assert len(prompter.hosts) == 1


def test_that_a_refusal_does_not_outlive_the_attempt(tmp_path: Path, keys: list[str]) -> None:
    hosts = HostKeys(tmp_path / "own", openssh=())
    with pytest.raises(HostKeyError):
        hosts.verify(shown(keys[0]), Recorder(trust=False), Stop())
    hosts.verify(shown(keys[0]), Recorder(trust=True), Stop())


def test_that_a_stopped_connection_does_not_store_a_key(tmp_path: Path, keys: list[str]) -> None:
    stop = Stop()

    class Closing(Recorder):
        def unknown_host(self, question: HostKeyQuestion) -> bool:
            stop.set()
            return True

    hosts = HostKeys(tmp_path / "own", openssh=())
    with pytest.raises(Cancelled):
        hosts.verify(shown(keys[0]), Closing(), stop)
    assert not (tmp_path / "own").exists()


def test_that_a_key_that_cannot_be_stored_is_trusted_for_the_session(
    tmp_path: Path, keys: list[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    notices: list[str] = []
    hosts = HostKeys(tmp_path / "file" / "own", openssh=(), notice=notices.append)
    hosts.verify(shown(keys[0]), Recorder(trust=True), Stop())
    hosts.verify(shown(keys[0]), Recorder(trust=False), Stop())
    assert "cannot be stored" in notices[0]


def test_that_a_changed_file_is_read_again(tmp_path: Path, keys: list[str]) -> None:
    known = tmp_path / "known"
    known.write_text(f"gpu01 {keys[1]}\n")
    hosts = HostKeys(tmp_path / "own", openssh=[known])
    with pytest.raises(HostKeyError, match="has changed"):
        hosts.verify(shown(keys[0]), Recorder(), Stop())
    known.write_text(f"gpu01 {keys[0]}\n# the line above was corrected\n")
    hosts.verify(shown(keys[0]), Recorder(), Stop())


def test_that_known_types_come_in_file_order(tmp_path: Path, keys: list[str]) -> None:
    ecdsa = " ".join(Path(f"{make_key(tmp_path / 'e', 'ecdsa')}.pub").read_text().split()[:2])
    known = tmp_path / "known"
    known.write_text(f"gpu01 {ecdsa}\n@revoked gpu01 {keys[1]}\ngpu01 {keys[0]}\n")
    hosts = HostKeys(tmp_path / "own", openssh=[known])
    assert hosts.preferences(["[gpu01]:2222", "gpu01"])[0] == ["ecdsa-sha2-nistp256", "ssh-ed25519"]
