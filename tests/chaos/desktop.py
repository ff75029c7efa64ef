"""The desktop of a trial: ``clew run``, after its death ``clew attach``, each a real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.support.commands import command, surroundings


class Desktop:
    """Starts one command at a time in the desktop's network, and reads what it prints.

    Args:
        namespace: name of the network.
        data: for its history; may exist already.
        folder: for its output and its home.
        more: variables of its environment.
    """

    def __init__(self, namespace: str, data: Path, folder: Path, **more: str) -> None:
        self.data = data
        self._folder = folder
        self._namespace = namespace
        self._environment = surroundings(self.data, HOME=str(folder / "home"), **more)
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._read = 0
        self.killed = False
        self.controls = False
        """Whether the present command stops the run at Ctrl-C."""
        self.run_id = ""
        self.result: dict[str, Any] | None = None
        """The last object of the command, if it is a result."""
        for needed in (data, folder / "home"):
            needed.mkdir(parents=True, exist_ok=True)

    @property
    def status(self) -> int | None:
        """Exit status of the present command; None: it runs, or none was started."""
        return None if self._process is None else self._process.poll()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def stdout(self) -> Path:
        return self._folder / f"out-{self._number}.jsonl"

    @property
    def stderr(self) -> Path:
        return self._folder / f"err-{self._number}.txt"

    def start(self, *words: object) -> None:
        """Start a command; what an earlier one has told is kept in its files."""
        self._number += 1
        self.controls = words[0] == "run"
        self._read, self.result, self.killed = 0, None, False
        inside = ["ip", "netns", "exec", self._namespace]
        with self.stdout.open("wb") as out, self.stderr.open("wb") as err:
            self._process = subprocess.Popen(
                [*inside, *command(*words, "--json")],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def kill(self) -> bool:
        """SIGKILL; False: there was nothing to kill."""
        if self._process is None or not self.running:
            return False
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.killed = True
        return True

    def interrupt(self) -> bool:
        """Ctrl-C, where that stops the run; False: there is nothing to stop it."""
        if self._process is None or not self.running or not self.controls:
            return False
        self._process.send_signal(signal.SIGINT)
        return True

    def look(self) -> None:
        """Take what was printed since the last look."""
        if self._process is None:
            return
        with self.stdout.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        end = data.rfind(b"\n") + 1
        self._read += end
        for line in data[:end].splitlines():
            self._take(json.loads(line))

    def wait(self, limit_s: float) -> int:
        """Exit status of the present command."""
        assert self._process is not None
        status = self._process.wait(limit_s)
        self.look()
        return status

    def says(self) -> str:
        """The ends of what all commands printed, and of the log, for a report."""
        files = [*sorted(self._folder.glob("*-*.*")), *sorted(self.data.glob("*.log"))]
        return "\n".join(f"--- {f.name}\n{end_of(f)}" for f in files)

    def _take(self, told: dict[str, Any]) -> None:
        if told["type"] == "run":
            self.run_id = str(told["run"])
        elif told["type"] == "result":
            self.result = told


def end_of(path: Path, most: int = 3000) -> str:
    """The last of a file, as text."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return f"({error.strerror})"
    return data[-most:].decode("utf-8", "replace")
