"""What pip's output means, as one sentence and what to do."""

import re
from typing import List, NamedTuple, Optional, Sequence

_UNSATISFIED = re.compile(
    r"Could not find a version that satisfies the requirement (.+?) "
    r"(?:\(from (?!versions)(.+?)\) )?\(from versions: (.*)\)"
)
_BROKEN = re.compile(r"after connection broken by '(.+?)'?: /|Could not fetch URL (\S+): (.+)")
_WORDS_OF_NETWORK = (
    "ReadTimeoutError", "ConnectTimeoutError", "NewConnectionError", "ConnectionResetError",
    "ProtocolError", "IncompleteRead", "Connection refused", "Max retries exceeded",
    "Read timed out", "Connection broken", "ProxyError", "Temporary failure in name resolution",
)  # fmt: skip
_UNTRUSTED = re.compile(r"repository located at (\S+) is not a trusted or secure host")
_MOST = 300


class Explained(NamedTuple):
    """Why pip failed. ``network``: the index did not answer, or not to the end."""

    what: str
    remedy: str
    network: bool = False
    full: bool = False
    """The disk, or a quota, is used up."""


def explain(lines: Sequence[str], version: str, where: str) -> Explained:
    """Put a failure into words. ``version``: Python's; ``where``: the folder on the node."""
    if any("No space left on device" in line or "Disk quota exceeded" in line for line in lines):
        what = "no space left on %s (quota or disk) for the environment" % where
        remedy = "Free some space there, or set storage.root in the profile to another disk."
        return Explained(what, remedy, full=True)
    for line in lines:
        match = _UNTRUSTED.search(line)
        if match:
            what = "pip ignores the package index at %s, which has no https" % match.group(1)
            remedy = "Name it in environment.variables as PIP_TRUSTED_HOST, if it is to be trusted."
            return Explained(what, remedy)
    network = broken(lines)
    for line in lines:
        match = _UNSATISFIED.search(line)
        if match and not network:
            return _unsatisfied(match.group(1), match.group(2), match.group(3), version)
    if network:
        what = "the package index does not answer (%s)" % network
        remedy = (
            "Set environment.wheels to desktop, or name an index or a proxy that this node "
            "reaches in environment.variables (PIP_INDEX_URL, HTTPS_PROXY)."
        )
        return Explained(what, remedy, network=True)
    for line in lines:
        if "Cannot install" in line and "conflict" in line:
            what = "these packages exclude each other: " + _cut(line.split("Cannot install", 1)[1])
            return Explained(what, "Correct environment.packages in the profile.")
    return Explained("pip failed: %s" % _last(lines), "Correct environment.packages.")


def broken(lines: Sequence[str]) -> str:
    """What is wrong with the way to the index; empty: nothing."""
    for line in reversed(lines):
        match = _BROKEN.search(line)
        if match:
            return _reason(match.group(1) or match.group(3))
    for line in reversed(lines):
        if any(word in line for word in _WORDS_OF_NETWORK):
            return _reason(line)
    return ""


def _reason(text: str) -> str:
    """``Connection refused`` of an exception's long name for itself."""
    for word in ("Connection refused", "Temporary failure in name resolution",
                 "Name or service not known", "Network is unreachable", "No route to host",
                 "timed out", "Cannot connect to proxy", "CERTIFICATE_VERIFY_FAILED",
                 "Connection reset", "Connection aborted"):  # fmt: skip
        if word.casefold() in text.casefold():
            return word
    return _cut(text)


def _unsatisfied(
    requirement: str, wanted_by: Optional[str], versions: str, version: str
) -> Explained:
    remedy = "Correct environment.packages in the profile."
    by = " (which %s needs)" % wanted_by if wanted_by else ""
    if versions.strip() in ("", "none"):
        what = "there is no package for %s%s that fits Python %s and this platform"
        return Explained(_cut(what % (requirement, by, version)), remedy)
    newest = [word.strip() for word in versions.split(",")][-6:]
    what = "no version of %s%s fits Python %s; there are %s"
    return Explained(_cut(what % (requirement, by, version, ", ".join(newest))), remedy)


def _last(lines: Sequence[str]) -> str:
    errors: List[str] = [line for line in lines if line.startswith("ERROR:")]
    said = [line for line in lines if line and not line.startswith(("WARNING:", "[notice]"))]
    found = (errors or said or ["it said nothing"])[-1]
    return _cut(found[len("ERROR:") :] if found.startswith("ERROR:") else found)


def _cut(text: str) -> str:
    text = text.strip().rstrip(".")
    return text if len(text) <= _MOST else text[:_MOST] + "…"
