"""Secrets out of what is given to others.

A profile has no place for them, but a setup line or a command may hold one all the same.
"""

from __future__ import annotations

import re

from remote.profile.secret import is_secret

REMOVED = "removed"
_VALUE = r"[^\s\"'\\,;&|\]}]+"
_NAMED = re.compile(rf"([A-Za-z][A-Za-z0-9_-]*)(\\?[\"']?\s*[=:]\s*\\?[\"']?)({_VALUE})")
_OPTION = re.compile(rf"(--?[A-Za-z][A-Za-z0-9_-]*)(\\?[\"']?(?:\s*,\s*|\s+)\\?[\"']?)({_VALUE})")
_LOGIN = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/@\"'\\]+@")


def without_secrets(text: str) -> str:
    """``text`` with the value of each ``TOKEN=…``, ``--api-key …`` and ``https://me:…@`` removed.

    Doing it twice changes nothing.
    """

    def replace(found: re.Match[str]) -> str:
        name, between, _ = found.groups()
        return f"{name}{between}{REMOVED}" if is_secret(name) else found.group(0)

    found = _OPTION.sub(replace, _NAMED.sub(replace, text))
    return _LOGIN.sub(rf"\1{REMOVED}@", found)
