"""One question per secret."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from remote.ssh.keyring_store import SERVICE, KeyringStore
from remote.ssh.prompts import Secret
from remote.ssh.secret_cache import SecretCache, SecretName, Use
from remote.ssh.stop import Stop
from tests.support.ssh import Arrivals
from tests.support.waiting import PATIENCE_S

NAME = SecretName(kind="password", user="ana", place="nodes")


class Server:
    """Knows the right passwords by node, and counts."""

    def __init__(self, **passwords: str) -> None:
        self.passwords = passwords
        self.refused = 0
        self.lock = threading.Lock()

    def check(self, node: str, value: str) -> str | None:
        if self.passwords.get(node, "right") == value:
            return f"in {node}"
        with self.lock:
            self.refused += 1
        return None


class User:
    """Types these answers, one after another, slowly."""

    def __init__(self, *answers: str | None, reuse: bool = True, remember: bool = False) -> None:
        self.answers = list(answers)
        self.attempts: list[int] = []
        self.reuse = reuse
        self.remember = remember

    def ask(self, attempt: int) -> Secret | None:
        threading.Event().wait(0.05)
        self.attempts.append(attempt)
        value = self.answers.pop(0)
        if value is None:
            return None
        return Secret(value, reuse=self.reuse, remember=self.remember)


def use(server: Server, user: User, node: str = "gpu1") -> Use[str]:
    return Use(
        name=NAME,
        node=node,
        check=lambda value: server.check(node, value),
        ask=user.ask,
        store_name=f"password ana@{node}",
    )


def many(cache: SecretCache, server: Server, user: User, count: int = 32) -> list[str | None]:
    with ThreadPoolExecutor(count) as threads:
        return list(
            threads.map(lambda n: cache.obtain(use(server, user, f"n{n}"), Stop()), range(count))
        )


def test_that_32_nodes_ask_once_and_a_wrong_answer_is_refused_once() -> None:
    server, user = Server(), User("wrong", "right")
    assert many(SecretCache(), server, user) == [f"in n{n}" for n in range(32)]
    assert user.attempts == [1, 2]
    assert server.refused == 1


def test_that_cancelling_counts_for_all_who_wait() -> None:
    cache, user = SecretCache(), User(None, "right")
    arrivals = Arrivals()
    stops = [arrivals.stop() for _ in range(8)]

    class SlowUser(User):
        def ask(self, attempt: int) -> Secret | None:
            arrivals.wait_for(8)  # all eight wait for the one answer now
            return super().ask(attempt)

    slow = SlowUser(None)
    with ThreadPoolExecutor(8) as threads:
        futures = [
            threads.submit(cache.obtain, use(Server(), slow, f"n{n}"), stops[n]) for n in range(8)
        ]
        assert [future.result(PATIENCE_S) for future in futures] == [None] * 8
    assert slow.attempts == [1]
    assert cache.obtain(use(Server(), user), Stop()) is None
    assert cache.obtain(use(Server(), user), Stop()) == "in gpu1"


def test_that_three_refusals_are_enough() -> None:
    server, user = Server(), User("a", "b", "c", "right")
    assert SecretCache().obtain(use(server, user), Stop()) is None
    assert user.attempts == [1, 2, 3]


def test_that_a_node_with_its_own_password_is_asked_about_without_harm_to_others() -> None:
    cache, server = SecretCache(), Server(other="special")
    user = User("right", "special")
    assert cache.obtain(use(server, user), Stop()) == "in gpu1"
    assert cache.obtain(use(server, user, "other"), Stop()) == "in other"
    assert cache.obtain(use(server, user), Stop()) == "in gpu1"
    assert cache.obtain(use(server, user, "other"), Stop()) == "in other"
    assert user.answers == []
    assert server.refused == 1


def test_that_a_password_for_one_node_only_is_not_sent_to_another() -> None:
    cache, server = SecretCache(), Server()
    user = User("right", "right", reuse=False)
    cache.obtain(use(server, user, "a"), Stop())
    cache.obtain(use(server, user, "b"), Stop())
    assert user.attempts == [1, 1]


def test_that_secrets_are_in_no_repr() -> None:
    cache = SecretCache()
    cache.obtain(use(Server(), User("right")), Stop())
    entry = next(iter(cache._entries.values()))
    assert "right" not in repr(cache) + repr(entry) + repr(Secret("right"))


class FakeBackend:
    """What the keyring module would give."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        self.kept[(service, name)] = value

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[(service, name)]


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> FakeBackend:
    """A keyring that is empty at first."""
    import keyring

    found = FakeBackend()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, getattr(found, name))
    return found


