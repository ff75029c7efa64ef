"""Requests to a node that survive a connection that is cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from remote.errors import LinkLost
from remote.link import AgentLink
from remote.session.node import RECONNECT_LIMIT_S, Node
from remote.session.parallel import not_connected

T = TypeVar("T")


def through_cuts(node: Node, cancelled: Callable[[], bool], action: Callable[[AgentLink], T]) -> T:
    """What ``action`` returns; done again when the node is back after a cut.

    It must not matter whether an attempt that was cut off had been heard.

    Raises:
        LinkLost: the node did not come back within ``RECONNECT_LIMIT_S``.
        Cancelled: ``cancelled`` said so.
        ClewError: what ``action`` raises.
    """
    link = current_link(node, cancelled)
    while True:
        try:
            return action(link)
        except LinkLost as error:
            link = node.next_link(link, error, RECONNECT_LIMIT_S, cancelled)


def current_link(node: Node, cancelled: Callable[[], bool]) -> AgentLink:
    """The node's connection, now or when it is back. Raises LinkLost, Cancelled."""
    if node.connected:
        return node.link()
    return node.next_link(None, not_connected(node.name), RECONNECT_LIMIT_S, cancelled)
