"""Whether commands of ``Match exec`` lines may be run: asked once for each content of a file."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from remote.ssh.config_file import runs_command
from remote.ssh.config_lines import read_lines
from remote.ssh.own_known_hosts import append_line
from remote.ssh.prompts import CommandQuestion, Prompter


class CommandConsent:
    """Keeps what the user agreed to, as ``sha256  path`` lines in the file ``own``.

    A file that was changed is asked about again. Safe for many threads: nodes that come to the
    same file together are one question.
    """

    def __init__(self, own: Path, prompter: Prompter, notice: Callable[[str], None]) -> None:
        self._own = own
        self._prompter = prompter
        self._notice = notice
        self._lock = threading.Lock()
        self._agreed: set[str] = set()
        self._declined: dict[str, float] = {}

    def allows(self, path: Path, node: str) -> bool:
        """Whether the commands in ``path`` may be run; blocks while the user is asked."""
        came = time.monotonic()
        try:
            mark = f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}"
            lines = [line for line in read_lines(path) if runs_command(line)]
        except OSError:
            return False
        with self._lock:
            if mark in self._agreed or mark in self._kept():
                return True
            if self._declined.get(mark, 0.0) > came:  # answered while this one waited
                return False
            commands = tuple(f"Match {' '.join(line.words)}" for line in lines)
            if self._prompter.run_commands(
                CommandQuestion(node=node, file=path, commands=commands)
            ):
                self._keep(mark)
                return True
            self._declined[mark] = time.monotonic()
            return False

    def _kept(self) -> list[str]:
        try:
            return self._own.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except OSError:
            return []

    def _keep(self, mark: str) -> None:
        self._agreed.add(mark)
        if "\n" in mark or "\r" in mark:
            return  # a path that is no line is asked about again next time
        try:
            append_line(self._own, f"{mark}\n".encode("utf-8", "surrogateescape"))
        except OSError as error:
            self._notice(
                f"Your answer cannot be kept in {self._own} ({error.strerror or error});"
                " it counts until Clew is closed."
            )
