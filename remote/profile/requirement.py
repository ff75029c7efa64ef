"""What pip may be asked for: a package by its name, and which versions of it.

The form is PEP 508's without what would reach beyond the package index: no options, no paths and
no URLs.
"""

from __future__ import annotations

import re

from remote.profile.convert import text
from remote.profile.words import show

EXAMPLE = "tensorflow==2.21.*"
_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
_ARCHIVES = (".whl", ".zip", ".gz", ".tgz", ".tar", ".bz2", ".tbz", ".xz", ".txz", ".lzma", ".tlz")
_VERSION = r"(?:===|==|!=|~=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9._+!-]{0,60}(?:\.\*|\*)?"
_TEST = (
    r"[a-z_]{2,40}\s*(?:==|!=|<=|>=|<|>|~=|in|not in)\s*(?:'[\w .,+-]{0,60}'|\"[\w .,+-]{0,60}\")"
)
_REQUIREMENT = re.compile(
    rf"""(?P<name>{_NAME})\s*
    (?:\[\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\]\s*)?
    (?P<versions>{_VERSION}(?:\s*,\s*{_VERSION})*\s*)?
    (?:;\s*{_TEST}(?:\s+(?:and|or)\s+{_TEST})*\s*)?""",
    re.VERBOSE | re.ASCII,
)


def requirement(value: object) -> str:
    """One requirement of pip's, as written but for blanks around it."""
    found = text(value, EXAMPLE).strip()
    if found.startswith("-"):
        raise ValueError(f"must be a package like {EXAMPLE}, not an option of pip: {show(found)}")
    if "://" in found or "@" in found or "/" in found or "\\" in found:
        message = f"must be a package of an index, like {EXAMPLE}, not a path or URL"
        raise ValueError(f"{message}: {show(found)}")
    match = _REQUIREMENT.fullmatch(found)
    # A name that ends like an archive is a file's name for pip.
    if match is None or match["name"].lower().endswith(_ARCHIVES):
        raise ValueError(f"must be a package and its versions, like {EXAMPLE}, not {show(found)}")
    return found


def package_name(requirement: str) -> str:
    """The package's name as indexes compare it (PEP 503)."""
    match = re.match(_NAME, requirement, re.ASCII)
    return re.sub(r"[-_.]+", "-", match.group()).lower() if match else ""


def named_twice(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """The same; raises ValueError when pip would be asked for one package in two ways.

    Those with a condition (``; python_version < "3.12"``) may well be alternatives.
    """
    seen: dict[str, str] = {}
    for one in requirements:
        other = seen.get(package_name(one))
        if other is not None and ";" not in one + other:
            raise ValueError(f"must name each package once: {show(other)} and {show(one)}")
        seen[package_name(one)] = one
    return requirements
