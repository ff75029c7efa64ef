"""A key that is named for a host is tried before the server is asked what it takes."""

from __future__ import annotations

import socket
from pathlib import Path

import paramiko
import pytest
from paramiko.common import AUTH_FAILED, AUTH_SUCCESSFUL

from remote.errors import AuthError
from remote.ssh import HostKeys, SshTarget
from tests.support.ssh import Desk, Recorder, always
from tests.support.sshd import make_key
from tests.support.tcp import listening


class Server(paramiko.ServerInterface):
    """Takes one key, or one password and no key at all, and keeps what it was asked."""

    def __init__(self, key: str | None, password: str) -> None:
        self.asked: list[str] = []
        self._key = key
        self._password = password
        self._host_key = paramiko.ECDSAKey.generate()

    def serve(self, connection: socket.socket, number: int) -> None:
        transport = paramiko.Transport(connection)
        transport.add_server_key(self._host_key)
        transport.start_server(server=self)
        transport.join()

    def known_hosts(self, folder: Path, port: int) -> Path:
        path = folder / "known"
        line = f"[127.0.0.1]:{port} {self._host_key.get_name()} {self._host_key.get_base64()}\n"
        path.write_text(line)
        return path

    def get_allowed_auths(self, username: str) -> str:
        return "password" if self._key is None else "publickey,password"

    def check_auth_none(self, username: str) -> int:
        self.asked.append("none")
        return AUTH_FAILED

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        self.asked.append("key")
        return AUTH_SUCCESSFUL if key.get_base64() == self._key else AUTH_FAILED

    def check_auth_password(self, username: str, password: str) -> int:
        self.asked.append("password")
        return AUTH_SUCCESSFUL if password == self._password else AUTH_FAILED


def connect(server: Server, folder: Path, *keys: Path, typed: str = "") -> Desk:
    with listening(server.serve) as port:
        known = HostKeys(folder / "own", extra=[server.known_hosts(folder, port)], openssh=())
        desk = Desk(known, Recorder(always(typed)))
        to = SshTarget(
            name="site",
            host_name="127.0.0.1",
            port=port,
            user="ana",
            identity_files=tuple(map(str, keys)),
            identities_named=True,
        )
        connector = desk.connector(to)
        try:
            connector.connect()
        finally:
            connector.close()
    return desk


@pytest.fixture
def key(weird_path: Path) -> Path:
    return make_key(weird_path / "lab")


def blob(key: Path) -> str:
    return Path(f"{key}.pub").read_text().split()[1]


def test_that_the_right_key_is_all_that_is_said(weird_path: Path, key: Path) -> None:
    server = Server(blob(key), "")
    connect(server, weird_path, key)
    assert server.asked == ["key"]


def test_that_after_a_wrong_key_the_others_are_tried_once_each(weird_path: Path, key: Path) -> None:
    server = Server(blob(key), "")
    connect(server, weird_path, make_key(weird_path / "other"), key)
    assert server.asked == ["key", "none", "key"]


def test_that_where_no_key_is_taken_the_password_is_asked_for_once(
    weird_path: Path, key: Path
) -> None:
    server = Server(None, "right")
    desk = connect(server, weird_path, key, typed="right")
    assert server.asked == ["key", "none", "password"]
    assert len(desk.prompter.secrets) == 1


def test_that_a_key_that_no_one_asked_for_is_not_among_what_was_refused(
    weird_path: Path, key: Path
) -> None:
    server = Server(None, "right")
    with pytest.raises(AuthError, match="key: not offered by the server") as caught:
        connect(server, weird_path, key, typed="wrong")
    assert "key lab" not in caught.value.what
