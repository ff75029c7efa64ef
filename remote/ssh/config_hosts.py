"""Which hosts a user's ssh_config names: a list to pick nodes from. Looking runs nothing.

Patterns and negations are not hosts. No command is run, no name looked up, no server asked:
what only a command can decide (``Match exec``) is said of the host instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from remote.errors import ConnectError
from remote.ssh.config_file import ConfigFiles, ConfigLookup, FileCache, all_lines, look_up
from remote.ssh.target import check_host
from remote.ssh.tokens import expand, local_user

MAX_HOSTS = 5000


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigHost:
    """One alias, with what the files say of it; empty and None: not said."""

    alias: str
    """What to write as a node's ``host``."""
    host_name: str
    user: str = ""
    port: int | None = None
    jump: str = ""
    """Jump hosts as written; empty also where ``ProxyJump none`` switches them off."""
    proxy_command: str = ""
    identity_files: tuple[str, ...] = ()
    file: Path
    """The file that names the alias, and the line."""
    line: int
    needs_command: bool = False
    """Whether a condition that only a command can decide may change this."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigHosts:
    """All hosts in the order of the files. ``patterns`` are Host patterns, for a node of any name
    that they cover; ``problems`` are sentences about lines that are not used."""

    hosts: tuple[ConfigHost, ...] = ()
    patterns: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    read: tuple[Path, ...] = ()
    """The files that were read, included ones too; empty: this user has none."""


def list_hosts(files: ConfigFiles) -> ConfigHosts:
    """Read ``files`` and everything they include. Raises nothing, whatever is in them."""
    cache = FileCache()
    names: dict[str, None] = {}
    patterns: dict[str, None] = {}
    problems: dict[str, None] = {}
    read: dict[Path, None] = {}
    for line in all_lines(files, cache):
        read.setdefault(line.path)
        for word in line.words if line.keyword == "host" else ():
            if word.startswith("!") or word == "*":
                continue
            (patterns if "*" in word or "?" in word else names).setdefault(word)
    hosts: list[ConfigHost] = []
    account = local_user()
    for name in list(names)[:MAX_HOSTS]:
        lookup = look_up(files, name, account, {}, cache)
        problems.update(dict.fromkeys(lookup.problems))
        try:
            check_host(name, "")
        except ConnectError as error:
            problems.setdefault(error.what)
            continue
        if lookup.named_by is not None:  # else an Include above it does not apply to the name
            hosts.append(_host(lookup, lookup.named_by.path, lookup.named_by.number))
    if not names:
        problems.update(dict.fromkeys(look_up(files, "*", account, {}, cache).problems))
    return ConfigHosts(
        hosts=tuple(hosts), patterns=tuple(patterns), problems=tuple(problems), read=tuple(read)
    )


def _host(lookup: ConfigLookup, file: Path, line: int) -> ConfigHost:
    options = lookup.options
    jump = lookup.current("proxyjump", "")
    command = lookup.current("proxycommand", "")
    host_name = lookup.current("hostname", lookup.host)
    port = lookup.current("port", "")
    return ConfigHost(
        alias=lookup.host,
        host_name=expand(host_name, {"h": lookup.host, "%": "%"}),
        user=lookup.current("user", ""),
        port=int(port) if port else None,
        jump="" if jump.lower() == "none" else jump,
        proxy_command="" if command.lower() == "none" else command,
        identity_files=tuple(p for p in options.get("identityfile", ()) if p.lower() != "none"),
        file=file,
        line=line,
        needs_command=bool(lookup.commands),
    )