@pytest.mark.parametrize("remember", [True, False])
def test_that_the_keyring_is_used_on_request_only(backend: FakeBackend, remember: bool) -> None:
    cache = SecretCache(KeyringStore(pytest.fail))
    cache.obtain(use(Server(), User("right", remember=remember)), Stop())
    expected = {(SERVICE, "password ana@gpu1"): "right"} if remember else {}
    assert backend.kept == expected
    if remember:  # a new session does not ask
        again = SecretCache(KeyringStore(pytest.fail))
        assert again.obtain(use(Server(), User()), Stop()) == "in gpu1"


def test_that_a_wrong_secret_in_the_keyring_is_dropped_and_asked_for(backend: FakeBackend) -> None:
    backend.kept[(SERVICE, "password ana@gpu1")] = "of last year"
    server, user = Server(), User("right")
    cache = SecretCache(KeyringStore(pytest.fail))
    assert cache.obtain(use(server, user), Stop()) == "in gpu1"
    assert (server.refused, user.attempts) == (1, [2])
    assert backend.kept == {}  # nobody asked to keep the new one


def test_that_a_secret_to_remember_is_kept_for_each_node_it_opens(backend: FakeBackend) -> None:
    cache = SecretCache(KeyringStore(pytest.fail))
    server, user = Server(n2="another"), User("right", "another", remember=True)
    for node in ("n0", "n1", "n2"):
        assert cache.obtain(use(server, user, node), Stop()) == f"in {node}"
    words = {name.rpartition("@")[2]: value for (_, name), value in backend.kept.items()}
    assert words == {"n0": "right", "n1": "right", "n2": "another"}
    again = SecretCache(KeyringStore(pytest.fail))  # tomorrow: no question, none refused
    server = Server(n2="another")
    assert many(again, server, User(), 3) == ["in n0", "in n1", "in n2"]
    assert server.refused == 0


def test_that_a_kept_password_is_sent_to_its_own_node_only(backend: FakeBackend) -> None:
    backend.kept[(SERVICE, "password ana@gpu1")] = "right"
    cache = SecretCache(KeyringStore(pytest.fail))
    other = Server(gpu2="different")
    cache.obtain(use(Server(), User()), Stop())
    assert cache.obtain(use(other, User("different"), "gpu2"), Stop()) == "in gpu2"
    assert other.refused == 0


def test_that_a_broken_keyring_is_one_notice_without_the_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import keyring

    def broken(*words: str) -> str:
        raise RuntimeError(f"cannot talk to the daemon about {words}")

    monkeypatch.setattr(keyring, "get_password", broken)
    monkeypatch.setattr(keyring, "set_password", broken)
    notices: list[str] = []
    store = KeyringStore(notices.append)
    cache = SecretCache(store)
    user = User("right", remember=True)
    assert cache.obtain(use(Server(), user), Stop()) == "in gpu1"
    store.set("again", "right")
    assert len(notices) == 2
    assert not any("right" in notice for notice in notices)


def test_that_a_computer_without_a_keyring_is_no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backends import fail

    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    none: keyring.backend.KeyringBackend = fail.Keyring()  # type: ignore[no-untyped-call]
    monkeypatch.setattr(keyring, "get_password", none.get_password)
    store = KeyringStore(pytest.fail)
    assert store.get("password ana@gpu1") is None
    assert "no keyring" in store.why_not()
    monkeypatch.setattr(keyring, "get_keyring", object)
    assert store.why_not() == ""
