"""Places follow the nodes that are renamed or removed while they are edited. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from remote.profile import Profile

Data = dict[str, Any]


def followed(placement: Data, before: Sequence[Data], after: Sequence[Data]) -> Data:
    """``placement`` after an edit of the nodes, each as the profile has it.

    Renamed is a row whose name is another where no row was added or removed; what was on a node
    that is gone loses its place, so that the board can ask for another.
    """
    names = [_name(node) for node in before]
    now = [_name(node) for node in after]
    renamed: dict[str, str] = {}
    if len(names) == len(now):
        renamed = {a: b for a, b in zip(names, now, strict=True) if a != b and a not in now}
    gone = {name for name in names if name not in now and name not in renamed}
    found: Data = {}
    for task, text in placement.items():
        node, slash, gpu = text.partition("/") if isinstance(text, str) else ("", "", "")
        if node in gone:
            continue
        found[task] = f"{renamed[node]}{slash}{gpu}" if node in renamed else text
    return found


def same_cluster(now: Profile | None, then: Profile | None) -> bool:
    """Whether two profiles are about the same nodes; True where one is not known."""
    if now is None or then is None:
        return True
    of_a_run = {key: getattr(then, key) for key in ("training", "placement", "name")}
    return now.model_copy(update=of_a_run) == then


def _name(node: Data) -> str:
    return str(node.get("name") or node.get("host") or "")
