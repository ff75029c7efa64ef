"""Asking OpenSSH itself what its config files say: ``ssh -G host``."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

from remote.ssh.config_file import Options

TIME_LIMIT_S = 10.0
"""``Match exec`` commands and canonical names may take their time."""

DEFAULT_IDENTITIES = frozenset(
    f"~/.ssh/id_{kind}"
    for kind in ("rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk", "xmss", "dsa", "mldsa44")
)


class OpenSshError(Exception):
    """OpenSSH is ``absent``, or does not accept the files; its words are the message."""

    def __init__(self, what: str, *, absent: bool = False) -> None:
        super().__init__(what)
        self.absent = absent


def query(host: str, *, user: str | None, port: int | None, config: Path | None) -> Options:
    """Options of ``host`` as OpenSSH sees them. ``config`` stands for the user's file.

    Raises:
        OpenSshError: no ``ssh`` here, an error in a file, or no answer in time.
    """
    program = shutil.which("ssh")
    if program is None:
        raise OpenSshError("OpenSSH is not installed", absent=True)
    command = [program, "-G"]
    command += ["-F", str(config)] if config is not None else []
    command += ["-l", user] if user is not None else []
    command += ["-p", str(port)] if port is not None else []
    status, said, words = _run([*command, "--", host])
    if status != 0:
        lines = words.decode("utf-8", "replace").strip().splitlines()
        raise OpenSshError(lines[0] if lines else f"ssh -G ended with {status}")
    return parse(said.decode("utf-8", "surrogateescape"))


def _run(command: list[str]) -> tuple[int, bytes, bytes]:
    """Exit status, output and complaints; what ``Match exec`` started ends with it."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
    except OSError as error:
        raise OpenSshError(f"ssh cannot be started: {error.strerror}") from None
    with process:
        try:
            said, words = process.communicate(timeout=TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            process.communicate()
            raise OpenSshError(f"ssh -G gave no answer in {TIME_LIMIT_S:.0f} s") from None
        except BaseException:
            _kill_group(process)
            raise
    return process.returncode, said, words


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # not reaped yet, so the group is still its own
    else:
        process.kill()


def parse(text: str) -> Options:
    """Read ``keyword value`` lines. Default identities, which ssh lists too, are left out.

    Raises:
        OpenSshError: this is not the output of ``ssh -G``.
    """
    options: Options = {}
    for line in text.splitlines():
        keyword, blank, value = line.partition(" ")
        if not keyword.isascii() or not keyword.isalnum():
            raise OpenSshError(f"ssh -G gave an unexpected line: {line[:80]!r}")
        if blank:
            options.setdefault(keyword.lower(), []).append(value)
    if "hostname" not in options or "port" not in options:
        raise OpenSshError("ssh -G did not name a host and a port")
    if set(options.get("identityfile", ())) <= DEFAULT_IDENTITIES:
        options.pop("identityfile", None)
    return options
