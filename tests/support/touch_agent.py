"""An SSH agent with one security key: the token is played, protocol and signatures are real.

Sources: openssh-portable's PROTOCOL.agent and PROTOCOL.u2f.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import socket
import struct
import threading
from pathlib import Path
from types import TracebackType

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KIND = b"sk-ssh-ed25519@openssh.com"
_APPLICATION = b"ssh:"
_TOUCHED = 1
_LIST, _LISTED, _SIGN, _SIGNED = 11, 12, 13, 14


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


class TouchAgent:
    """Listens on a socket at ``path`` for as long as the ``with`` block lasts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.signed = 0
        self._key = Ed25519PrivateKey.generate()
        self._blob = (
            _string(KIND)
            + _string(self._key.public_key().public_bytes_raw())
            + _string(_APPLICATION)
        )
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._thread = threading.Thread(target=self._serve, name="touch-agent", daemon=True)

    @property
    def public_line(self) -> str:
        return f"{KIND.decode()} {base64.b64encode(self._blob).decode()}"

    def __enter__(self) -> TouchAgent:
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(struct.error, OSError):
                while True:
                    (size,) = struct.unpack(">I", self._take(connection, 4))
                    answer = self._answer(self._take(connection, size))
                    connection.sendall(_string(answer))

    @staticmethod
    def _take(connection: socket.socket, size: int) -> bytes:
        return connection.recv(size, socket.MSG_WAITALL)

    def _answer(self, request: bytes) -> bytes:
        if request[0] == _LIST:
            return bytes([_LISTED]) + struct.pack(">I", 1) + _string(self._blob) + _string(b"token")
        if request[0] != _SIGN:
            return b"\x05"
        (length,) = struct.unpack(">I", request[1:5])
        rest = request[5 + length :]
        (size,) = struct.unpack(">I", rest[:4])
        self.signed += 1
        proof = struct.pack(">BI", _TOUCHED, self.signed)
        message = hashlib.sha256(_APPLICATION).digest() + proof
        message += hashlib.sha256(rest[4 : 4 + size]).digest()
        return bytes([_SIGNED]) + _string(_string(KIND) + _string(self._key.sign(message)) + proof)
