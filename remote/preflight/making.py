"""Findings with few words: about one node, or about all of them together."""

from __future__ import annotations

from remote.checks import Finding, Level, Topic
from remote.facts import NodeFacts


def finding(topic: Topic, level: Level, what: str, remedy: str = "", node: str = "") -> Finding:
    """A finding about ``node``; empty: about the nodes together."""
    return Finding(topic=topic, level=level, what=what, remedy=remedy, node=node)


def on_node(facts: NodeFacts, topic: Topic, level: Level, what: str, remedy: str = "") -> Finding:
    """A finding about the node that the facts are of."""
    return finding(topic, level, what, remedy, facts.node)
