"""Questions about host keys and passwords, asked on the terminal, one at a time."""

from __future__ import annotations

import getpass
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from remote.cli.text import plain
from remote.ssh import CommandQuestion, HostKeyQuestion, Secret, SecretQuestion

_GATHER_S = 0.3
"""So long an unknown host waits for others, to be shown with them."""
Pause = Callable[[], AbstractContextManager[object]]


@dataclass(eq=False)
class _Unknown:
    """A host whose key is not known, and the answer once it is given."""

    question: HostKeyQuestion
    trusted: bool | None = None


class TerminalPrompter:
    """Asks on standard error, reads the terminal; says no when nobody sits there.

    Args:
        pause: a context in which nothing else draws on the terminal.
    """

    def __init__(self, pause: Pause = nullcontext) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self._gathering = threading.Lock()
        self._unknown: list[_Unknown] = []
        self.silent = not sys.stdin.isatty()

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        """Hosts that come together are asked about together."""
        entry = _Unknown(question)
        with self._gathering:
            self._unknown.append(entry)
        if not self.silent:
            time.sleep(_GATHER_S)
        with self._lock, self._pause():
            if entry.trusted is None:
                with self._gathering:
                    hosts, self._unknown = self._unknown, []
                self._ask_about(hosts)
            return entry.trusted is True

    def _ask_about(self, hosts: list[_Unknown]) -> None:
        for host in hosts:
            question = host.question
            self._say(
                f"{question.node}: the host key of {question.host} is not known: "
                f"{question.key_type} {question.fingerprint}"
            )
        for note in dict.fromkeys(host.question.note for host in hosts if host.question.note):
            self._say(note)
        if self.silent:
            self._say(
                "Nobody is here to compare it. Connect once from a terminal "
                f"(ssh, or clew check), or add the key to {hosts[0].question.stored_in}."
            )
            answer = "no"
        elif len(hosts) == 1:
            answer = self._choose("Is this the key you expect? (yes/no) ", ("yes", "no"))
        else:
            answer = self._choose(
                f"Are these the {len(hosts)} keys you expect? Write each to be asked one by one. "
                "(yes/no) ",
                ("yes", "no", "each"),
            )
        if answer == "each":
            for host in hosts:
                self._ask_about([host])
            return
        for host in hosts:
            host.trusted = answer == "yes"

    def run_commands(self, question: CommandQuestion) -> bool:
        with self._lock, self._pause():
            if self.silent:
                return False
            self._say(f"{question.file} has conditions that a command on this computer decides:")
            for command in question.commands:
                self._say(f"  {command}")
            self._say(
                "ssh runs them whenever it connects. Without them, their blocks do not apply."
            )
            return self._choose("May they be run? (yes/no) ", ("yes", "no")) == "yes"

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

    def _choose(self, text: str, choices: tuple[str, ...]) -> str:
        """One of ``choices``; ``no`` when nobody answers."""
        while True:
            try:
                answer = self._read(text).strip().lower()
            except (EOFError, KeyboardInterrupt):
                return "no"
            if answer in choices:
                return answer
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
