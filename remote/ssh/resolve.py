"""From what a profile says about a node to everything a connection needs to know."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast

from remote.errors import ConnectError
from remote.ssh.config_file import (
    ConfigFiles,
    KeptFiles,
    Options,
    all_lines,
    look_up,
    match_exec_files,
)
from remote.ssh.config_keywords import TOLD_WITH_OPENSSH, not_applied
from remote.ssh.config_lines import ConfigLine
from remote.ssh.openssh import OpenSshError, query
from remote.ssh.openssh_shared import SharedAnswers
from remote.ssh.target import (
    DEFAULT_PORT,
    DEFAULT_TIMEOUT_S,
    AddressFamily,
    Fields,
    NodeFields,
    SshFields,
    SshTarget,
    check_host,
    check_user,
    parse_jump,
)
from remote.ssh.tokens import expand, expand_path, local_user, token_values

T = TypeVar("T")
MAX_JUMPS = 8
_DULL = re.compile(r"[^\s\x00-\x20$\\`\"';&|<>(){}\[\]*?~#!]*")
"""Characters that mean nothing to a shell, wherever they stand."""
_DEFAULT_KEYS = ("id_ed25519", "id_ecdsa", "id_rsa")


def _never(path: Path, node: str) -> bool:
    return False


def _silent(text: str) -> None:
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigSource:
    """Which config files to read and how.

    Args:
        user_file: instead of ``~/.ssh/config``; then the system's file is not read.
        may_run_commands: asked for each file with ``Match exec`` lines, and for a node's name,
            whether its commands may be run. Where they may not, such a block does not apply.
        notice: called with a sentence about a file or a line that is not used.
        answers, kept: what OpenSSH said about other hosts, and what files held.
    """

    user_file: Path | None = None
    may_run_commands: Callable[[Path, str], bool] = _never
    notice: Callable[[str], None] = _silent
    answers: SharedAnswers = field(default_factory=SharedAnswers)
    kept: KeptFiles = field(default_factory=KeptFiles)

    def files(self) -> ConfigFiles:
        home = Path.home()
        if self.user_file is not None:
            return ConfigFiles(home=home, user=self.user_file, system=None)
        return ConfigFiles(home=home, user=home / ".ssh" / "config")


def resolve(
    node: NodeFields, defaults: SshFields | None = None, config: ConfigSource | None = None
) -> SshTarget:
    """Everything to reach ``node``. Its own fields win over the profile's, these over ssh_config.

    A jump host takes the user and the keys of its own config; where that names none, those of the
    profile. Blocks for as long as ``ssh -G`` takes, some milliseconds.

    Raises:
        ConnectError: a name that is none, or jump hosts in a circle.
    """
    fields = Fields(
        host=node.host,
        name=node.name or node.host,
        port=_first(node.port, defaults.port if defaults else None),
        user=_first(node.user, defaults.user if defaults else None),
        identity_file=_first(node.identity_file, defaults.identity_file if defaults else None),
        jump=node.jump,
    )
    if fields.jump is None and defaults is not None and defaults.jump is not None:
        # A bastion that is a node too is not reached through itself.
        hops = parse_jump(defaults.jump, fields.name)
        if all(hop.host != node.host for hop in hops):
            fields = replace(fields, jump=defaults.jump)
    return _Resolver(fields, config or ConfigSource()).target(fields, fields.user, ())


def _first(*values: T | None) -> T | None:
    return next((value for value in values if value is not None), None)


class _Resolver:
    """Resolves one node and the jump hosts before it."""

    def __init__(self, node: Fields, config: ConfigSource) -> None:
        self._node = node
        self._config = config
        self._files = config.files()
        self._home = str(self._files.home)

    def target(self, fields: Fields, user: str | None, path: tuple[str, ...]) -> SshTarget:
        """``path`` are the hosts that were reached through this one, to find circles."""
        name = self._node.name
        check_host(fields.host, name)
        if user is not None:
            check_user(user, name)
        if fields.host in path or len(path) > MAX_JUMPS:
            way = " → ".join((*path, fields.host))
            raise ConnectError(
                f"the jump hosts form a circle or are too many: {way}",
                node=name,
                remedy="Correct ProxyJump in ~/.ssh/config or jump in the profile",
            )
        options = self._options(fields)
        host = options.get("hostname", [fields.host])[0]
        host = expand(host, {"h": fields.host, "%": "%"})
        check_host(host, name)
        said = options.get("user", [None])[0]
        if user is None:
            user = said if said and said != local_user() else self._node.user or local_user()
        check_user(user, name)
        port = fields.port or int(options.get("port", [str(DEFAULT_PORT)])[0])
        alias = options.get("hostkeyalias", [""])[0]
        values = token_values(
            given=fields.host, host=host, port=port, user=user, alias=alias, home=self._home
        )
        jump, command = self._proxy(fields, options, values, path)
        return self._build(fields, options, values, jump, command)

    def _build(
        self,
        fields: Fields,
        options: Options,
        values: Mapping[str, str],
        jump: SshTarget | None,
        command: str | None,
    ) -> SshTarget:
        named = [] if fields.identity_file is None else [fields.identity_file]
        named += [path for path in options.get("identityfile", ()) if path.lower() != "none"]
        keys = [expand_path(path, values, self._home) for path in named]
        defaults = [os.path.join(self._home, ".ssh", key) for key in _DEFAULT_KEYS]
        alias = options.get("hostkeyalias", [""])[0]
        revoked = options.get("revokedhostkeys", ["none"])[0]
        timeout = options.get("connecttimeout", ["none"])[0]
        family = options.get("addressfamily", ["any"])[0].lower()
        return SshTarget(
            name=self._node.name if fields is self._node else f"{fields.host} (jump host)",
            host_name=values["h"],
            port=int(values["p"]),
            user=values["r"],
            identity_files=tuple(dict.fromkeys(keys or defaults)),
            identities_named=bool(keys) or "identityfile" in options,
            identities_only=options.get("identitiesonly", ["no"])[0].lower() in ("yes", "true"),
            certificate_files=tuple(
                expand_path(path, values, self._home)
                for path in options.get("certificatefile", ())
                if path.lower() != "none"
            ),
            agent=self._agent(options, values),
            jump=jump,
            proxy_command=command,
            host_key_alias=expand(alias, values) or None,
            known_hosts_files=self._known_hosts(options, values),
            revoked_keys_file=None if revoked.lower() == "none" else self._path(revoked, values),
            connect_timeout_s=float(timeout) if timeout not in ("none", "0") else DEFAULT_TIMEOUT_S,
            address_family=cast(AddressFamily, family) if family in ("inet", "inet6") else "any",
        )

    def _options(self, fields: Fields) -> Options:
        files = self._files
        foreign_home = self._config.user_file is None and not _is_account_home(files.home)
        refused = ""
        lines = list(all_lines(files, self._config.kept))
        asked = [path for path in match_exec_files(lines) if not self._may_run(path)]
        if not asked and not foreign_home:
            try:
                options = self._ask(fields, lines)
                self._tell_not_applied(options)
                return options
            except OpenSshError as error:
                refused = "" if error.absent else str(error)
        given: Options = {}
        if fields.user is not None:
            given["user"] = [fields.user]
        if fields.port is not None:
            given["port"] = [str(fields.port)]
        lookup = look_up(files, fields.host, local_user(), given)
        # Of a loop of Includes OpenSSH only says that there is one; what is told says where.
        if refused and not (lookup.problems and "recursive" in refused):
            self._config.notice(f"OpenSSH does not accept its config: {refused}")
        for problem in lookup.problems:
            self._config.notice(problem)
        return lookup.options

    def _ask(self, fields: Fields, lines: list[ConfigLine]) -> Options:
        user, port, config = fields.user, fields.port, self._config.user_file
        return self._config.answers.options(
            fields.host,
            given=(user, port, config),
            lines=lines,
            ask=lambda host: query(host, user=user, port=port, config=config),
        )

    def _tell_not_applied(self, options: Options) -> None:
        for keyword in TOLD_WITH_OPENSSH & options.keys():
            told = not_applied(keyword, options[keyword][0])
            if told:
                self._config.notice(f"{self._files.user}: {told} ({self._node.name})")

    def _may_run(self, path: Path) -> bool:
        if self._config.may_run_commands(path, self._node.name):
            return True
        self._config.notice(
            f"{path} has Match exec conditions; their commands are not run and their blocks"
            " do not apply"
        )
        return False

    def _proxy(
        self, fields: Fields, options: Options, values: Mapping[str, str], path: tuple[str, ...]
    ) -> tuple[SshTarget | None, str | None]:
        jump = fields.jump
        if jump is None:
            command = options.get("proxycommand", ["none"])[0]
            if command.lower() != "none":
                return None, self._command(command, values)
            jump = options.get("proxyjump", ["none"])[0]
        hops = parse_jump(expand(jump, values), self._node.name)
        before: SshTarget | None = None
        for position, hop in enumerate(hops):
            # Each hop of a list is reached through the one before it, only the first by its own
            # config: this is what `ssh -J a,b host` does.
            if position > 0:
                hop = replace(hop, jump="none")
            hop = replace(hop, identity_file=self._node.identity_file)
            found = self.target(hop, hop.user, (*path, fields.host))
            before = found if position == 0 else replace(found, jump=before)
        return before, None

    def _command(self, command: str, values: Mapping[str, str]) -> str:
        """A ProxyCommand with its tokens replaced. Raises ConnectError: a shell would read more."""
        for letter in "rnhk":
            if f"%{letter}" in command and not _DULL.fullmatch(values[letter]):
                raise ConnectError(
                    f"{values[letter][:80]!r} cannot stand in a ProxyCommand (%{letter})",
                    node=self._node.name,
                    remedy="Use a name without characters that a shell reads",
                )
        return expand(command, values)

    def _path(self, text: str, values: Mapping[str, str]) -> str:
        return expand_path(text, values, self._home)

    def _agent(self, options: Options, values: Mapping[str, str]) -> str | None:
        said = options.get("identityagent", ["SSH_AUTH_SOCK"])[0]
        if said.lower() == "none":
            return None
        if said == "SSH_AUTH_SOCK":
            return os.environ.get("SSH_AUTH_SOCK") or None
        if said.startswith("$") and not said.startswith("${"):
            return os.environ.get(said[1:]) or None
        return expand_path(said, values, self._home)

    def _known_hosts(self, options: Options, values: Mapping[str, str]) -> tuple[str, ...]:
        text = " ".join(
            options.get(keyword, [""])[0]
            for keyword in ("userknownhostsfile", "globalknownhostsfile")
        )
        return tuple(
            expand_path(path, values, self._home)
            for path in _paths(text, lambda path: expand_path(path, values, self._home))
            if path.lower() != "none"
        )


def _paths(text: str, expanded: Callable[[str], str]) -> list[str]:
    """Paths that stand without quotes between blanks, as ``ssh -G`` prints them.

    One that has blanks itself is known by there being such a file.
    """
    words, found = text.split(), []
    while words:
        together = (
            n for n in range(len(words), 1, -1) if os.path.isfile(_joined(words, n, expanded))
        )
        count = next(together, 1)
        found.append(" ".join(words[:count]))
        del words[:count]
    return found


def _joined(words: list[str], count: int, expanded: Callable[[str], str]) -> str:
    return expanded(" ".join(words[:count]))


def _is_account_home(home: Path) -> bool:
    """Whether OpenSSH, which asks the account database, sees the same home."""
    try:
        import pwd
    except ImportError:
        return True
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir) == home
    except KeyError:
        return False
