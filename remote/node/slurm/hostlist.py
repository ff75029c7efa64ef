"""Slurm's host lists, such as ``gpu[01-04,07],rack[1-2]n[01-02]-ib``, written out.

Any number of brackets, text behind them, plain names among them; the width of a number is that of
its range's left bound. See hostlist(7) and ``scontrol show hostnames``, which gives the same names.
"""

import re
from typing import Iterator, List, Tuple

from remote.node.refused import Refused

MOST_NAMES = 65536
_MOST_CHARACTERS = 1 << 20
_NOBODY = frozenset(["", "(null)", "none assigned", "n/a", "none"])
"""What stands where a job has no nodes (yet)."""
_ITEM = re.compile(r"[A-Za-z0-9._-]*(?:\[[0-9,-]*\][A-Za-z0-9._-]*)*", re.ASCII)
_GROUP = re.compile(r"\[([0-9,-]*)\]", re.ASCII)
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?", re.ASCII)
_MOST_NAME = 255

Bounds = Tuple[int, int, int]
"""First and last number, and how wide they are written."""


def expand(text: str) -> List[str]:
    """Every name, in order; a job that waits has none.

    Raises:
        Refused: it is no host list, has characters that no name has (names end up in commands), or
            has more than 65,536 names, which is told before any is made.
    """
    names: List[str] = []
    for texts, groups in _items(text):
        left = MOST_NAMES - len(names)
        if any(count > left for count in _counts(groups)):
            raise Refused("the host list %s has too many names" % _shown(text))
        names += _product(texts, groups)
        if len(names) > MOST_NAMES:
            raise Refused("the host list %s has too many names" % _shown(text))
    for name in names:
        if len(name) > _MOST_NAME or name.startswith(("-", ".")):
            raise Refused("%s is not the name of a node" % _shown(name))
    return names


def listed(text: str) -> str:
    """A host list for reading: ``gpu01-04, gpu07``; what is none stays as it is.

    Names are not made one by one, so that a thousand nodes stay one range.
    """
    try:
        found = list(_items(text))
    except Refused:
        return text
    parts: List[str] = []
    for texts, groups in found:
        if any(count > MOST_NAMES for count in _counts(groups[:-1])):
            return text
        for name in _product(texts[:-1] or texts, groups[:-1]):
            if not groups:
                parts.append(name)
            for low, high, width in groups[-1] if groups else ():
                last = "-" + str(high).zfill(width) if high > low else ""
                parts.append(name + str(low).zfill(width) + last + texts[-1])
    more = ", …" if len(parts) > MOST_SHOWN else ""
    return ", ".join(parts[:MOST_SHOWN]) + more


MOST_SHOWN = 16


def _items(text: str) -> Iterator[Tuple[List[str], List[List[Bounds]]]]:
    """The texts around an item's brackets, and what is within each of them."""
    bare = text.strip()
    if bare.lower() in _NOBODY:
        return
    if len(bare) > _MOST_CHARACTERS:
        raise Refused("the host list %s is too long" % _shown(bare))
    position = 0
    while position <= len(bare):
        match = _ITEM.match(bare, position)
        end = match.end() if match else position
        if end < len(bare) and bare[end] != ",":
            raise Refused("%s is not a list of nodes as Slurm writes it" % _shown(bare))
        item = bare[position:end]
        position = end + 1
        if not item:
            continue  # Slurm skips it, too
        pieces = _GROUP.split(item)
        yield pieces[::2], [_ranges(piece, bare) for piece in pieces[1::2]]


def _ranges(text: str, whole: str) -> List[Bounds]:
    found: List[Bounds] = []
    for piece in text.split(","):
        match = _RANGE.fullmatch(piece)
        if match is None:
            raise Refused("%s is not a list of nodes as Slurm writes it" % _shown(whole))
        low = match.group(1)
        high = match.group(2) or low
        if int(high) < int(low):
            raise Refused("%s has a range that ends before it begins" % _shown(whole))
        found.append((int(low), int(high), len(low)))
    return found


def _counts(groups: List[List[Bounds]]) -> Iterator[int]:
    """How many names there are after each group, so that a product is never made to be counted."""
    total = 1
    for group in groups:
        total *= sum(high - low + 1 for low, high, _ in group)
        yield total


def _product(texts: List[str], groups: List[List[Bounds]]) -> List[str]:
    names = [texts[0] if texts else ""]
    for position, group in enumerate(groups, 1):
        behind = texts[position]
        numbers = [
            str(number).zfill(width) + behind
            for low, high, width in group
            for number in range(low, high + 1)
        ]
        names = [name + number for name in names for number in numbers]
    return names


def _shown(text: str) -> str:
    cut = text[:60] + ("…" if len(text) > 60 else "")
    return '"%s"' % "".join(c if c.isprintable() else "?" for c in cut)
