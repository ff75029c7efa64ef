"""Sites with a second factor: a key, then codes that the server asks for in its own words."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("asyncssh")

from remote.errors import AuthError, Cancelled
from remote.ssh import HostKeys, Secret, SecretQuestion, SshTarget
from tests.support.prompt_server import PromptServer
from tests.support.ssh import Desk, Recorder, run
from tests.support.sshd import make_key
from tests.support.threads import ended
from tests.support.waiting import until

TWO_PROMPTS = [((("Verification code: ", False), ("Duo push? (1/2): ", True)), ("123456", "2"))]
PASSWORD_THEN_CODE = [
    ((("Password: ", False),), ("hunter2",)),
    ((("One-time password (OATH): ", False),), ("654321",)),
]


class Typist:
    """Types the answer that belongs to a text; None: cancels."""

    def __init__(self, by_text: dict[str, str | None]) -> None:
        self.by_text = by_text

    def __call__(self, question: SecretQuestion) -> Secret | None:
        value = self.by_text[question.text]
        return None if value is None else Secret(value, remember=True)


RIGHT: dict[str, str | None] = {
    "Verification code: ": "123456",
    "Duo push? (1/2): ": "2",
    "Password: ": "hunter2",
    "One-time password (OATH): ": "654321",
}


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "lab_ed25519")


@pytest.fixture
def two_factor(tmp_path: Path, key: Path) -> Iterator[PromptServer]:
    line = " ".join(Path(f"{key}.pub").read_text().split()[:2])
    with PromptServer(tmp_path, TWO_PROMPTS, line) as server:
        yield server


def desk_of(server: PromptServer, by_text: dict[str, str | None]) -> Desk:
    hosts = HostKeys(server.known_hosts.with_name("own"), extra=[server.known_hosts], openssh=())
    return Desk(hosts, Recorder(Typist(by_text)))


def to(server: PromptServer, *keys: Path, agent: str | None = None) -> SshTarget:
    return SshTarget(
        name="site",
        host_name="127.0.0.1",
        port=server.port,
        user="ana",
        identity_files=tuple(map(str, keys)),
        identities_named=bool(keys),
        agent=agent,
    )


def test_that_prompts_are_shown_as_the_server_words_them(
    two_factor: PromptServer, key: Path
) -> None:
    desk = desk_of(two_factor, RIGHT)
    with desk.connected(to(two_factor, key)) as connector:
        assert run(connector, "hello") == "hello"
        assert connector.needs_user
    first, second = desk.prompter.secrets
    assert (first.text, first.echo, first.step, first.steps) == ("Verification code: ", False, 1, 2)
    assert (second.text, second.echo, second.step) == ("Duo push? (1/2): ", True, 2)
    assert first.title == "Two[31m factors\nOpen your app."  # nothing for a terminal to obey
    assert first.kind == second.kind == "prompt"
    assert not first.can_remember
    assert len(two_factor.counts.keys) == 1
    assert two_factor.counts.rounds == 1


def test_that_codes_are_asked_again_for_each_login_and_never_sent_twice(
    two_factor: PromptServer, key: Path
) -> None:
    desk = desk_of(two_factor, RIGHT)
    for _ in range(2):
        with desk.connected(to(two_factor, key)):
            pass
    assert len(desk.prompter.secrets) == 4
    assert "123456" not in repr(desk.secrets)


def test_that_a_lost_connection_is_not_dialled_again_by_itself(
    two_factor: PromptServer, key: Path
) -> None:
    desk = desk_of(two_factor, RIGHT)
    with desk.connected(to(two_factor, key)) as connector:
        two_factor.drop_connections()
        until(lambda: not connector.alive)
        time.sleep(0.5)  # whoever dials again by itself would have begun by now
        assert connector.needs_user
    assert two_factor.counts.connections == 1


def test_that_wrong_codes_are_asked_three_times_and_listed(
    two_factor: PromptServer, key: Path
) -> None:
    desk = desk_of(two_factor, RIGHT | {"Verification code: ": "0"})
    with pytest.raises(AuthError) as caught:
        desk.connector(to(two_factor, key)).connect()
    assert "key lab_ed25519: accepted; code: refused; code: refused; code: refused" in str(
        caught.value
    )
    assert two_factor.counts.rounds == 3
    assert [question.attempt for question in desk.prompter.secrets] == [1, 1, 2, 2, 3, 3]


def test_that_a_cancelled_code_ends_the_login_and_leaves_no_thread(
    two_factor: PromptServer, key: Path
) -> None:
    desk = desk_of(two_factor, RIGHT | {"Duo push? (1/2): ": None})
    before = threading.active_count()
    with pytest.raises(AuthError, match=r"cancelled.*accepted; code: not given") as caught:
        desk.connector(to(two_factor, key)).connect()
    assert "question can be answered" in caught.value.remedy
    assert ended(before)
    assert two_factor.counts.rounds == 0


def test_that_closing_while_a_code_is_asked_for_ends_the_login(
    two_factor: PromptServer, key: Path
) -> None:
    desk = desk_of(two_factor, RIGHT)
    connector = desk.connector(to(two_factor, key))

    def closing(question: SecretQuestion) -> Secret | None:
        connector.close()
        return Secret("123456")

    desk.prompter.answer = closing
    with pytest.raises(Cancelled):
        connector.connect()
    assert two_factor.counts.rounds == 0


def test_that_only_the_password_among_prompts_is_kept(tmp_path: Path) -> None:
    with PromptServer(tmp_path, PASSWORD_THEN_CODE) as server:
        desk = desk_of(server, RIGHT)
        for _ in range(2):
            with desk.connected(to(server)) as connector:
                assert connector.needs_user
        assert [(question.kind, question.text) for question in desk.prompter.secrets] == [
            ("password", "Password: "),
            ("prompt", "One-time password (OATH): "),
            ("prompt", "One-time password (OATH): "),
        ]


def test_that_a_password_beside_a_code_is_typed_once_and_the_code_each_time(
    tmp_path: Path,
) -> None:
    both = [
        (
            [("Password: ", False), ("One-time password (OATH): ", False)],
            ["hunter2", "654321"],
        )
    ]
    with PromptServer(tmp_path, both) as server:
        desk = desk_of(server, RIGHT)
        typed = ["wrong", "654321", "hunter2", "654321", "654321"]
        desk.prompter.answer = lambda question: Secret(typed.pop(0))
        for _ in range(2):
            with desk.connected(to(server)) as connector:
                assert connector.needs_user
        assert typed == []
        texts = [question.text.split()[0] for question in desk.prompter.secrets]
        assert texts == ["Password:", "One-time", "Password:", "One-time", "One-time"]
        assert "654321" not in repr(vars(desk.secrets))


def test_that_a_plain_password_prompt_needs_no_user_later(tmp_path: Path) -> None:
    with PromptServer(tmp_path, PASSWORD_THEN_CODE[:1]) as server:
        desk = desk_of(server, RIGHT)
        for _ in range(2):
            with desk.connected(to(server)) as connector:
                assert not connector.needs_user
        assert len(desk.prompter.secrets) == 1


def test_that_a_wrong_password_prompt_is_asked_again(tmp_path: Path) -> None:
    with PromptServer(tmp_path, PASSWORD_THEN_CODE[:1]) as server:
        desk = desk_of(server, {})
        typed = ["wrong", "hunter2"]
        desk.prompter.answer = lambda question: Secret(typed.pop(0))
        with desk.connected(to(server)):
            pass
        assert [question.attempt for question in desk.prompter.secrets] == [1, 2]


def test_that_a_password_is_not_kept_when_the_code_after_it_was_cancelled(tmp_path: Path) -> None:
    with PromptServer(tmp_path, PASSWORD_THEN_CODE) as server:
        desk = desk_of(server, RIGHT | {"One-time password (OATH): ": None})
        for _ in range(2):
            with pytest.raises(AuthError, match=r"cancelled.*code: not given"):
                desk.connector(to(server)).connect()
        kinds = [question.kind for question in desk.prompter.secrets]
        assert kinds == ["password", "prompt"] * 2


def test_that_a_prompter_that_breaks_leaves_no_thread(two_factor: PromptServer, key: Path) -> None:
    def broken(question: SecretQuestion) -> Secret | None:
        raise RuntimeError("a bug in a dialog")

    desk = desk_of(two_factor, RIGHT)
    desk.prompter.answer = broken
    before = threading.active_count()
    with pytest.raises(RuntimeError, match="a bug"):
        desk.connector(to(two_factor, key)).connect()
    assert ended(before)
