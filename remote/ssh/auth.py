"""Logging in: the named key first, then the agent, then what the user types.

After a partial success only what the server still asks for is tried (RFC 4252, section 5.1).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import paramiko
from paramiko.agent import AgentKey

from remote.errors import AuthError
from remote.ssh.agent import Agent
from remote.ssh.interactive import Exchange, Round
from remote.ssh.private_keys import (
    KeyFile,
    KeyFileError,
    OpenedKeys,
    read_key_file,
    with_certificate,
)
from remote.ssh.prompts import Prompter, Secret, SecretKind, SecretQuestion
from remote.ssh.secret_cache import ATTEMPTS, SecretCache, SecretName, Use
from remote.ssh.stop import Stop
from remote.ssh.target import SshTarget
from remote.ssh.transport import SshTransport

Outcome = Literal["done", "partial", "refused"]
METHODS = ("publickey", "keyboard-interactive", "password")
_WORDS = {"publickey": "key", "keyboard-interactive": "prompts", "password": "password"}


@dataclass
class _Progress:
    """What the server still takes, and what was tried."""

    allowed: list[str] = field(default_factory=list)
    spent: set[str] = field(default_factory=set)
    tried: list[str] = field(default_factory=list)
    cancelled: bool = False


class Login:
    """One login over a connection whose host key has been checked.

    Args:
        circle: hosts that share a password: ``nodes``, or the name of a jump host.
    """

    def __init__(
        self,
        transport: SshTransport,
        target: SshTarget,
        *,
        prompter: Prompter,
        secrets: SecretCache,
        opened: OpenedKeys,
        stop: Stop,
        circle: str = "nodes",
    ) -> None:
        self._transport = transport
        self._target = target
        self._prompter = prompter
        self._secrets = secrets
        self._opened = opened
        self._stop = stop
        self._circle = circle
        self._progress = _Progress()
        self.used_code = False
        """Whether a one-time code was typed: such a login cannot be repeated silently."""

    def run(self) -> None:
        """Log in.

        Raises:
            AuthError: every way was refused; names each.
            Cancelled: the connection was closed meanwhile.
            SSHException, EOFError, OSError: the connection broke.
        """
        if self._request(lambda: self._transport.log_in_none(self._target.user)) == "done":
            return
        with Agent(self._target.agent) as agent:
            if agent.problem:
                self._progress.tried.append(agent.problem)
            keys = self._keys(agent)
            while True:
                outcome = self._next(keys)
                self._stop.check(self._target.name)
                if outcome == "done":
                    return
                if outcome == "partial":
                    self._progress.spent.clear()

    def _next(self, keys: Iterator[tuple[str, paramiko.PKey]]) -> Outcome:
        """Try the next thing that the server takes. Raises AuthError when nothing is left."""
        progress = self._progress
        method = next(
            (m for m in METHODS if m in progress.allowed and m not in progress.spent), None
        )
        if method is None or progress.cancelled:
            raise self._refused()
        if method == "publickey":
            label, key = next(keys, ("", None))
            if key is None:
                progress.spent.add(method)
                return "refused"
            outcome = self._request(lambda: self._transport.log_in_key(self._user, key))
            progress.tried.append(f"{label}: {_said(outcome)}")
            return outcome
        progress.spent.add(method)
        return self._password() if method == "password" else self._interactive()

    @property
    def _user(self) -> str:
        return self._target.user

    def _request(self, send: Callable[[], object]) -> Outcome:
        """Send one request; keep what the server says it still takes."""
        self._stop.check(self._target.name)
        try:
            remaining = send()
        except paramiko.BadAuthenticationType as error:
            self._progress.allowed = list(error.allowed_types)
            return "refused"
        except paramiko.AuthenticationException:
            self._stop.check(self._target.name)
            if not self._transport.is_active():
                raise self._hung_up() from None
            return "refused"
        except paramiko.SSHException:
            # An agent that does not sign is no reason to give up, a broken connection is.
            if not self._transport.is_active():
                raise
            return "refused"
        if isinstance(remaining, list) and remaining:
            self._progress.allowed = [str(name) for name in remaining]
            return "partial"
        return "done"

    # Keys

    def _keys(self, agent: Agent) -> Iterator[tuple[str, paramiko.PKey]]:
        """Keys in the order to offer them, each opened only when its turn comes."""
        held = agent.keys()
        target = self._target
        if target.identities_named:
            for path in target.identity_files:
                yield from self._file_keys(path, held)
        if not target.identities_only:
            while held:
                key = held.pop(0)
                yield f"agent key {key.comment or key.get_name()}", key
        if not target.identities_named:
            for path in target.identity_files:
                if os.path.exists(path):
                    yield from self._file_keys(path, held)

    def _file_keys(self, path: str, held: list[AgentKey]) -> Iterator[tuple[str, paramiko.PKey]]:
        try:
            file = read_key_file(path)
            key = self._from_agent(file, held) or self._open(file)
        except KeyFileError as error:
            self._progress.tried.append(f"key {path}: {error}")
            return
        if key is None:
            self._progress.tried.append(f"{file.label}: no passphrase given")
            # Somebody who cancels the passphrase of the key they named wants to stop.
            self._progress.cancelled = self._target.identities_named
            return
        signed = with_certificate(key, path)
        if signed is not None:
            yield f"{file.label} with its certificate", signed
        yield file.label, key

    def _from_agent(self, file: KeyFile, held: list[AgentKey]) -> paramiko.PKey | None:
        for key in held:
            if file.public_blob is not None and key.blob == file.public_blob:
                held.remove(key)
                return key
        if not file.text:
            raise KeyFileError("a public key, and the agent does not hold its private half")
        return None

    def _open(self, file: KeyFile) -> paramiko.PKey | None:
        if not file.encrypted:
            return self._opened.open(file, None)
        found = self._opened.get(file)
        if found is not None:
            return found
        return self._secrets.obtain(
            Use(
                name=SecretName(kind="passphrase", user="", place=file.path),
                node=self._target.name,
                check=lambda value: self._opened.open(file, value),
                ask=lambda attempt: self._ask(
                    "passphrase",
                    f"Passphrase for the key {file.path}",
                    attempt=attempt,
                    key_path=file.path,
                ),
                store_name=f"passphrase {file.path}",
            ),
            self._stop,
        )

    # What the user types

    def _ask(
        self,
        kind: SecretKind,
        text: str,
        *,
        attempt: int = 1,
        key_path: str = "",
        echo: bool = False,
        title: str = "",
        step: tuple[int, int] = (1, 1),
    ) -> Secret | None:
        self._stop.check(self._target.name)
        return self._prompter.secret(
            SecretQuestion(
                kind=kind,
                node=self._target.name,
                user=self._user,
                host=self._target.host_name,
                text=text,
                echo=echo,
                key_path=key_path,
                attempt=attempt,
                title=title,
                step=step[0],
                steps=step[1],
                can_remember=kind != "prompt" and self._secrets.store is not None,
            )
        )

    def _password_use(
        self, check: Callable[[str], Outcome | None], text: str, title: str = ""
    ) -> Use[Outcome]:
        return Use(
            name=SecretName(kind="password", user=self._user, place=self._circle),
            node=self._target.name,
            check=check,
            ask=lambda attempt: self._ask("password", text, attempt=attempt, title=title),
            store_name=f"password {self._target.login}",
        )

    def _password(self) -> Outcome:
        def check(value: str) -> Outcome | None:
            outcome = self._request(lambda: self._transport.log_in_password(self._user, value))
            self._progress.tried.append(f"password: {_said(outcome)}")
            return None if outcome == "refused" else outcome

        tried = len(self._progress.tried)
        text = f"Password of {self._target.login}"
        outcome = self._secrets.obtain(self._password_use(check, text), self._stop)
        if outcome is None and len(self._progress.tried) == tried:
            self._progress.tried.append("password: not given")
        self._progress.cancelled = outcome is None
        return outcome or "refused"

    def _interactive(self) -> Outcome:
        """Answer the server's prompts, up to three times."""
        for attempt in range(1, ATTEMPTS + 1):
            exchange = self._start_exchange()
            first = exchange.next_round()
            if first is not None and first.is_password:
                return self._interactive_password(exchange, first)
            outcome = self._finish_exchange(exchange, first, attempt)
            if outcome != "refused" or first is None or self._progress.cancelled:
                return outcome
        return "refused"

    def _start_exchange(self) -> Exchange:
        transport, user = self._transport, self._user
        return Exchange(lambda handler: transport.log_in_interactive(user, handler), self._stop)

    def _interactive_password(self, exchange: Exchange, first: Round) -> Outcome:
        waiting: list[tuple[Exchange, Round]] = [(exchange, first)]

        def check(value: str) -> Outcome | None:
            if waiting:
                current, _ = waiting.pop()
            else:
                current = self._start_exchange()
                asked = current.next_round()
                if asked is None or not asked.is_password:
                    return self._finish_exchange(current, asked, 1)
            current.answer([value])
            outcome = self._finish_exchange(current, current.next_round(), 1, "password")
            # A cancelled code says nothing about the password, but ends the login all the same.
            return None if outcome == "refused" and not self._progress.cancelled else outcome

        use = self._password_use(check, first.prompts[0].text, first.title)
        outcome = self._secrets.obtain(use, self._stop)
        if waiting:
            waiting.pop()[0].give_up()
            self._progress.tried.append("password: not given")
        self._progress.cancelled |= outcome is None
        return outcome or "refused"

    def _finish_exchange(
        self, exchange: Exchange, current: Round | None, attempt: int, tried: str = "prompts"
    ) -> Outcome:
        """Answer rounds until the server decides."""
        while current is not None:
            answers = self._answers(current, attempt)
            tried = "code"
            if answers is None:
                exchange.give_up()
                self._progress.cancelled = True
                self._progress.tried.append("code: not given")
                return "refused"
            exchange.answer(answers)
            current = exchange.next_round()
        outcome = self._request(exchange.finish)
        self._progress.tried.append(f"{tried}: {_said(outcome)}")
        return outcome

    def _answers(self, current: Round, attempt: int) -> list[str] | None:
        answers = []
        for number, prompt in enumerate(current.prompts, 1):
            self.used_code = True
            secret = self._ask(
                "prompt",
                prompt.text,
                echo=prompt.echo,
                title=current.title,
                attempt=attempt,
                step=(number, len(current.prompts)),
            )
            if secret is None:
                return None
            answers.append(secret.value)
        return answers

    # Failures

    def _hung_up(self) -> AuthError:
        tried = "; ".join(self._progress.tried) or "nothing"
        said = self._transport.disconnect_reason or "no reason given"
        return AuthError(
            f"the server hung up during the login as {self._target.login}: {said} (tried {tried})",
            node=self._target.name,
            remedy="Name the right key (identity_file), and set IdentitiesOnly yes for this host"
            " if the agent holds many",
        )

    def _refused(self) -> AuthError:
        progress, target = self._progress, self._target
        tried = list(progress.tried)
        for method in METHODS:
            if method not in progress.allowed:
                word = _WORDS[method]
                if not any(text.startswith((word, "agent key", "code")) for text in tried):
                    tried.append(f"{word}: not offered by the server")
        if "publickey" in progress.allowed and not any("key" in text for text in tried):
            tried.insert(0, "key: none found")
        return AuthError(
            f"the login as {target.login} was {'cancelled' if progress.cancelled else 'refused'}"
            f" ({'; '.join(tried)})",
            node=target.name,
            remedy="Check the user, and that the node has your public key"
            " (ssh-copy-id) or takes your password",
        )


def _said(outcome: Outcome) -> str:
    return "refused" if outcome == "refused" else "accepted"
