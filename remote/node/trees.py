"""Trees of files on a node: the trainer, the user's code, and data sets.

A tree is written to an unfinished folder beside its final place, and the folder renamed. Whatever
goes wrong, the final place holds a whole tree or none.
"""

import os
from typing import TYPE_CHECKING, Any, Dict, List

from remote.node import layout, parts, uploads
from remote.node.refused import from_os_error

if TYPE_CHECKING:
    from remote.node.agent import Agent


def missing(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[int]:
    """Which of the trees, by position in ``args["trees"]``, are not whole on this node."""
    paths = layout.Layout(args["root"], agent.node)
    found = []
    for position, (kind, name, digest) in enumerate(args["trees"]):
        if not parts.is_whole(paths.tree(kind, name, digest)):
            found.append(position)
    return found


def put_tree(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> str:
    """Receive one tree in ``up`` frames, unless it is there; returns its path."""
    paths = layout.Layout(args["root"], agent.node)
    final = paths.tree(args["kind"], args["name"], args["digest"])
    upload = uploads.Upload(agent, number)
    agent.uploads[number] = upload.take
    try:
        upload.receive(final, args["digest"])
        return final
    except OSError as error:
        raise from_os_error(error, agent.node, os.path.dirname(final))
    finally:
        agent.uploads.pop(number, None)
