"""From a profile's text to a :class:`Profile`, with every problem at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from remote.errors import Issue, ProfileError
from remote.profile.decode import Unreadable, checked, decode
from remote.profile.model import VERSION, Profile, problems_of
from remote.profile.shape import VERSION_KEY, profile_shape, suggestion
from remote.profile.sift import Extras, Place, Sifted, dotted, sift
from remote.profile.tree import MapNode, TextNode, Tree, parse
from remote.profile.words import printable, show

_MOST_ISSUES = 1000
MINIMAL = """\
clew: 1
nodes: [gpu001]
training: {dataset: {name: mnist, path: ~/data/mnist}}"""
"""What an empty file could become."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A profile with what its file held besides: give it back when saving."""

    profile: Profile
    path: Path | None = None
    """None: it was not read from a file."""
    read_only: bool = False
    """Made by a newer Clew: it can be used, and never be saved."""
    warnings: tuple[Issue, ...] = ()
    extras: Extras = field(default_factory=dict)
    """Unknown keys, as they were written."""
    newline: str = "\n"
    backup: Path | None = None
    """Where saving has put the file as it was, when it had comments or was no profile."""


def loads(source: str | bytes, name: str = "profile", *, encoding: str | None = None) -> Loaded:
    """Read a profile.

    Args:
        source: YAML; bytes are UTF-8, or UTF-16 or UTF-32 by their mark, or ``encoding``.
        name: what messages call it, such as ``lab.yaml``.

    Raises:
        ProfileError: with every issue found.
    """
    try:
        text = decode(source, encoding) if isinstance(source, bytes) else checked(source)
        tree = parse(text)
        if not isinstance(tree, MapNode):
            given = "a list" if not isinstance(tree, TextNode) else show(tree.text)
            message = f'is not a profile: it must begin with keys like "clew: 1", not with {given}'
            raise Unreadable(Issue(tree.line, tree.column, "", message))
        if not tree.pairs:
            message = f"the profile is empty; a small one looks like this:\n{MINIMAL}"
            raise Unreadable(Issue(tree.line, tree.column, VERSION_KEY, message))
        loaded = _profile(tree)
    except Unreadable as error:
        raise ProfileError.of(printable(name), error.issues[:_MOST_ISSUES]) from None
    newline = "\r\n" if "\r\n" in text else "\n"
    return Loaded(**{**_fields(loaded), "newline": newline})


def build(data: Mapping[str, Any], name: str = "") -> Profile:
    """A profile from plain data such as a form's, keys as in the file and without the version.

    Values may be texts, as in the file, or have their types; None is the default.

    Raises:
        ProfileError: with every issue; none has a line.
    """
    profile, problems = _validated(_without_nulls(data))
    if profile is None or problems:
        issues = [Issue(0, 0, dotted(place), message) for place, message in problems]
        raise ProfileError.of(printable(name), issues)
    return profile


def _without_nulls(value: Any, key: str = "") -> Any:
    """As an empty value in a file means the default; a variable's value is no such place."""
    if isinstance(value, Mapping) and key != "variables":
        return {k: _without_nulls(v, k) for k, v in value.items() if v is not None}
    return [_without_nulls(v) for v in value] if isinstance(value, (list, tuple)) else value


def _fields(loaded: Loaded) -> dict[str, Any]:
    return {name: getattr(loaded, name) for name in Loaded.__slots__}


def _profile(tree: MapNode) -> Loaded:
    version, issues = _version(tree)
    newer = version > VERSION
    rest = tuple((key, node) for key, node in tree.pairs if key.text != VERSION_KEY)
    if any(issue.key == VERSION_KEY for issue in issues):
        rest = tuple((key, node) for key, node in rest if key.text != "version")
    found = sift(MapNode(rest, tree.line, tree.column))
    if newer:
        message = f"made by a newer Clew, version {version}: opened read-only"
        mark = next((k for k, _ in tree.pairs if k.text == VERSION_KEY), None)
        line, column = (mark.line, mark.column) if mark else (1, 1)
        return _lenient(found, Issue(line, column, VERSION_KEY, message))
    profile, problems = _validated(found.data)
    issues += found.errors + [_located(found, *problem) for problem in problems]
    if profile is None or issues:
        raise Unreadable(*issues)
    warnings = list(found.warnings)
    if not profile.nodes and profile.cluster.slurm is None:
        message = "there are no nodes yet: add at least one before you launch"
        warnings.append(Issue(*found.mark(("nodes",)), "nodes", message))
    return Loaded(profile, warnings=tuple(warnings), extras=found.extras)


def _version(tree: MapNode) -> tuple[int, list[Issue]]:
    pairs: dict[str, tuple[TextNode, Tree]] = {key.text: (key, node) for key, node in tree.pairs}
    if VERSION_KEY not in pairs:
        message = f"the version of the format is missing: add {VERSION_KEY}: {VERSION}"
        line, column = tree.line, tree.column
        if "version" in pairs:
            message = f"the version is written {VERSION_KEY}: {VERSION}, not version"
            line, column = pairs["version"][0].line, pairs["version"][0].column
        return VERSION, [Issue(line, column, VERSION_KEY, message)]
    key, node = pairs[VERSION_KEY]
    text = node.text.strip() if isinstance(node, TextNode) else ""
    if re.fullmatch("[0-9]{1,9}", text) and int(text) >= 1:
        return int(text), []
    given = show(node.text) if isinstance(node, TextNode) else "a list or a mapping"
    message = f"must be the version of the format, {VERSION_KEY}: {VERSION}, not {given}"
    return VERSION, [Issue(key.line, key.column, VERSION_KEY, message)]


def _validated(data: Mapping[str, Any]) -> tuple[Profile | None, list[tuple[Place, str]]]:
    try:
        return Profile.model_validate(dict(data)), []
    except ValidationError as error:
        return None, [(place, _better(place, text)) for place, text in problems_of(error)]


def _better(place: Place, message: str) -> str:
    """An unknown key with what it was meant to be (only data of a program can still have one)."""
    if message != "unknown key" or not place:
        return message
    shape = profile_shape()
    for part in place[:-1]:
        shape = (shape.keys.get(part) if isinstance(part, str) else shape) or shape
    return suggestion(str(place[-1]), shape, place[:-1]) or message


def _located(found: Sifted, place: Place, message: str) -> Issue:
    return Issue(*found.mark(place), dotted(place), message)


def _lenient(found: Sifted, first: Issue) -> Loaded:
    """What of a newer profile this version understands; what it does not is left out."""
    warnings = [first]
    while True:
        profile, problems = _validated(found.data)
        if profile is not None:
            return Loaded(profile, read_only=True, warnings=tuple(warnings))
        for place, message in problems:
            warnings.append(_located(found, place, f"{message}; left out"))
        if not _remove(found.data, {place for place, _ in problems}):
            found.data.clear()


def _remove(data: dict[str, Any], places: set[Place]) -> bool:
    """Take out what stands at ``places``, or the innermost thing that holds it."""
    removed = False
    for place in sorted(places, key=lambda p: [(isinstance(x, int), x) for x in p], reverse=True):
        holder: Any = data
        path: list[tuple[Any, Any]] = []
        for part in place:
            inside = isinstance(holder, dict) and part in holder
            if not inside and not (isinstance(holder, list) and part in range(len(holder))):
                break
            path.append((holder, part))
            holder = holder[part]
        if path:
            container, part = path[-1]
            del container[part]
            removed = True
    return removed
