"""Clew's own reading of ssh_config files, for where OpenSSH is absent or refuses the file.

Runs nothing: a ``Match exec`` condition never holds here. One bad line costs one line, and every
part that is not understood is a problem with its file and line. See ssh_config(5).
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from remote.ssh.config_keywords import ADDS_UP, EXCLUDE, WHOLE_LINE, is_used, needs_value, wrong
from remote.ssh.config_lines import ConfigLine, read_lines
from remote.ssh.patterns import matches_list

Options = dict[str, list[str]]
"""Values by keyword in lower case; several only where a keyword adds up."""

MAX_DEPTH = 16
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigFiles:
    """Where a user's and the system's files are, and what ``~`` means."""

    home: Path
    user: Path
    system: Path | None = Path("/etc/ssh/ssh_config")


class FileCache:
    """The lines of files, each read once: for looking up many hosts at one moment."""

    def __init__(self) -> None:
        self._known: dict[Path, list[ConfigLine] | OSError] = {}

    def lines(self, path: Path) -> list[ConfigLine]:
        """As :func:`read_lines`; raises the same OSError each time."""
        found = self._known.get(path)
        if found is None:
            try:
                found = read_lines(path)
            except OSError as error:
                found = error
            self._known[path] = found
        if isinstance(found, OSError):
            raise found
        return found


class KeptFiles(FileCache):
    """The same for as long as it is needed: a file that has changed is read again."""

    def __init__(self) -> None:
        super().__init__()
        self._versions: dict[Path, tuple[int, ...]] = {}

    def lines(self, path: Path) -> list[ConfigLine]:
        try:
            status = os.stat(path)
        except OSError:
            version: tuple[int, ...] = ()
        else:
            version = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if not version or self._versions.get(path) != version:
            self._known.pop(path, None)
            self._versions[path] = version
        return super().lines(path)


@dataclass(kw_only=True)
class ConfigLookup:
    """Options of one host, as :func:`look_up` found them, and what was wrong with the files."""

    host: str
    local_user: str
    options: Options = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    commands: list[ConfigLine] = field(default_factory=list)
    """``Match exec`` lines that were met and not run."""
    named_by: ConfigLine | None = None
    """The first Host line that applies and has this very name among its patterns."""
    final: bool = False
    """Whether the files are being read a second time (``Match final``)."""
    wants_final: bool = False

    def current(self, keyword: str, default: str) -> str:
        return self.options.get(keyword, [default])[0]


def look_up(
    files: ConfigFiles,
    host: str,
    local_user: str,
    given: Options,
    cache: FileCache | None = None,
) -> ConfigLookup:
    """Read both files for ``host``. ``given`` are options that win over the files."""
    lookup = ConfigLookup(host=host, local_user=local_user)
    lookup.options.update({key: list(values) for key, values in given.items()})
    lines = cache or FileCache()
    for lookup.final in (False, True):
        if lookup.final and not lookup.wants_final:
            break
        _Reader(files.home, files.home / ".ssh", lookup, lines).read(files.user, 0, True, False)
        if files.system is not None:
            folder = files.system.parent
            _Reader(files.home, folder, lookup, lines).read(files.system, 0, True, False)
    return lookup


def match_exec_files(lines: Iterable[ConfigLine]) -> list[Path]:
    """The files that hold a ``Match exec`` line. Runs nothing."""
    return list(dict.fromkeys(line.path for line in lines if runs_command(line)))


def all_lines(files: ConfigFiles, cache: FileCache | None = None) -> Iterator[ConfigLine]:
    """Every line of both files and of all that they may include, each file once."""
    seen: set[Path] = set()
    lines = cache or FileCache()
    yield from _scan(files.user, files.home / ".ssh", files.home, seen, 0, lines)
    if files.system is not None:
        yield from _scan(files.system, files.system.parent, files.home, seen, 0, lines)


def _scan(
    path: Path, folder: Path, home: Path, seen: set[Path], depth: int, lines: FileCache
) -> Iterator[ConfigLine]:
    if path in seen or depth > MAX_DEPTH:
        return
    seen.add(path)
    try:
        found = lines.lines(path)
    except OSError:
        return
    for line in found:
        yield line
        if line.keyword == "include":
            for child in _included(line, folder, home):
                yield from _scan(child, folder, home, seen, depth + 1, lines)


def runs_command(line: ConfigLine) -> bool:
    """Whether it is a ``Match exec`` line, or one that cannot be read here and may be for ssh."""
    if line.keyword != "match":
        return False
    if line.problem:
        return "exec" in line.words[0].lower()
    return any(word.lower().lstrip("!").partition("=")[0] == "exec" for word in line.words)


def _included(line: ConfigLine, folder: Path, home: Path) -> Iterator[Path]:
    for word in line.words:
        word = _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), word)
        text = str(home) + word[1:] if word == "~" or word.startswith("~/") else word
        pattern = text if os.path.isabs(text) else os.path.join(glob.escape(str(folder)), text)
        yield from map(Path, sorted(glob.glob(pattern)))


class _Reader:
    """Reads one file and what it includes into a lookup."""

    def __init__(self, home: Path, folder: Path, lookup: ConfigLookup, lines: FileCache) -> None:
        self._home = home
        self._folder = folder
        self._lookup = lookup
        self._lines = lines
        self._reading: list[Path] = []
        """Outermost first. A loop of two files that both include both would double 16 times."""

    def read(self, path: Path, depth: int, active: bool, never: bool) -> None:
        try:
            lines = self._lines.lines(path)
        except FileNotFoundError:
            return
        except OSError as error:
            self._report(f"{path}: {error.strerror or error}")
            return
        self._reading.append(path)
        self._take(lines, depth, active, never)
        self._reading.pop()

    def _take(self, lines: list[ConfigLine], depth: int, active: bool, never: bool) -> None:
        for line in lines:
            if line.problem:
                self._problem(line, line.problem)
            elif line.keyword == "host":
                active = not never and matches_list(self._lookup.host, line.words)
                self._note_name(line, active)
            elif line.keyword == "match":
                active = not never and self._match(line)
            elif line.keyword == "include":
                self._include(line, depth, active)
            elif active:
                self._set(line)

    def _problem(self, line: ConfigLine, text: str) -> None:
        self._report(f"{line.path}: line {line.number}: {text}")

    def _report(self, text: str) -> None:
        if text not in self._lookup.problems:
            self._lookup.problems.append(text)

    def _note_name(self, line: ConfigLine, active: bool) -> None:
        if active and self._lookup.named_by is None and self._lookup.host in line.words:
            self._lookup.named_by = line

    def _include(self, line: ConfigLine, depth: int, active: bool) -> None:
        if depth >= MAX_DEPTH:
            self._report(f"{line.path}: includes files more than {MAX_DEPTH} deep")
            return
        for path in _included(line, self._folder, self._home):
            if path in self._reading:
                self._problem(line, f"this Include leads back to {path} and is left out")
            else:
                self.read(path, depth + 1, active, not active)

    def _set(self, line: ConfigLine) -> None:
        keyword, options = line.keyword, self._lookup.options
        if not line.words or not line.words[0]:
            if needs_value(keyword):
                self._problem(line, f"{keyword.title()} has no value")
            return
        value = " ".join(line.words) if keyword in WHOLE_LINE else line.words[0]
        problem = wrong(keyword, value)
        if problem:
            self._problem(line, problem)
        elif not is_used(keyword):
            return
        elif keyword in ADDS_UP:
            values = options.setdefault(keyword, [])
            if value not in values:
                values.append(value)
        elif EXCLUDE.get(keyword) not in options:
            options.setdefault(keyword, [value])

    def _match(self, line: ConfigLine) -> bool:
        """Whether all criteria of a Match line hold."""
        words = [piece for word in line.words for piece in _criterion(word)]
        while words:
            name = words.pop(0).lower()
            negated, name = name.startswith("!"), name.lstrip("!")
            if name == "all":
                holds = True
            elif name in ("canonical", "final"):
                holds = self._lookup.final
                self._lookup.wants_final |= name == "final"
            else:
                holds = self._criterion(line, name, words.pop(0) if words else "")
                if name not in _CRITERIA:
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
            if line not in lookup.commands:
                lookup.commands.append(line)
            return False
        if name not in texts:
            self._problem(line, f"Match {name[:40]} is not understood; its block does not apply")
            return False
        return matches_list(texts[name], argument.split(","))


_CRITERIA = ("host", "originalhost", "user", "localuser")


def _criterion(word: str) -> list[str]:
    """A criterion and its argument may be written as one word: ``host=gpu01``."""
    name, equals, argument = word.partition("=")
    known = (*_CRITERIA, "exec", "localnetwork", "tagged", "version", "sessiontype", "command")
    return [name, argument] if equals and name.lower().lstrip("!") in known else [word]
