"""Separates what a profile's file holds: known keys as data, unknown ones kept, wrong ones told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from remote.errors import Issue
from remote.profile.secret import SECRETS_LIVE_ELSEWHERE, is_secret
from remote.profile.shape import Shape, profile_shape, suggestion
from remote.profile.tree import ListNode, MapNode, TextNode, Tree
from remote.profile.words import printable

Place = tuple[Union[str, int], ...]
Extras = Mapping[Place, tuple[tuple[TextNode, Tree], ...]]
"""Unknown keys of each mapping; a node's place has the node's name, so it may move."""


@dataclass(slots=True)
class Sifted:
    """A file's content: ``data`` has texts, lists, mappings and None, known keys only."""

    data: dict[str, Any] = field(default_factory=dict)
    marks: dict[Place, tuple[int, int]] = field(default_factory=dict)
    extras: dict[Place, tuple[tuple[TextNode, Tree], ...]] = field(default_factory=dict)
    errors: list[Issue] = field(default_factory=list)
    warnings: list[Issue] = field(default_factory=list)

    def mark(self, place: Place) -> tuple[int, int]:
        """Line and column of what is at ``place``, or of what it is missing from."""
        while place not in self.marks and place:
            place = place[:-1]
        return self.marks.get(place, (1, 1))


def sift(tree: MapNode) -> Sifted:
    """Everything in ``tree``; keys that are close to known ones, and secrets, become errors."""
    found = Sifted()
    found.data = _mapping(tree, profile_shape(), (), found)
    return found


def dotted(place: Place) -> str:
    """``nodes.0.port``."""
    return printable(".".join(str(part) for part in place))


def _mapping(tree: MapNode, shape: Shape | None, place: Place, found: Sifted) -> dict[str, Any]:
    data: dict[str, Any] = {}
    unknown: list[tuple[TextNode, Tree]] = []
    for key, node in tree.pairs:
        where = (*place, key.text)
        found.marks[where] = (key.line, key.column)
        if shape is None or key.text in shape.keys:
            below = shape.keys[key.text] if shape else None
            value = _value(node, below, where, found)
            if value is not None or shape is None:  # an empty value means the default
                data[key.text] = value
        elif _may_be_kept(key, node, shape, place, found):
            unknown.append((key, node))
    if unknown:
        found.extras[_by_name(place, data)] = tuple(unknown)
    return data


def _value(node: Tree, shape: Shape | None, place: Place, found: Sifted) -> Any:
    if isinstance(node, MapNode):
        found.marks.setdefault(place, (node.line, node.column))
        return _mapping(node, None if shape is None or shape.each else shape, place, found)
    found.marks[place] = (node.line, node.column)
    if isinstance(node, TextNode):
        return None if node.is_null else node.text
    item_shape = Shape(shape.keys) if shape is not None and shape.each else None
    return [_value(item, item_shape, (*place, i), found) for i, item in enumerate(node.items)]


def _may_be_kept(key: TextNode, node: Tree, shape: Shape, place: Place, found: Sifted) -> bool:
    where = (*place, key.text)
    if secret := _secret_in(key, node, where):
        found.errors.append(secret)
        return False
    if meant := suggestion(key.text, shape, place):
        found.errors.append(_issue(key, where, meant))
        return False
    message = "unknown key: this version of Clew does not use it; it is kept when saved"
    found.warnings.append(_issue(key, where, message))
    return True


def _secret_in(key: TextNode, node: Tree, place: Place) -> Issue | None:
    if is_secret(key.text):
        return _issue(key, place, SECRETS_LIVE_ELSEWHERE)
    if isinstance(node, MapNode):
        below = (_secret_in(k, child, (*place, k.text)) for k, child in node.pairs)
    elif isinstance(node, ListNode):
        items = enumerate(node.items)
        below = (_secret_in(TextNode("", True, 0, 0), child, (*place, i)) for i, child in items)
    else:
        return None
    return next(filter(None, below), None)


def _by_name(place: Place, data: Mapping[str, Any]) -> Place:
    if len(place) == 2 and place[0] == "nodes":
        return ("nodes", str(data.get("name") or data.get("host") or place[1]))
    return place


def _issue(key: TextNode, place: Place, message: str) -> Issue:
    return Issue(key.line, key.column, dotted(place), message)
