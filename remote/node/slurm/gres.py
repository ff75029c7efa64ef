"""GPUs in the texts that sinfo, squeue and scontrol show: GRES and TRES, of old and new versions.

``gpu:a100:4(S:0-1)``, ``gpu:8``, ``gpu:tesla:2(IDX:0-1)``, ``gres:gpu:2``,
``gres/gpu:a100=1,gres/gpu=1``, ``gpu:1g.10gb:28``, ``gpu:(null):2(IDX:0,3)`` and so on.
"""

import re
from typing import Dict, List, Optional, Tuple

UNTYPED = "?"
"""The type of GPUs that the site has given none."""
_NOTHING = frozenset(["", "(null)", "n/a", "none", "null"])
_COUNT = re.compile(r"([0-9]{1,9})([KkMmGg]?)", re.ASCII)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_INDEX = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", re.ASCII)


def parse(text: str) -> Dict[str, int]:
    """How many GPUs of each type; what is no GPU, or cannot be understood, is left out.

    TRES lists name each GPU twice, with its type and in the sum of all: the sum counts only for
    those that no type accounts for.
    """
    plain: Dict[str, int] = {}
    typed: Dict[str, int] = {}
    total = 0
    if text.strip().lower() in _NOTHING:
        return plain
    for entry in _entries(text.strip()):
        found = _entry(entry)
        if found is None:
            continue
        kind, count, is_tres = found
        if not is_tres:
            plain[kind] = plain.get(kind, 0) + count
        elif kind == UNTYPED:
            total += count
        else:
            typed[kind] = typed.get(kind, 0) + count
    for kind, count in typed.items():
        plain[kind] = plain.get(kind, 0) + count
    rest = total - sum(typed.values())
    if rest > 0:
        plain[UNTYPED] = plain.get(UNTYPED, 0) + rest
    return {kind: count for kind, count in plain.items() if count > 0}


def subtracted(all_of: Dict[str, int], used: Dict[str, int]) -> Dict[str, int]:
    """``all_of`` without ``used``, never below 0; used ones of no known type come off any type."""
    left = dict(all_of)
    unknown = 0
    for kind, count in used.items():
        if kind in left:
            left[kind] = max(0, left[kind] - count)
        else:
            unknown += count
    for kind in sorted(left):
        taken = min(unknown, left[kind])
        left[kind] -= taken
        unknown -= taken
    return left


def added(one: Dict[str, int], other: Dict[str, int]) -> Dict[str, int]:
    """Both together."""
    found = dict(one)
    for kind, count in other.items():
        found[kind] = found.get(kind, 0) + count
    return found


def _entries(text: str) -> List[str]:
    """Split at commas that are not within parentheses."""
    found: List[str] = []
    depth = begin = 0
    for position, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(0, depth - 1)
        elif character == "," and depth == 0:
            found.append(text[begin:position])
            begin = position + 1
    return [*found, text[begin:]]


def _entry(text: str) -> Optional[Tuple[str, int, bool]]:
    """Type, count, and whether it is of a TRES list; None: no GPUs."""
    bare = text.strip().replace(":(null)", "")
    is_tres = bare.lower().startswith("gres/")
    if bare.lower().startswith(("gres/", "gres:")):
        bare = bare[5:]
    bare, _, behind = bare.partition("(")
    name, _, rest = bare.replace("=", ":").partition(":")
    if name.strip().lower() != "gpu":
        return None
    words = [word.strip() for word in rest.split(":") if word.strip() not in ("", "no_consume")]
    count = _number(words[-1]) if words else None
    # A type may be a number, too: gpu:3090:4; alone a number is a count.
    kinds = words if count is None else words[:-1]
    if len(kinds) > 1:
        return None
    if count is None:
        count = _indexes(behind) or 1
    return (kinds[0] if kinds else UNTYPED, count, is_tres)


def _number(text: str) -> Optional[int]:
    match = _COUNT.fullmatch(text)
    return int(match.group(1)) * _FACTORS[match.group(2).lower()] if match else None


def _indexes(text: str) -> int:
    """How many ``IDX:0,4-5)`` names; 0: it names none."""
    label, colon, listed = text.rstrip(")").partition(":")
    if not colon or label.strip().upper() != "IDX":
        return 0
    count = 0
    for piece in listed.split(","):
        match = _INDEX.fullmatch(piece.strip())
        if match is None:
            return 0
        count += max(0, int(match.group(2) or match.group(1)) - int(match.group(1)) + 1)
    return count
