"""Logging in: the named key first, then the agent, then what the user types.

After a partial success only what the server still asks for is tried (RFC 4252, section 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import paramiko

from remote.errors import AuthError
from remote.ssh.agent import Agent
from remote.ssh.asker import Asker
from remote.ssh.interactive import Exchange, Round
from remote.ssh.key_offers import KeyOffers, Offer
from remote.ssh.private_keys import OpenedKeys
from remote.ssh.prompts import Prompter, Secret
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
    over: bool = False
    """Whether nothing more is to be tried, because the password was refused often enough."""
    cancelled: bool = False
    """Whether the user cancelled a question."""


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
        self._secrets = secrets
        self._stop = stop
        self._circle = circle
        self._progress = _Progress()
        why_not = secrets.store.why_not if secrets.store is not None else None
        self._asker = Asker(target, prompter, stop, why_not_remember=why_not)
        self._offers = KeyOffers(
            target,
            secrets=secrets,
            opened=opened,
            asker=self._asker,
            stop=stop,
            tried=self._progress.tried,
        )
        self._typed: Secret | None = None
        """A password that was typed among other prompts, until the server has decided."""
        self.used_code = False
        """Whether a one-time code was typed: such a login cannot be repeated silently."""

    def run(self) -> None:
        """Log in.

        Raises:
            AuthError: every way was refused; names each.
            Cancelled: the connection was closed meanwhile.
            SSHException, EOFError, OSError: the connection broke.
        """
        directly = self._offers.first_is_ready()
        if not directly and self._ask_methods() == "done":
            return
        with Agent(self._target.agent) as agent:
            if agent.problem:
                self._progress.tried.append(agent.problem)
            keys = self._offers.each(agent)
            outcome = self._try_first_key(keys) if directly else "refused"
            while outcome != "done":
                outcome = self._next(keys)
                self._stop.check(self._target.name)
                if outcome == "partial":
                    self._progress.spent.clear()

    def _ask_methods(self) -> Outcome:
        return self._request(lambda: self._transport.log_in_none(self._user))

    def _try_first_key(self, keys: Iterator[Offer]) -> Outcome:
        """The key that is named for a host nearly always opens it: one question less.

        Where it does not, the server is asked what it takes, as ever.
        """
        tried = list(self._progress.tried)
        self._progress.allowed = ["publickey"]
        outcome = self._next(keys)
        self._stop.check(self._target.name)
        if outcome == "refused":
            outcome = self._ask_methods()
            if "publickey" not in self._progress.allowed:
                self._progress.tried[:] = tried
        return outcome

    def _next(self, keys: Iterator[Offer]) -> Outcome:
        """Try the next thing that the server takes. Raises AuthError when nothing is left."""
        progress = self._progress
        method = next(
            (m for m in METHODS if m in progress.allowed and m not in progress.spent), None
        )
        if method is None or progress.over or self._cancelled:
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

    @property
    def _password_name(self) -> SecretName:
        return SecretName(kind="password", user=self._user, place=self._circle)

    @property
    def _cancelled(self) -> bool:
        return self._progress.cancelled or self._offers.cancelled

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

    # What the user types

    def _obtain(
        self, check: Callable[[str], Outcome | None], text: str, title: str = ""
    ) -> Outcome:
        """Try the account's password until it is right, refused three times, or not given."""
        progress = self._progress
        tried = len(progress.tried)

        def ask(attempt: int) -> Secret | None:
            secret = self._asker.ask("password", text, attempt=attempt, title=title)
            progress.cancelled |= secret is None
            return secret

        use: Use[Outcome] = Use(
            name=self._password_name,
            node=self._target.name,
            check=check,
            ask=ask,
            store_name=f"password {self._target.login}",
        )
        outcome = self._secrets.obtain(use, self._stop)
        if outcome is not None:
            return outcome
        progress.over = True
        if len(progress.tried) == tried:  # cancelled here, or where another node asked
            progress.cancelled = True
            progress.tried.append("password: not given")
        return "refused"

    def _password(self) -> Outcome:
        def check(value: str) -> Outcome | None:
            outcome = self._request(lambda: self._transport.log_in_password(self._user, value))
            self._progress.tried.append(f"password: {_said(outcome)}")
            return None if outcome == "refused" else outcome

        return self._obtain(check, f"Password of {self._target.login}")

    def _interactive(self) -> Outcome:
        """Answer the server's prompts, up to three times."""
        for attempt in range(1, ATTEMPTS + 1):
            with self._start_exchange() as exchange:
                first = exchange.next_round()
                if first is not None and first.is_password:
                    return self._interactive_password(exchange, first)
                outcome = self._finish_exchange(exchange, first, attempt)
                if outcome != "refused" or first is None:
                    return outcome
        return "refused"

    def _start_exchange(self) -> Exchange:
        transport, user = self._transport, self._user
        return Exchange(lambda handler: transport.log_in_interactive(user, handler), self._stop)

    def _interactive_password(self, exchange: Exchange, first: Round) -> Outcome:
        """``exchange`` waits for the password; it serves the first attempt."""
        waiting = [exchange]

        def check(value: str) -> Outcome | None:
            if waiting:
                outcome = self._answer_password(waiting.pop(), first, value)
            else:
                with self._start_exchange() as again:
                    outcome = self._answer_password(again, again.next_round(), value)
            return None if outcome == "refused" else outcome

        return self._obtain(check, first.prompts[0].text, first.title)

    def _answer_password(self, exchange: Exchange, asked: Round | None, value: str) -> Outcome:
        if asked is None or not asked.is_password:
            return self._finish_exchange(exchange, asked, 1)
        exchange.answer([value])
        return self._finish_exchange(exchange, exchange.next_round(), 1, "password")

    def _finish_exchange(
        self, exchange: Exchange, current: Round | None, attempt: int, tried: str = "prompts"
    ) -> Outcome:
        """Answer rounds until the server decides. Raises AuthError when the user cancels."""
        self._typed = None
        while current is not None:
            answers = self._answers(current, attempt)
            tried = "code"
            if answers is None:
                self._progress.cancelled = True
                self._progress.tried.append("code: not given")
                raise self._refused()
            exchange.answer(answers)
            current = exchange.next_round()
        outcome = self._request(exchange.finish)
        self._progress.tried.append(f"{tried}: {_said(outcome)}")
        if self._typed is not None and outcome != "refused":
            self._secrets.learn(self._password_name, self._target.name, self._typed)
        return outcome

    def _answers(self, current: Round, attempt: int) -> list[str] | None:
        answers = []
        for number, prompt in enumerate(current.prompts, 1):
            # A password beside a code is good again, the code is not.
            known = None
            if prompt.is_password and attempt == 1:
                known = self._secrets.known(self._password_name, self._target.name)
            if known is not None:
                answers.append(known)
                continue
            self.used_code |= not prompt.is_password
            secret = self._asker.ask(
                "prompt",
                prompt.text,
                echo=prompt.echo,
                title=current.title,
                attempt=attempt,
                step=(number, len(current.prompts)),
            )
            if secret is None:
                return None
            if prompt.is_password:
                self._typed = secret
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
        remedy = (
            "Check the user, and that the node has your public key (ssh-copy-id) or takes your"
            " password"
        )
        remedy = self._offers.advice or remedy
        if self._cancelled:
            remedy = (
                "Connect again where the question can be answered, or load the key into an SSH"
                " agent (ssh-add)"
            )
        return AuthError(
            f"the login as {target.login} was {'cancelled' if self._cancelled else 'refused'}"
            f" ({'; '.join(tried)})",
            node=target.name,
            remedy=remedy,
        )


def _said(outcome: Outcome) -> str:
    return "refused" if outcome == "refused" else "accepted"
