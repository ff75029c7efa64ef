"""YAML text as a tree in which every value is still text and knows its line and column.

Nothing is guessed from how a value looks: what ``on``, ``0123`` or ``22:22`` mean is decided by
the field they are given to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Union

import yaml

from remote.errors import Issue
from remote.profile.decode import Unreadable, lines
from remote.profile.syntax import blanked, explain
from remote.profile.words import printable, show

MAX_DEPTH = 32
_MOST_REPAIRS = 20
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class TextNode:
    """A value; ``plain``: written without quotes."""

    text: str
    plain: bool
    line: int
    column: int

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in _NULLS


@dataclass(frozen=True, slots=True)
class ListNode:
    items: tuple[Tree, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class MapNode:
    pairs: tuple[tuple[TextNode, Tree], ...]
    line: int
    column: int


Tree = Union[TextNode, ListNode, MapNode]


def parse(text: str) -> Tree:
    """The tree of one YAML document; an empty document is an empty mapping.

    Raises:
        Unreadable: not YAML, or YAML that has no place in a profile (tags, aliases, duplicate
            keys, several documents, too deep), with every place at once.
    """
    repaired, issues = text, list[Issue]()
    for _ in range(_MOST_REPAIRS):
        builder = _Builder(repaired)
        try:
            tree = builder.document()
        except yaml.MarkedYAMLError as error:
            issue = explain(error, lines(repaired))
            issues.append(issue)
            following = blanked(repaired, issue)
            if following is None:
                break
            repaired = following  # go on behind the value that needs quotes
        except yaml.YAMLError:
            issues.append(Issue(1, 1, "", "is not a text file"))
            break
        except (ValueError, OverflowError):  # PyYAML's own, from a number that is no character
            message = "an escape from here on names no character; write two backslashes for one"
            issues.append(Issue(builder.line, 1, "", message))
            break
        else:
            issues += builder.issues
            if not issues:
                return tree
            break
    raise Unreadable(*issues)


class _Builder:
    """Builds the tree from the parser's events; collects what has no place in a profile."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=yaml.SafeLoader))
        self.issues: list[Issue] = []
        self.line = 1
        """Where the last event began."""

    def document(self) -> Tree:
        next(self._events)  # stream start
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return MapNode((), 1, 1)
        tree = self._node(next(self._events), 1, ())
        next(self._events)  # document end
        following = next(self._events)
        if not isinstance(following, yaml.StreamEndEvent):
            self._refuse(
                following, "a second document begins here (---): a profile is one document"
            )
        if isinstance(tree, TextNode) and tree.is_null:
            return MapNode((), tree.line, tree.column)
        return tree

    def _node(self, event: Any, depth: int, path: tuple[str, ...]) -> Tree:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        self.line = line
        if depth > MAX_DEPTH:
            self._refuse(event, f"is nested more than {MAX_DEPTH} levels deep", path)
            raise Unreadable(*self.issues)
        self._check_dress(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return ListNode(self._items(depth, path), line, column)
        if isinstance(event, yaml.MappingStartEvent):
            return MapNode(self._pairs(depth, path), line, column)
        if isinstance(event, yaml.AliasEvent):
            return TextNode("", True, line, column)
        if re.search("[\ud800-\udfff]", event.value):
            self._refuse(event, "half of a surrogate pair is no character: remove the escape", path)
        return TextNode(event.value, event.style is None, line, column)

    def _items(self, depth: int, path: tuple[str, ...]) -> tuple[Tree, ...]:
        items: list[Tree] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1, (*path, str(len(items)))))
        return tuple(items)

    def _pairs(self, depth: int, path: tuple[str, ...]) -> tuple[tuple[TextNode, Tree], ...]:
        pairs: list[tuple[TextNode, Tree]] = []
        first: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1, path)
            if not isinstance(key, TextNode):
                self._refuse(event, "a key must be a text, not a list or a mapping", path)
                key = TextNode("", False, key.line, key.column)
            elif key.plain and not key.text:
                self._refuse(event, "there is no key here; write key: value", path)
            elif key.plain and key.text == "<<":
                self._refuse(
                    event, "<< (merging) is not used in profiles: write the keys out", path
                )
            elif key.text in first:
                both = f"lines {first[key.text]} and {key.line}"
                if first[key.text] == key.line:
                    both = f"line {key.line}, twice"
                message = f"the same key is given twice ({both}); keep one"
                self._refuse(event, message, (*path, key.text))
            first.setdefault(key.text, key.line)
            pairs.append((key, self._node(next(self._events), depth + 1, (*path, key.text))))
        return tuple(pairs)

    def _check_dress(self, event: Any, path: tuple[str, ...]) -> None:
        if isinstance(event, yaml.AliasEvent):
            what = (
                f"*{printable(str(event.anchor)[:40])} is a YAML alias, which profiles do not use"
            )
        elif event.anchor is not None:
            what = (
                f"&{printable(str(event.anchor)[:40])} is a YAML anchor, which profiles do not use"
            )
        elif event.tag is not None:
            what = f"the YAML tag {show(event.tag)} has no place in a profile"
            self._refuse(event, f"{what}: remove it, or put this value in quotes", path)
            return
        else:
            return
        self._refuse(event, f"{what}: write the value out, or put this value in quotes", path)

    def _refuse(self, event: Any, message: str, path: tuple[str, ...] = ()) -> None:
        mark = event.start_mark
        key = printable(".".join(path))
        self.issues.append(Issue(mark.line + 1, mark.column + 1, key, message))
