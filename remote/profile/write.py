"""From a :class:`Profile` to YAML that every YAML reader understands alike."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import BaseModel

from remote.profile.decode import ODD_BLANK
from remote.profile.model import VERSION, Profile
from remote.profile.parts import NodeConfig
from remote.profile.shape import VERSION_KEY
from remote.profile.sift import Extras
from remote.profile.tree import ListNode, TextNode, Tree

_WORDS = frozenset(
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<"]
    + [sign + word for sign in ("", "+", "-") for word in ("inf", ".inf", "nan", ".nan")]
)
"""Texts, in any case, that one YAML reader or another takes for something else."""
_LIKE_NUMBERS = re.compile(
    r"""[-+]?(0[xob])?[0-9a-f_]*[0-9][0-9a-f_]*      # 0123, 08, 0x1f, 0o17, 1_000
      | [-+]?[0-9_]*\.?[0-9_]*(e[-+]?[0-9]+)?        # 1e-3, .9, 1.10, 1234e56
      | [-+]?[0-9][0-9_]*(:[0-9]{1,2})+(\.[0-9_]*)?  # 22:22, 12:00:00
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*             # 2024-05-01 and times
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STR = "tag:yaml.org,2002:str"
_DUMPER: Any = yaml.SafeDumper(io.StringIO())


def dumps(profile: Profile, *, extras: Extras | None = None) -> str:
    """YAML with all that differs from the defaults; ``extras`` are kept where they belong.

    ``loads(dumps(profile)).profile == profile`` for every profile.
    """
    data: dict[str, Any] = {VERSION_KEY: VERSION, **to_data(profile)}
    node = _mapping(data, extras or {}, ())
    _place_nodes(node, data, profile, extras or {})
    text = yaml.serialize(
        node, Dumper=yaml.SafeDumper, allow_unicode=True, width=float("inf"), indent=2
    )
    return str(text)


def to_data(profile: Profile) -> dict[str, Any]:
    """What differs from the defaults, as plain dicts, lists, texts and numbers in file order."""
    return _differing(profile)


def _differing(part: BaseModel | Any) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value, default in _fields(part):
        if value == default:
            continue
        if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
            data[name] = _differing(value)
        elif isinstance(value, tuple):
            items = [_differing(v) if isinstance(v, NodeConfig) else v for v in value]
            data[name] = items
        else:
            data[name] = dict(value) if isinstance(value, Mapping) else value
    return data


def _fields(part: Any) -> list[tuple[str, Any, Any]]:
    """Name, value and default of each; what has none, such as a node's host, is written always."""
    if not isinstance(part, BaseModel):
        blank = type(part)()
        names = [field.name for field in dataclasses.fields(part)]
        return [(name, getattr(part, name), getattr(blank, name)) for name in names]
    known = type(part).model_fields
    needed = {name: getattr(part, name) for name in known if known[name].is_required()}
    blank = type(part)(**needed)
    return [
        (name, getattr(part, name), None if name in needed else getattr(blank, name))
        for name in known
    ]


def _mapping(data: Mapping[str, Any], extras: Extras, place: tuple[str, ...]) -> yaml.MappingNode:
    pairs: list[tuple[yaml.Node, yaml.Node]] = [
        (_text(key), _node(value, extras, (*place, key))) for key, value in data.items()
    ]
    pairs += [(_tree(key), _tree(value)) for key, value in extras.get(place, ())]
    below = {str(p[len(place)]) for p in extras if p[: len(place)] == place and p != place}
    for key in sorted(below - set(data) - {"nodes"}):  # only defaults, but with unknown keys
        pairs.append((_text(key), _mapping({}, extras, (*place, key))))
    return yaml.MappingNode("tag:yaml.org,2002:map", pairs, flow_style=not pairs)


def _place_nodes(
    root: yaml.MappingNode, data: Mapping[str, Any], profile: Profile, extras: Extras
) -> None:
    """Give each node the unknown keys that it had, wherever in the list it now stands."""
    if "nodes" not in data:
        return
    items = next(value for key, value in root.value if key.value == "nodes").value
    for item, node in zip(items, profile.nodes, strict=True):
        kept = extras.get(("nodes", node.name), ()) or extras.get(("nodes", node.host), ())
        item.value += [(_tree(key), _tree(value)) for key, value in kept]


def _node(value: Any, extras: Extras, place: tuple[str, ...]) -> yaml.Node:
    if isinstance(value, Mapping):
        return _mapping(value, extras, place)
    if isinstance(value, (list, tuple)):
        items = [_node(item, {}, ()) for item in value]
        flow = all(isinstance(item, int) for item in value)
        return yaml.SequenceNode("tag:yaml.org,2002:seq", items, flow_style=flow)
    return _text(value) if isinstance(value, str) else _number(value)


def _number(value: bool | int | float | None) -> yaml.ScalarNode:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    node: yaml.ScalarNode = _DUMPER.represent_data(value)
    return node


def _text(value: str) -> yaml.ScalarNode:
    style: str | None = None
    if any(not c.isprintable() for c in value) or ODD_BLANK.search(value):
        style = '"'
    elif value.casefold() in _WORDS or _LIKE_NUMBERS.fullmatch(value) or value != value.strip():
        style = "'" if "'" not in value else '"'
    return yaml.ScalarNode(_STR, value, style=style)


def _tree(tree: Tree) -> yaml.Node:
    """An unknown value as it was written: what had no quotes gets none."""
    if isinstance(tree, TextNode):
        if not tree.plain:
            return (
                _text(tree.text)
                if "\n" in tree.text
                else yaml.ScalarNode(_STR, tree.text, style='"')
            )
        tag = _DUMPER.resolve(yaml.ScalarNode, tree.text, (True, False))
        return yaml.ScalarNode(tag, tree.text)
    if isinstance(tree, ListNode):
        items = [_tree(item) for item in tree.items]
        return yaml.SequenceNode("tag:yaml.org,2002:seq", items, flow_style=not items)
    pairs = [(_tree(key), _tree(value)) for key, value in tree.pairs]
    return yaml.MappingNode("tag:yaml.org,2002:map", pairs, flow_style=not pairs)
