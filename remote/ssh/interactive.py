"""Keyboard-interactive login: the server's prompts, answered one after another (RFC 4256)."""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

import paramiko

from remote.ssh.prompts import clean_text
from remote.ssh.stop import Stop
from remote.ssh.transport import Handler

_PASSWORD = re.compile(
    r"passwor[dt]|passphrase|mot de passe|contrase|senha|parol|пароль|密码|密碼|パスワード|암호",
    re.IGNORECASE,
)
_CODE = re.compile(r"one.?time|otp|token|verification|new password|code", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    echo: bool

    @property
    def is_password(self) -> bool:
        """Whether this asks for the account's password, not for a code that is good once."""
        hidden = not self.echo
        return hidden and bool(_PASSWORD.search(self.text)) and not _CODE.search(self.text)


@dataclass(frozen=True, slots=True)
class Round:
    """Prompts that the server wants answered together."""

    title: str
    prompts: tuple[Prompt, ...]

    @property
    def is_password(self) -> bool:
        """Whether this asks for the account's password and for nothing else."""
        return len(self.prompts) == 1 and self.prompts[0].is_password


class Exchange:
    """One keyboard-interactive attempt, driven from the thread that connects.

    paramiko calls its handler on the transport's thread; a prompt that waited for its user there
    would keep that thread from ending. So the handler only passes the round over, and a helper
    thread waits for the result.
    """

    def __init__(self, request: Callable[[Handler], object], stop: Stop) -> None:
        self._request = request
        self._stop = stop
        self._rounds: queue.SimpleQueue[Round | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()
        self._error: BaseException | None = None
        self._result: object = None
        self._thread = threading.Thread(target=self._run, name="clew-ssh-prompts", daemon=True)
        self._thread.start()

    def next_round(self) -> Round | None:
        """The next round to answer; None when the server has decided."""
        return self._rounds.get()

    def answer(self, answers: list[str]) -> None:
        self._answers.put(answers)

    def give_up(self) -> None:
        """End the attempt without an answer; the connection is of no use afterwards."""
        self._answers.put(None)

    def __enter__(self) -> Exchange:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.give_up()  # has no effect on an attempt that has ended

    def finish(self) -> object:
        """The methods still needed, once the server has decided. Raises what the attempt raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result

    def _run(self) -> None:
        try:
            with self._stop.calling(self.give_up):
                self._result = self._request(self._handle)
        except (paramiko.SSHException, EOFError, OSError) as error:
            self._error = error
        finally:
            self._rounds.put(None)

    def _handle(self, title: str, instructions: str, prompts: list[tuple[str, bool]]) -> list[str]:
        if not prompts:
            return []
        head = "\n".join(text for text in (clean_text(title), clean_text(instructions)) if text)
        asked = tuple(Prompt(clean_text(text, 500), bool(echo)) for text, echo in prompts[:16])
        self._rounds.put(Round(head, asked))
        answers = self._answers.get()
        if answers is None:
            raise paramiko.AuthenticationException("cancelled")
        return answers
