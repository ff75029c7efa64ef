"""paramiko's transport with three habits changed.

paramiko asks for the login service again before every attempt, which some servers answer by
hanging up; here it is asked for once, as RFC 4253 (section 10) has it. And what the server says
when it hangs up is kept. A host's certificate, which paramiko takes for the key in it, is kept as
well, and is asked for first only where an authority is trusted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import paramiko
from paramiko.auth_handler import AuthHandler
from paramiko.message import Message

from remote.ssh.certificates import is_certificate
from remote.ssh.prompts import clean_text

_SERVICE = "ssh-userauth"
_REST_S = 1.0
Handler = Callable[[str, str, list[tuple[str, bool]]], list[str]]


class _LoginHandler(AuthHandler):
    """Signs and sends on the caller's thread once the service has been granted."""

    transport: SshTransport

    def _request_auth(self) -> None:
        if not self.transport.service_granted:
            super()._request_auth()  # type: ignore[misc]
            return
        granted = Message()
        granted.add_string(_SERVICE)
        granted.rewind()
        self._parse_service_accept(granted)

    def _parse_service_accept(self, m: Message) -> None:
        self.transport.service_granted = True
        super()._parse_service_accept(m)  # type: ignore[misc]


class SshTransport(paramiko.Transport):
    """One SSH connection. Each ``log_in_…`` returns the methods still needed; ``[]``: done.

    They raise as paramiko's ``auth_…`` do: BadAuthenticationType, AuthenticationException, and
    SSHException, EOFError or OSError when the connection broke.
    """

    service_granted = False
    disconnect_reason = ""
    """The server's words when it hung up."""
    certificates_first = False
    """Whether to ask for the host's certificate before its plain key."""
    host_blob = b""
    """What the server showed, in wire format: its key, or a certificate."""

    @property
    def preferred_keys(self) -> tuple[str, ...]:
        """Host key algorithms in the order to ask for them, certificates too."""
        names = super().preferred_keys
        return tuple(
            sorted(names, key=lambda name: is_certificate(name) is not self.certificates_first)
        )

    def _filter_algorithm(self, type_: str) -> tuple[str, ...]:
        # paramiko leaves out what was disabled, which nothing is, and is asked 16 times.
        return tuple(getattr(self, f"_preferred_{type_}"))

    def _verify_key(self, host_key: bytes, sig: bytes) -> None:
        super()._verify_key(host_key, sig)  # type: ignore[misc]
        if self.host_blob and self.host_blob != host_key:  # at a later exchange of keys
            raise paramiko.SSHException("the server changed its host key meanwhile")
        self.host_blob = bytes(host_key)

    def rest(self) -> None:
        """Wake up less often from now on: a session may hold many connections that are idle.

        Whoever closes it has to end the stream below, or it ends up to a second later.
        """
        self.sock.settimeout(_REST_S)

    def log_in_none(self, user: str) -> list[str]:
        return self._log_in(lambda handler, event: handler.auth_none(user, event))

    def log_in_key(self, user: str, key: paramiko.PKey) -> list[str]:
        return self._log_in(lambda handler, event: handler.auth_publickey(user, key, event))

    def log_in_password(self, user: str, password: str) -> list[str]:
        return self._log_in(lambda handler, event: handler.auth_password(user, password, event))

    def log_in_interactive(self, user: str, answer: Handler) -> list[str]:
        return self._log_in(lambda handler, event: handler.auth_interactive(user, answer, event))

    def _log_in(self, begin: Callable[[AuthHandler, threading.Event], None]) -> list[str]:
        if not self.is_active():
            raise EOFError
        done = threading.Event()
        handler = _LoginHandler(self)
        self.auth_handler = handler
        begin(handler, done)
        return list(handler.wait_for_response(done))

    def _parse_debug(self, m: Message) -> None:
        """Nobody reads it; paramiko would make it printable, byte by byte."""

    def _parse_disconnect(self, m: Message) -> None:
        code, text = m.get_int(), m.get_text()
        self.disconnect_reason = clean_text(text, 200).strip() or f"code {code}"
