"""A TCP socket as SSH uses it: read in large pieces, and acknowledged at once while logging in."""

from __future__ import annotations

import contextlib
import socket

_READ_BYTES = 64 << 10
_ACKNOWLEDGED = 40
"""Reads until the first channel is open, with some to spare."""
_QUICKACK = getattr(socket, "TCP_QUICKACK", None)


class TcpStream(socket.socket):
    """Has one reader.

    paramiko asks for the head of a packet and then for its body; here the second is mostly there.
    A server that says two things in a row keeps the second back until the first is acknowledged
    (RFC 896), which a system puts off by 40 ms where it has nothing to say itself (RFC 1122,
    4.2.3.2): while logging in it is told not to.
    """

    def __init__(self, family: int, kind: int) -> None:
        super().__init__(family, kind)
        self._held = b""
        self._at = 0
        self._reads = 0

    def recv(self, limit: int, flags: int = 0, /) -> bytes:
        if self._at == len(self._held):
            self._held, self._at = super().recv(_READ_BYTES, flags), 0
            self._acknowledge()
        piece = self._held[self._at : self._at + limit]
        self._at += len(piece)
        return piece

    def _acknowledge(self) -> None:
        if _QUICKACK is not None and self._reads < _ACKNOWLEDGED:
            self._reads += 1
            with contextlib.suppress(OSError):  # closed meanwhile: the next read says so
                self.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
