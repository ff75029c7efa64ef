"""What is to be said about the nodes together: versions, clocks, and folders that they share."""

from __future__ import annotations

from collections.abc import Mapping

from remote.checks import Finding
from remote.facts import NodeFacts
from remote.preflight.making import finding
from remote.survey import NodeSurvey
from remote.wording import few

VERSIONS_DIFFER = "the nodes' TensorFlow versions differ"
"""How :mod:`remote.plan` begins its sentence about the same."""
APART_S = 1.0
"""Clocks of two nodes that differ by more make times in logs hard to compare."""


def together_findings(
    facts: Mapping[str, NodeFacts], surveys: Mapping[str, NodeSurvey]
) -> list[Finding]:
    """TensorFlow's versions, and the largest difference between two nodes' clocks."""
    return _versions(facts) + _clocks(facts, surveys)


def home_findings(roots: Mapping[str, str], seen: Mapping[str, frozenset[str]]) -> list[Finding]:
    """Which nodes write into the same folder. ``seen``: whose marks each node has seen."""
    left, groups = list(roots), []
    while left:
        one = left.pop(0)
        group = [one, *(o for o in left if o in seen.get(one, ()) or one in seen.get(o, ()))]
        left = [name for name in left if name not in group]
        if len(group) > 1:
            groups.append(group)
    if not groups:
        return (
            [] if len(roots) < 2 else [finding("home", "ok", "each node has a folder of its own")]
        )
    return [
        finding("home", "ok", f"{few(group)} share {roots[group[0]]}; what is sent is sent to all")
        for group in groups
    ]


def _versions(facts: Mapping[str, NodeFacts]) -> list[Finding]:
    by_version: dict[str, list[str]] = {}
    for name, known in facts.items():
        if known.tensorflow_version:
            by_version.setdefault(known.tensorflow_version, []).append(name)
    if not by_version:
        return []
    if len(by_version) == 1:
        version = next(iter(by_version))
        return [finding("tensorflow", "ok", f"all nodes have TensorFlow {version}")]
    each = ", ".join(f"{few(names)}: {version}" for version, names in by_version.items())
    minor = {tuple(version.split(".")[:2]) for version in by_version}
    what = f"{VERSIONS_DIFFER} ({each})"
    remedy = "Install one version on all nodes, or set environment.python to a common one."
    return [finding("tensorflow", "problem" if len(minor) > 1 else "warning", what, remedy)]


def _clocks(facts: Mapping[str, NodeFacts], surveys: Mapping[str, NodeSurvey]) -> list[Finding]:
    offsets = {name: known.clock_offset_s for name, known in facts.items() if name in surveys}
    if len(offsets) < 2:
        return []
    first, last = min(offsets, key=offsets.__getitem__), max(offsets, key=offsets.__getitem__)
    apart = offsets[last] - offsets[first]
    known_to = (surveys[first].round_trip_s + surveys[last].round_trip_s) / 2
    if apart - known_to <= APART_S:
        what = f"the nodes' clocks agree to {max(apart, known_to) * 1000:.1f} ms"
        return [finding("clock", "ok", what)]
    what = f"the clock of {last} is {apart:.1f} s ahead of that of {first}"
    return [finding("clock", "warning", what, "Set up NTP on both.")]
