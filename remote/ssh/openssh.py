"""Asking OpenSSH itself what its config files say: ``ssh -G host``."""

from __future__ import annotations

import os
import shutil
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
    """OpenSSH is absent, or does not accept the files; its words are the message."""


def query(host: str, *, user: str | None, port: int | None, config: Path | None) -> Options:
    """Options of ``host`` as OpenSSH sees them. ``config`` stands for the user's file.

    Raises:
        OpenSshError: no ``ssh`` here, an error in a file, or no answer in time.
    """
    program = shutil.which("ssh")
    if program is None:
        raise OpenSshError("OpenSSH is not installed")
    command = [program, "-G"]
    command += ["-F", str(config)] if config is not None else []
    command += ["-l", user] if user is not None else []
    command += ["-p", str(port)] if port is not None else []
    try:
        done = subprocess.run(
            [*command, "--", host],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except subprocess.TimeoutExpired:
        raise OpenSshError(f"ssh -G gave no answer in {TIME_LIMIT_S:.0f} s") from None
    except OSError as error:
        raise OpenSshError(f"ssh cannot be started: {error.strerror}") from None
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OpenSshError(words[0] if words else f"ssh -G ended with {done.returncode}")
    return parse(done.stdout.decode("utf-8", "surrogateescape"))


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
