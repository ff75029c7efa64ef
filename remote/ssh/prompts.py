"""What a connection asks the user, and who answers: the window, or the terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

SecretKind = Literal["password", "passphrase", "prompt"]
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, kw_only=True, slots=True)
class HostKeyQuestion:
    """Is this the right machine? Asked for a host whose key is not known yet."""

    node: str
    host: str
    """As known_hosts names it: ``gpu001``, or ``[gpu001]:2222``."""
    key_type: str
    fingerprint: str
    """``SHA256:`` and 43 characters, as ``ssh-keygen -l`` prints it."""
    stored_in: Path
    """The file that the key is added to when the answer is yes."""
    note: str = ""
    """More to consider, in a sentence; mostly empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandQuestion:
    """May the commands of ``Match exec`` lines be run on this computer?"""

    node: str
    file: Path
    commands: tuple[str, ...]
    """The lines, as the file has them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SecretQuestion:
    """One secret. ``text`` is shown as it is; ``echo`` says whether typing may be seen."""

    kind: SecretKind
    """``prompt`` is a server's own question, such as a one-time code: never stored."""
    node: str
    user: str
    host: str
    text: str
    echo: bool = False
    key_path: str = ""
    """The key file that a passphrase opens."""
    attempt: int = 1
    """2 and 3: the answer before was refused."""
    title: str = ""
    """The server's title and instructions above a prompt; may be empty."""
    step: int = 1
    steps: int = 1
    can_remember: bool = False
    """Whether ``Secret.remember`` means anything for this question."""
    cannot_remember: str = ""
    """Why a secret of this kind, which could be kept, cannot be on this computer; a sentence."""


@dataclass(frozen=True, slots=True)
class Secret:
    """An answer. Its value is in no ``repr``."""

    value: str = field(repr=False)
    remember: bool = False
    """Keep it in the system's keyring."""
    reuse: bool = True
    """A password: also try it on the other nodes of this profile with the same user."""


class Prompter(Protocol):
    """Answers questions. Called from connection threads, several at a time; may block."""

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        """Whether to trust this key from now on."""
        ...

    def run_commands(self, question: CommandQuestion) -> bool:
        """Whether to run them, now and until the file changes."""
        ...

    def secret(self, question: SecretQuestion) -> Secret | None:
        """The answer, or None when the user cancels."""
        ...


class NoPrompter:
    """Says no to everything: for connections that nobody watches."""

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        return False

    def run_commands(self, question: CommandQuestion) -> bool:
        return False

    def secret(self, question: SecretQuestion) -> Secret | None:
        return None


def clean_text(text: str, limit: int = 2000) -> str:
    """A server's words without control and direction characters: safe for a terminal."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))[:limit]
