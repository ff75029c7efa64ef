"""From a byte stream to an encrypted connection with a machine that is who it claims to be."""

from __future__ import annotations

import logging
import socket
import threading
import time

import paramiko

from remote.errors import ConnectError, HostKeyError
from remote.ssh.certificates import is_certificate
from remote.ssh.host_keys import HostKeys, Presented
from remote.ssh.known_hosts import blob_type
from remote.ssh.prompts import Prompter
from remote.ssh.stop import Stop
from remote.ssh.target import SshTarget
from remote.ssh.transport import SshTransport

# paramiko logs what it also raises. Without a handler, Python would print it to standard error.
_logger = logging.getLogger("paramiko")
_logger.addHandler(logging.NullHandler())
_logger.propagate = False

_ALGORITHMS = {
    "kex": ("key exchange", "KexAlgorithms"),
    "host key": ("host key type", "HostKeyAlgorithms and HostKey"),
    "ciphers": ("cipher", "Ciphers"),
    "macs": ("message code", "MACs"),
    "compression": ("compression", "Compression"),
}


class DroppedError(Exception):
    """The connection was dropped before the login: worth another try.

    Args:
        said: the last words of a ProxyCommand.
        ending: how a ProxyCommand failed; empty: it did not.
    """

    def __init__(self, text: str, *, said: str = "", ending: str = "") -> None:
        super().__init__(f"{text}; the ProxyCommand said: {said}" if said else text)
        self.said = said
        self.ending = ending


def start_transport(
    stream: socket.socket | paramiko.Channel, target: SshTarget, known: HostKeys
) -> SshTransport:
    """A transport that is not started yet, preferring the key types that are on file."""
    transport = SshTransport(stream)
    transport.banner_timeout = target.connect_timeout_s
    # The time limit is kept below; paramiko's would be a thread for each connection.
    transport.packetizer.start_handshake = _no_timer  # type: ignore[method-assign]
    transport.auth_timeout = 60.0
    options = transport.get_security_options()
    # These need no code of their own for each packet, which paramiko computes in Python.
    options.ciphers = sorted(options.ciphers, key=lambda name: "-gcm@" not in name)
    types: list[str] = []
    on_file, has_authority = known.preferences(target.host_key_names, target.known_hosts_files)
    for kind in on_file:
        types += ["rsa-sha2-512", "rsa-sha2-256"] if kind == "ssh-rsa" else [kind]
    ours = list(options.key_types)
    options.key_types = [k for k in types if k in ours] + [k for k in ours if k not in types]
    transport.certificates_first = has_authority
    return transport


def _no_timer(timeout: float) -> None:
    return None


def shake_hands(
    transport: SshTransport,
    target: SshTarget,
    known: HostKeys,
    prompter: Prompter,
    stop: Stop,
) -> None:
    """Exchange keys and check the host key.

    Raises:
        DroppedError: the server closed the connection before it said anything of use.
        ConnectError: not an SSH server, no common algorithm, or no answer in time.
        HostKeyError: see :meth:`HostKeys.verify`.
        Cancelled: ``stop`` was set.
    """
    _exchange_keys(transport, target, stop)
    key = transport.get_remote_server_key()
    certified = is_certificate(blob_type(transport.host_blob))
    shown = Presented(
        node=target.name,
        names=target.host_key_names,
        host=target.host_key_alias or target.host_name,
        key_type=key.get_name(),
        blob=key.asbytes(),
        certificate=transport.host_blob if certified else None,
        files=target.known_hosts_files,
        revoked_file=target.revoked_keys_file,
    )
    known.verify(shown, prompter, stop)
    stop.check(target.name)
    if not transport.is_active():
        raise DroppedError("the server hung up while the host key was being looked at")


def _exchange_keys(transport: SshTransport, target: SshTarget, stop: Stop) -> None:
    done = threading.Event()
    transport.start_client(event=done)
    started = time.monotonic()
    deadline = started + target.connect_timeout_s + max(target.connect_timeout_s, 15.0)
    with stop.calling(done.set):
        # A transport that is closed from outside ends without setting the event.
        while not done.wait(0.1) and transport.is_active() and time.monotonic() < deadline:
            pass
    stop.check(target.name)
    if not transport.is_active() or not done.is_set():
        late = time.monotonic() - started >= target.connect_timeout_s * 0.95
        raise _failure(transport, target, None if late else transport.get_exception())


def _failure(transport: SshTransport, target: SshTarget, error: Exception | None) -> Exception:
    """``error`` is paramiko's; None: there was no answer in time."""
    text, place = str(error or ""), f"{target.host_name} port {target.port}"
    if isinstance(error, paramiko.ssh_exception.IncompatiblePeer):
        return _incompatible(transport, target, text)
    if text.startswith("Indecipherable protocol version"):
        return ConnectError(
            f"{place} answers, but is not an SSH server",
            node=target.name,
            remedy="Check the port in the profile or in ~/.ssh/config",
        )
    if error is None or isinstance(error, TimeoutError) or "imeout" in text:
        if target.proxy_command is not None:
            return ConnectError(
                f"no SSH server answered through the ProxyCommand within"
                f" {target.connect_timeout_s:.0f} s",
                node=target.name,
                remedy="Run ssh with this host in a terminal, and see what the command waits for",
            )
        return ConnectError(
            f"{place} takes connections, but no SSH server answered within"
            f" {target.connect_timeout_s:.0f} s",
            node=target.name,
            remedy="Check the port, and whether the node is overloaded or hangs",
        )
    if "banner" in text or isinstance(error, (EOFError, OSError)):
        return DroppedError("the server dropped the connection before the login")
    if isinstance(error, paramiko.SSHException) and "ignature" in text:
        return HostKeyError(
            "the server cannot prove that it has its host key",
            node=target.name,
            remedy="Do not connect; ask the administrator",
        )
    return ConnectError(
        f"the SSH connection to {place} failed: {text[:200] or type(error).__name__}",
        node=target.name,
        remedy="Try ssh from a terminal to see more",
    )


def _incompatible(transport: SshTransport, target: SshTarget, text: str) -> ConnectError:
    options = transport.get_security_options()
    ours = {
        "kex": options.kex,
        "host key": options.key_types,
        "ciphers": options.ciphers,
        "macs": options.digests,
        "compression": options.compression,
    }
    for word, (name, setting) in _ALGORITHMS.items():
        if word in text:
            return ConnectError(
                f"the server and Clew have no {name} in common; Clew has {', '.join(ours[word])}",
                node=target.name,
                remedy=f"Allow one of them in the node's sshd_config ({setting})",
            )
    return ConnectError(
        f"the server speaks an SSH that Clew does not: {text[:200]}",
        node=target.name,
        remedy="Update the node's SSH server",
    )
