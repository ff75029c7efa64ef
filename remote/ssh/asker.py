"""Puts one login's questions to the user."""

from __future__ import annotations

from collections.abc import Callable

from remote.ssh.prompts import Prompter, Secret, SecretKind, SecretQuestion
from remote.ssh.stop import Stop
from remote.ssh.target import SshTarget


class Asker:
    """Fills in what every question of a login to ``target`` has in common.

    Args:
        why_not_remember: says why a secret cannot be kept on this computer; empty: it can. None:
            nothing is kept by this program at all.
    """

    def __init__(
        self,
        target: SshTarget,
        prompter: Prompter,
        stop: Stop,
        *,
        why_not_remember: Callable[[], str] | None,
    ) -> None:
        self._target = target
        self._prompter = prompter
        self._stop = stop
        self._why_not_remember = why_not_remember

    def ask(
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
        """The answer; None when the user cancels. Raises Cancelled when the login is stopped."""
        self._stop.check(self._target.name)
        storable = kind != "prompt" and self._why_not_remember is not None
        why_not = self._why_not_remember() if storable and self._why_not_remember else ""
        return self._prompter.secret(
            SecretQuestion(
                kind=kind,
                node=self._target.name,
                user=self._target.user,
                host=self._target.host_name,
                text=text,
                echo=echo,
                key_path=key_path,
                attempt=attempt,
                title=title,
                step=step[0],
                steps=step[1],
                can_remember=storable and not why_not,
                cannot_remember=why_not,
            )
        )
