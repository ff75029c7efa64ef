"""Addresses and ports of tasks, checked with plain sockets before TensorFlow sees them."""

from __future__ import annotations

import errno
import socket

from trainer.failures import BadSpec, Unavailable

_HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
"""The client's fixed first bytes and empty settings."""


def split_address(address: str) -> tuple[str, int]:
    """``host:port`` or ``[v6]:port`` as host and port. Raises :class:`BadSpec`."""
    host, _, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise BadSpec(f"{address!r} is not an address: write host:port")
    return host, int(port)


def check_port_free(port: int) -> None:
    """Raise :class:`Unavailable`, naming the port, when this task could not listen on it.

    TensorFlow's own error has no port number, and comes seconds later.
    """
    try:
        with _every_interface(port):
            pass
    except PermissionError:
        raise Unavailable(
            f"port {port} is reserved for root; set ports.first to 1024 or higher"
        ) from None
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise Unavailable(f"port {port} cannot be used: {error.strerror}") from None
        raise Unavailable(
            f"port {port} is in use on {socket.gethostname()}; "
            "end the program that holds it or set ports.first to another port"
        ) from None


def is_listening(address: str, timeout_s: float = 1.0) -> bool:
    """Whether something accepts connections at ``address``."""
    try:
        with socket.create_connection(split_address(address), timeout=timeout_s):
            return True
    except OSError:
        return False


def answers(address: str, timeout_s: float = 1.0) -> bool:
    """Whether a gRPC server answers at ``address``: accepting is the system's doing, not its.

    Says hello as HTTP/2 does; a server's settings are its first words (RFC 9113, section 3.4).
    """
    try:
        with socket.create_connection(split_address(address), timeout=timeout_s) as link:
            link.sendall(_HTTP2_PREFACE)
            return bool(link.recv(1))
    except OSError:
        return False


def _every_interface(port: int) -> socket.socket:
    """A socket bound the way gRPC binds: all interfaces, IPv6 and IPv4 in one where possible."""
    try:
        return _bound(socket.AF_INET6, "::", port)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise
        return _bound(socket.AF_INET, "0.0.0.0", port)  # noqa: S104 - what gRPC does


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((host, port))
        # Two sockets with SO_REUSEADDR may both be bound; only one may listen.
        listener.listen(1)
    except OSError:
        listener.close()
        raise
    return listener
