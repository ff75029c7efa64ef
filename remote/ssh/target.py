"""How SSH reaches one node, with every question about config files answered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Protocol

from remote.errors import ConnectError

AddressFamily = Literal["any", "inet", "inet6"]
_UNSAFE = frozenset("'`\"$\\;&<>|(){}")
_OPTION = re.compile(r"(^|\s)-")
"""What a program would take for an option, were the text a part of its command line."""
DEFAULT_PORT = 22
DEFAULT_TIMEOUT_S = 10.0


class SshFields(Protocol):
    """What a profile may say about SSH; None: not said."""

    @property
    def port(self) -> int | None: ...
    @property
    def user(self) -> str | None: ...
    @property
    def identity_file(self) -> str | None: ...
    @property
    def jump(self) -> str | None: ...


class NodeFields(SshFields, Protocol):
    """The same for one node: ``host`` is an alias, a name or an address."""

    @property
    def host(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Fields:
    """Fields given directly, where there is no profile."""

    host: str
    name: str = ""
    port: int | None = None
    user: str | None = None
    identity_file: str | None = None
    jump: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SshTarget:
    """One machine to log in to. Equal targets may share a connection."""

    name: str
    """The node's name in the profile, for messages."""
    host_name: str
    """What is dialled: a name or an address."""
    port: int = DEFAULT_PORT
    user: str
    identity_files: tuple[str, ...] = ()
    """Key files in the order to try them, absolute paths."""
    identities_named: bool = False
    """Whether somebody named these files; otherwise they are OpenSSH's defaults."""
    identities_only: bool = False
    certificate_files: tuple[str, ...] = ()
    """Certificates to log in with, absolute paths; those beside a key file need not be named."""
    agent: str | None = None
    """Path of the agent's socket; None: no agent."""
    jump: SshTarget | None = None
    proxy_command: str | None = None
    """A command for ``/bin/sh``, with every token replaced."""
    host_key_alias: str | None = None
    known_hosts_files: tuple[str, ...] = ()
    """More known_hosts files that the config names for this host."""
    revoked_keys_file: str | None = None
    """A file of keys that the host must not show."""
    connect_timeout_s: float = DEFAULT_TIMEOUT_S
    address_family: AddressFamily = "any"

    @property
    def host_key_names(self) -> tuple[str, ...]:
        """Names to look for in known_hosts, best first (ssh_config(5), HostKeyAlias)."""
        if self.host_key_alias:
            return (self.host_key_alias,)
        if self.port == DEFAULT_PORT:
            return (self.host_name,)
        return (f"[{self.host_name}]:{self.port}", self.host_name)

    @property
    def login(self) -> str:
        """``user@host`` or ``user@host:port``, for messages."""
        host = f"[{self.host_name}]" if ":" in self.host_name else self.host_name
        port = "" if self.port == DEFAULT_PORT else f":{self.port}"
        return f"{self.user}@{host}{port}"


def check_host(host: str, node: str) -> None:
    """Refuse what is no host name and could be an option or a piece of shell.

    Raises:
        ConnectError: as OpenSSH's ``valid_hostname``.
    """
    bad = host.startswith("-") or not host or len(host) > 255
    if bad or any(c in _UNSAFE or c.isspace() or not c.isprintable() for c in host):
        raise ConnectError(
            f"{host[:80]!r} is not a host name", node=node, remedy="Correct the host in the profile"
        )


def check_user(user: str, node: str) -> None:
    """Refuse a user name that could be an option or a piece of shell. Raises ConnectError."""
    bad = not user or len(user) > 255 or user.endswith("\\") or _OPTION.search(user)
    if bad or any(c in _UNSAFE - {"\\", "$"} or not c.isprintable() for c in user):
        raise ConnectError(
            f"{user[:80]!r} is not a user name", node=node, remedy="Correct the user in the profile"
        )


def parse_jump(text: str, node: str) -> tuple[Fields, ...]:
    """Read ``[user@]host[:port]`` or ``ssh://…``, several separated by commas; ``none``: none.

    Raises:
        ConnectError: not of this form.
    """
    if text.strip().lower() == "none":
        return ()
    return tuple(_parse_hop(hop.strip(), node) for hop in text.split(","))


def _parse_hop(hop: str, node: str) -> Fields:
    rest = hop.removeprefix("ssh://").rstrip("/")
    user, at, place = rest.rpartition("@")
    if place.startswith("["):
        host, _, tail = place[1:].partition("]")
        port = tail.removeprefix(":")
    elif place.count(":") == 1:
        host, _, port = place.partition(":")
    else:
        host, port = place, ""
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ConnectError(
            f"{hop[:80]!r} is not a jump host",
            node=node,
            remedy="Write the jump host as user@host:port",
        )
    check_host(host, node)
    return Fields(host=host, port=int(port) if port else None, user=user if at else None)
