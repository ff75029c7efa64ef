"""``clew hosts``: the hosts of ~/.ssh/config, and a profile made of some of them."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.table import Table
from rich.text import Text

from remote.cli import jsonlines
from remote.cli.environment import GOOD, Environment
from remote.cli.text import plain
from remote.cli.view import JsonView, Terminal
from remote.errors import ProfileError
from remote.profile import build, save
from remote.ssh import ConfigHost, ConfigHosts, ConfigSource, list_hosts
from remote.ssh.config_lines import read_lines
from remote.ssh.patterns import matches_list


def hosts(env: Environment) -> int:
    """List the hosts, or with ``--save`` write a profile whose nodes they are. Runs nothing."""
    arguments = env.arguments
    if arguments.config is not None:
        _check_readable(arguments.config)
    found = list_hosts(ConfigSource(user_file=arguments.config).files())
    chosen = _chosen(found, arguments.host)
    for problem in found.problems:
        env.view.say(f"Warning: {problem}")
    if arguments.save is not None:
        _save(chosen, arguments.save)
        if arguments.config is not None:
            env.view.say(
                f"Nodes are looked up in ~/.ssh/config: let it have an Include of"
                f" {arguments.config.absolute()}."
            )
    if isinstance(env.view, JsonView):
        for host in chosen:
            env.view.write(_object(host))
        env.view.write({"type": "result", "state": "ok", "hosts": len(chosen)})
    elif arguments.save is not None:
        env.view.say(f"{arguments.save} has {_count(len(chosen))}: clew check {arguments.save}")
    else:
        _print(chosen, found, str(ConfigSource(user_file=arguments.config).files().user))
    return GOOD


def _check_readable(path: Path) -> None:
    """Raises ProfileError: a file that was named cannot be read; OpenSSH's may be missing."""
    try:
        read_lines(path)
    except OSError as error:
        raise ProfileError(
            f"{path} cannot be read: {(error.strerror or str(error)).lower()}",
            remedy="Name an SSH configuration file.",
        ) from None


def _chosen(found: ConfigHosts, wanted: list[str]) -> list[ConfigHost]:
    """The hosts that ``wanted`` covers; empty: all. Raises ProfileError: a word covers none."""
    for word in wanted:
        if not word.startswith("!") and not any(
            matches_list(host.alias, [word]) for host in found.hosts
        ):
            raise ProfileError(
                f"no host of the SSH configuration is named like {word}",
                remedy="See them all: clew hosts.",
            )
    if wanted and all(word.startswith("!") for word in wanted):
        wanted = ["*", *wanted]  # all but these
    return [host for host in found.hosts if not wanted or matches_list(host.alias, wanted)]


def _save(chosen: list[ConfigHost], path: Path) -> None:
    """Raises ProfileError: there is such a file, or no host to put into it."""
    if path.exists():
        raise ProfileError(f"{path} is there already", remedy="Choose another name.")
    if not chosen:
        raise ProfileError("there is no host to make a profile of", remedy="See: clew hosts.")
    name = path.name.removesuffix(".yaml").removesuffix(".yml")
    save(build({"name": name, "nodes": [{"host": host.alias} for host in chosen]}), path, None)


def _print(chosen: list[ConfigHost], found: ConfigHosts, file: str) -> None:
    if not chosen:
        if found.hosts:
            what = "None of the hosts is left"
        elif Path(file).exists():
            what = f"{file} names no hosts"
        else:
            what = f"There is no {file}"
        print(plain(f"{what}. Write the host names into the profile instead."))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("host", "address", "user", "port", "through", "from"):
        table.add_column(title, no_wrap=True)
    for host in chosen:
        table.add_row(*(Text(plain(cell)) for cell in _row(host)))
    Terminal(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
    if any(host.needs_command for host in chosen):
        print("* depends on conditions that a command decides; clew asks before it runs one.")
    if found.patterns:
        print(plain(f"Patterns, for nodes of any such name: {', '.join(found.patterns)}"))


def _row(host: ConfigHost) -> tuple[str, ...]:
    through = host.jump or ("ProxyCommand" if host.proxy_command else "")
    star = " *" if host.needs_command else ""
    port = "" if host.port is None else str(host.port)
    place = f"{host.file}:{host.line}"
    return (host.alias + star, host.host_name, host.user, port, through, place)


def _object(host: ConfigHost) -> jsonlines.Object:
    return {
        "type": "host",
        "host": host.alias,
        "host_name": host.host_name,
        "user": host.user or None,
        "port": host.port,
        "jump": host.jump or None,
        "proxy_command": host.proxy_command or None,
        "identity_files": list(host.identity_files),
        "file": str(host.file),
        "line": host.line,
        "needs_command": host.needs_command,
    }


def _count(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"
