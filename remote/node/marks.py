"""Small files by which nodes find out that they write into the same folder.

Each node makes a file of its own and then opens the others' by name: a listing may come from the
cache of a network file system, a name that was never asked for does not.
"""

import os
from typing import TYPE_CHECKING, Any, Dict, List

from remote.node import files

if TYPE_CHECKING:
    from remote.node.agent import Agent


def mark(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Make this node's file in ``args["root"]``; it goes with the agent at the latest."""
    path = _path(args, args["number"])

    def remove() -> None:
        files.remove_quietly(path)

    agent.at_end.append(remove)
    files.write_new(path, b"Clew's check; it may be deleted.\n")


def marks_seen(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[int]:
    """Which of ``args["others"]`` have made theirs in what is the same folder."""
    return [other for other in args["others"] if os.path.exists(_path(args, other))]


def unmark(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Remove this node's file."""
    files.remove_quietly(_path(args, args["number"]))


def _path(args: Dict[str, Any], number: int) -> str:
    return os.path.join(args["root"], ".check-%s-%d" % (args["token"], number))
