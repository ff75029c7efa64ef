"""``--set training.steps=500``: single values of a profile changed by their dotted key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from remote.errors import Issue, ProfileError
from remote.profile.decode import Unreadable, checked
from remote.profile.model import Profile
from remote.profile.read import build
from remote.profile.secret import SECRETS_LIVE_ELSEWHERE, is_secret
from remote.profile.shape import Shape, profile_shape, suggestion
from remote.profile.tree import ListNode, TextNode, Tree, parse
from remote.profile.words import printable
from remote.profile.write import to_data

_REPLACES = {"training.steps": "epochs", "training.epochs": "steps"}
_OPEN_MAPPINGS = ("environment.variables", "placement")


def override(profile: Profile, assignments: Sequence[str]) -> Profile:
    """``profile`` with each ``key=value`` applied, converted as the file's values are.

    An empty value is the default. Setting ``training.steps`` takes ``training.epochs`` away, and
    the other way round.

    Raises:
        ProfileError: with every issue; keys begin with ``--set`` for what was asked for here.
    """
    data = to_data(profile)
    issues: list[Issue] = []
    given: dict[str, str] = {}
    for assignment in assignments:
        key, equals, text = (part.strip() for part in assignment.partition("="))
        shown = "…" if is_secret(key) else printable(text[:40])
        given[key] = f"--set {printable(key[:80])}{equals}{shown}"
        try:
            if not equals:
                raise ValueError("must be KEY=VALUE, like training.steps=500")
            _assign(data, key, _value(text))
        except ValueError as error:
            issues.append(Issue(0, 0, given[key], str(error)))
    changed = profile
    try:
        changed = build(data)
    except ProfileError as error:
        issues += [issue._replace(key=_label(issue.key, given)) for issue in error.issues]
    if issues:
        raise ProfileError.of("", issues)
    return changed


def _assign(data: dict[str, Any], key: str, value: Any) -> None:
    *parents, last = key.split(".")
    holder: Any = data
    shape: Shape | None = profile_shape()
    place: list[str | int] = []
    for part in parents:
        holder, shape = _step(holder, shape, place, part)
    if isinstance(holder, list):
        holder[_index(last, holder)] = value
        return
    _check_key(last, shape, place)
    if value is None and ".".join(map(str, place)) != _OPEN_MAPPINGS[0]:
        holder.pop(last, None)
    else:
        holder[last] = "" if value is None else value
    if key in _REPLACES and value is not None:
        holder.pop(_REPLACES[key], None)


def _step(
    holder: Any, shape: Shape | None, place: list[str | int], part: str
) -> tuple[Any, Shape | None]:
    """The container at ``part``, made when the default stood there, and its shape."""
    if isinstance(holder, list):
        index = _index(part, holder)
        place.append(index)
        inside = holder[index]
        below = Shape(shape.keys) if shape else None
    else:
        _check_key(part, shape, place)
        place.append(part)
        below = shape.keys[part] if shape else None
        inside = holder.setdefault(part, [] if below and below.each else {})
    where = ".".join(map(str, place))
    if not isinstance(inside, (dict, list)) or (
        below is None and isinstance(inside, dict) and where not in _OPEN_MAPPINGS
    ):
        raise ValueError(f"{printable(where)} has no keys below it")
    return inside, below


def _index(part: str, items: list[Any]) -> int:
    if part.isascii() and part.isdigit() and len(part) < 6 and int(part) < len(items):
        return int(part)
    there = f"0 to {len(items) - 1}" if items else "none yet"
    raise ValueError(f"{printable(part[:40])} is not one of the numbers of this list: {there}")


def _check_key(part: str, shape: Shape | None, place: list[str | int]) -> None:
    if shape is None or part in shape.keys:
        return
    if is_secret(part):
        raise ValueError(SECRETS_LIVE_ELSEWHERE)
    known = ", ".join(shape.keys)
    raise ValueError(suggestion(part, shape, place) or f"unknown key; there are {known}")


def _value(text: str) -> Any:
    """A list, a mapping or a quoted text is read as YAML; anything else is the text itself."""
    if text in ("", "~", "null"):
        return None
    if text[0] not in "[{\"'":
        return text
    try:
        return _data(parse(checked(text)))
    except Unreadable as error:
        raise ValueError("; ".join(issue.message for issue in error.issues)) from None


def _data(tree: Tree) -> Any:
    if isinstance(tree, TextNode):
        return None if tree.is_null else tree.text
    if isinstance(tree, ListNode):
        return [_data(item) for item in tree.items]
    return {key.text: _data(node) for key, node in tree.pairs}


def _label(key: str, given: Mapping[str, str]) -> str:
    for asked, label in given.items():
        if key == asked:
            return label
        if key.startswith(f"{asked}."):
            return f"{label}: {key[len(asked) + 1 :]}"
    return key
