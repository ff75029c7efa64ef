"""Which wheels fit a node's Python, as options of ``pip download`` (PEP 425, 600, 656)."""

from __future__ import annotations

import re

from remote.errors import NodeError
from remote.facts import BasePython

_OLDEST_GLIBC = {"x86_64": 5, "i686": 5}
_OLDEST_ELSEWHERE = 17
_ALIASES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
_MUSL = (2, 1)
"""Python does not say which musl it runs on; these are all that are in use."""


def options(base: BasePython) -> list[str]:
    """Options that make pip choose as it would on the node.

    Raises:
        NodeError: Python is of a kind for which nobody publishes such wheels.
    """
    if base.markers.get("implementation_name") != "cpython":
        name = base.markers.get("platform_python_implementation", "of an unknown kind")
        what = f"its Python is {name}, and wheels can be fetched here for CPython only"
        raise NodeError(what, remedy="Set environment.python to a CPython of 3.10 or newer.")
    found = ["--only-binary=:all:", "--implementation", "cp", "--python-version", base.version]
    if base.free_threaded:
        major, minor = base.version.split(".")[:2]
        found += ["--abi", f"cp{major}{minor}t"]
    for platform in platforms(base):
        found += ["--platform", platform]
    return found


def platforms(base: BasePython) -> list[str]:
    """Platform tags, best first; pip adds those that fit every platform."""
    machine = re.sub(r"[^A-Za-z0-9_]", "_", base.machine)
    found = []
    glibc = re.fullmatch(r"glibc 2\.(\d{1,3})(\..*)?", base.libc)
    if glibc:
        oldest = _OLDEST_GLIBC.get(machine, _OLDEST_ELSEWHERE)
        for minor in range(int(glibc[1]), oldest - 1, -1):
            found.append(f"manylinux_2_{minor}_{machine}")
            if minor in _ALIASES:
                found.append(f"{_ALIASES[minor]}_{machine}")
    elif "musl" in base.soabi:
        found += [f"musllinux_1_{minor}_{machine}" for minor in _MUSL]
    return [*found, f"linux_{machine}"]
