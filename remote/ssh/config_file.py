"""Clew's own reading of ssh_config files, for where OpenSSH is absent or refuses the file.

Runs nothing: a ``Match exec`` condition never holds here. One bad line costs one line. See
ssh_config(5) for the meaning of each keyword.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from remote.ssh.config_lines import ConfigLine, read_lines
from remote.ssh.patterns import matches, matches_list

Options = dict[str, list[str]]
"""Values by keyword in lower case; several only where a keyword adds up."""

MAX_DEPTH = 16
_ADDS_UP = frozenset({"identityfile", "certificatefile"})
_WHOLE_LINE = frozenset({"userknownhostsfile", "globalknownhostsfile"})
_EXCLUDE = {"proxyjump": "proxycommand", "proxycommand": "proxyjump"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigFiles:
    """Where a user's and the system's files are, and what ``~`` means."""

    home: Path
    user: Path
    system: Path | None = Path("/etc/ssh/ssh_config")


@dataclass(kw_only=True)
class ConfigLookup:
    """Options of one host, as :func:`look_up` found them, and what was wrong with the files."""

    host: str
    local_user: str
    options: Options = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    commands: list[ConfigLine] = field(default_factory=list)
    """``Match exec`` lines that were met and not run."""

    def current(self, keyword: str, default: str) -> str:
        return self.options.get(keyword, [default])[0]


def look_up(files: ConfigFiles, host: str, local_user: str, given: Options) -> ConfigLookup:
    """Read both files for ``host``. ``given`` are options that win over the files."""
    lookup = ConfigLookup(host=host, local_user=local_user)
    lookup.options.update({key: list(values) for key, values in given.items()})
    _Reader(files.home, files.home / ".ssh", lookup).read(files.user, 0, True, False)
    if files.system is not None:
        _Reader(files.home, files.system.parent, lookup).read(files.system, 0, True, False)
    return lookup


def match_exec_files(files: ConfigFiles) -> list[Path]:
    """The files, included ones too, that hold a ``Match exec`` line. Runs nothing."""
    found: list[Path] = []
    for path, folder in ((files.user, files.home / ".ssh"), (files.system, Path("/etc/ssh"))):
        if path is not None:
            _scan(path, folder, files.home, found, set(), 0)
    return found


def _scan(
    path: Path, folder: Path, home: Path, found: list[Path], seen: set[Path], depth: int
) -> None:
    if path in seen or depth > MAX_DEPTH:
        return
    seen.add(path)
    try:
        lines = read_lines(path)
    except OSError:
        return
    for line in lines:
        if line.keyword == "match" and _has_exec(line) and path not in found:
            found.append(path)
        elif line.keyword == "include":
            for child in _included(line, folder, home):
                _scan(child, folder, home, found, seen, depth + 1)


def _has_exec(line: ConfigLine) -> bool:
    return any(
        word.lower().lstrip("!").partition("=")[0] in ("exec", "localnetwork")
        for word in line.words
    )


def _included(line: ConfigLine, folder: Path, home: Path) -> Iterator[Path]:
    for word in line.words:
        text = str(home) + word[1:] if word == "~" or word.startswith("~/") else word
        pattern = text if os.path.isabs(text) else os.path.join(glob.escape(str(folder)), text)
        yield from map(Path, sorted(glob.glob(pattern)))


class _Reader:
    """Reads one file and what it includes into a lookup."""

    def __init__(self, home: Path, folder: Path, lookup: ConfigLookup) -> None:
        self._home = home
        self._folder = folder
        self._lookup = lookup

    def read(self, path: Path, depth: int, active: bool, never: bool) -> None:
        try:
            lines = read_lines(path)
        except FileNotFoundError:
            return
        except OSError as error:
            self._lookup.problems.append(f"{path}: {error.strerror or error}")
            return
        for line in lines:
            if line.problem:
                self._problem(line, line.problem)
            elif line.keyword == "host":
                active = not never and matches_list(self._lookup.host, line.words)
            elif line.keyword == "match":
                active = not never and self._match(line)
            elif line.keyword == "include":
                self._include(line, depth, active)
            elif active:
                self._set(line)

    def _problem(self, line: ConfigLine, text: str) -> None:
        self._lookup.problems.append(f"{line.path}: line {line.number}: {text}")

    def _include(self, line: ConfigLine, depth: int, active: bool) -> None:
        if depth >= MAX_DEPTH:
            text = f"{line.path}: includes files more than {MAX_DEPTH} deep"
            if text not in self._lookup.problems:
                self._lookup.problems.append(text)
            return
        for path in _included(line, self._folder, self._home):
            self.read(path, depth + 1, active, not active)

    def _set(self, line: ConfigLine) -> None:
        keyword, options = line.keyword, self._lookup.options
        if keyword not in _CHECKS:
            return
        if not line.words or not line.words[0]:
            self._problem(line, f"{keyword.title()} has no value")
            return
        value = " ".join(line.words) if keyword in _WHOLE_LINE else line.words[0]
        wrong = _CHECKS[keyword](value)
        if wrong:
            self._problem(line, wrong)
        elif keyword in _ADDS_UP:
            options.setdefault(keyword, []).append(value)
        elif _EXCLUDE.get(keyword) not in options:
            options.setdefault(keyword, [value])

    def _match(self, line: ConfigLine) -> bool:
        """Whether all criteria of a Match line hold."""
        words = [piece for word in line.words for piece in _criterion(word)]
        while words:
            name = words.pop(0).lower()
            negated, name = name.startswith("!"), name.lstrip("!")
            if name in ("all", "final"):
                holds = True
            elif name == "canonical":
                holds = False
            else:
                holds = self._criterion(line, name, words.pop(0) if words else "")
                if name in ("exec", "localnetwork", "tagged", "version"):
                    negated = False  # not known: the block does not apply either way
            if holds == negated:
                return False
        return bool(line.words)

    def _criterion(self, line: ConfigLine, name: str, argument: str) -> bool:
        lookup = self._lookup
        texts = {
            "host": lookup.current("hostname", lookup.host).replace("%h", lookup.host),
            "originalhost": lookup.host,
            "user": lookup.current("user", lookup.local_user),
            "localuser": lookup.local_user,
        }
        if name == "exec":
            lookup.commands.append(line)
            return False
        return name in texts and matches_list(texts[name], argument.split(","))


def _criterion(word: str) -> list[str]:
    name, equals, argument = word.partition("=")
    known = ("host", "originalhost", "user", "localuser", "exec")
    return [name, argument] if equals and name.lower().lstrip("!") in known else [word]


def _port(value: str) -> str:
    good = value.isascii() and value.isdigit() and 0 < int(value) < 65536
    return "" if good else f"{value!r} is not a port"


def _yes_no(value: str) -> str:
    good = value.lower() in ("yes", "no", "true", "false")
    return "" if good else f"{value!r} is neither yes nor no"


def _timeout(value: str) -> str:
    good = value == "none" or (value.isascii() and value.isdigit())
    return "" if good else f"{value!r} is not a number of seconds"


def _family(value: str) -> str:
    known = any(matches(value, name) for name in ("any", "inet", "inet6"))
    return "" if known else f"{value!r} is not an address family"


def _anything(value: str) -> str:
    return ""


_CHECKS: dict[str, Callable[[str], str]] = {
    "hostname": _anything,
    "user": _anything,
    "port": _port,
    "identityfile": _anything,
    "identitiesonly": _yes_no,
    "identityagent": _anything,
    "proxyjump": _anything,
    "proxycommand": _anything,
    "hostkeyalias": _anything,
    "connecttimeout": _timeout,
    "addressfamily": _family,
    "userknownhostsfile": _anything,
    "globalknownhostsfile": _anything,
}
