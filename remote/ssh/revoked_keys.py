"""``RevokedHostKeys``: a file of keys that no host may show, as text or a KRL (ssh_config(5))."""

from __future__ import annotations

import base64
import binascii
import subprocess
import tempfile
from collections.abc import Iterable

from remote.ssh.known_hosts import blob_type

_KRL = b"SSHKRL\n\0"
_LIMIT_S = 10.0


def why_revoked(path: str, blobs: Iterable[bytes]) -> str:
    """Why the file forbids a host that shows ``blobs`` (wire format), a clause; empty: it does not.

    As OpenSSH has it, a file that cannot be read forbids every host.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return f"{path} cannot be read ({(error.strerror or str(error)).lower()})"
    wanted = [blob for blob in blobs if blob]
    if data.startswith(_KRL):
        return _asked(path, wanted)
    listed = {_blob(line) for line in data.split(b"\n")}
    return f"{path} lists it" if listed & set(wanted) else ""


def _blob(line: bytes) -> bytes:
    """The key of a line ``type base64 comment``; empty for what is none."""
    words = line.split()
    try:
        return base64.b64decode(words[1], validate=True)
    except (IndexError, binascii.Error, ValueError):
        return b""


def _asked(path: str, blobs: list[bytes]) -> str:
    """What ssh-keygen says: it alone reads revocation lists."""
    lines = [f"{blob_type(blob)} {base64.b64encode(blob).decode('ascii')}\n" for blob in blobs]
    with tempfile.NamedTemporaryFile("w", suffix=".pub") as keys:
        keys.write("".join(lines))
        keys.flush()
        try:
            status = subprocess.run(
                ["ssh-keygen", "-Q", "-f", path, keys.name],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LIMIT_S,
                check=False,
            ).returncode
        except (OSError, subprocess.TimeoutExpired):
            return f"{path} is a revocation list, and ssh-keygen, which reads it, cannot be run"
    return "" if status == 0 else f"{path} lists it, or is damaged"
