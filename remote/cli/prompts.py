"""Questions about host keys and passwords, asked on the terminal, one at a time."""

from __future__ import annotations

import getpass
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from remote.cli.text import plain
from remote.ssh import HostKeyQuestion, Secret, SecretQuestion

Pause = Callable[[], AbstractContextManager[object]]


class TerminalPrompter:
    """Asks on standard error, reads the terminal; says no when nobody sits there.

    Args:
        pause: a context in which nothing else draws on the terminal.
    """

    def __init__(self, pause: Pause = nullcontext) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self.silent = not sys.stdin.isatty()

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        with self._lock, self._pause():
            self._say(
                f"{question.node}: the host key of {question.host} is not known: "
                f"{question.key_type} {question.fingerprint}"
            )
            if question.note:
                self._say(question.note)
            if self.silent:
                self._say(
                    "Nobody is here to compare it. Connect once from a terminal "
                    f"(ssh, or clew check), or add the key to {question.stored_in}."
                )
                return False
            return self._yes("Is this the key you expect? (yes/no) ")

    def secret(self, question: SecretQuestion) -> Secret | None:
        with self._lock, self._pause():
            if self.silent:
                self._say(
                    f"{question.node}: {plain(question.text).strip()}: nobody is here to answer. "
                    "Use a key or an agent, or run this in a terminal."
                )
                return None
            if question.title:
                self._say(question.title)
            if question.attempt > 1:
                self._say(f"{question.node}: that was refused; try again.")
            text = f"{question.node}: {plain(question.text).strip()} "
            try:
                value = self._read(text) if question.echo else getpass.getpass(text)
            except (EOFError, KeyboardInterrupt):
                self._say("")
                return None
            return Secret(value=value)

    def _yes(self, text: str) -> bool:
        while True:
            try:
                answer = self._read(text).strip().lower()
            except (EOFError, KeyboardInterrupt):
                return False
            if answer in ("yes", "no"):
                return answer == "yes"
            text = "Please write yes or no: "

    @staticmethod
    def _read(text: str) -> str:
        sys.stderr.write(text)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")

    @staticmethod
    def _say(text: str) -> None:
        sys.stderr.write(plain(text) + "\n")
        sys.stderr.flush()
