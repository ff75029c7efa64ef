"""paramiko's transport with two habits changed.

paramiko asks for the login service again before every attempt, which some servers answer by
hanging up; here it is asked for once, as RFC 4253 (section 10) has it. And what the server says
when it hangs up is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import paramiko
from paramiko.auth_handler import AuthHandler
from paramiko.message import Message

from remote.ssh.prompts import clean_text

_SERVICE = "ssh-userauth"
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

    def _parse_disconnect(self, m: Message) -> None:
        code, text = m.get_int(), m.get_text()
        self.disconnect_reason = clean_text(text, 200).strip() or f"code {code}"
