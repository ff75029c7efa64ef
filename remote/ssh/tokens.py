"""``%h``, ``%p`` and the other tokens of ssh_config(5), and ``${VARIABLE}``."""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import socket
from collections.abc import Mapping

_TOKEN = re.compile(r"%(.)")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def local_user() -> str:
    """The account on this computer; ``user`` where it has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "user"


def token_values(
    *, given: str, host: str, port: int, user: str, alias: str, home: str
) -> dict[str, str]:
    """Values by letter. ``given`` is the name the user gave, ``host`` what it became."""
    machine, account = socket.gethostname(), local_user()
    connection = hashlib.sha1(  # noqa: S324 - OpenSSH's own %C, no secret
        f"{machine}{host}{port}{user}".encode("utf-8", "surrogateescape")
    ).hexdigest()
    return {
        "%": "%",
        "C": connection,
        "d": home,
        "h": host,
        "i": str(os.getuid()) if hasattr(os, "getuid") else "",
        "j": "",
        "k": alias or given,
        "L": machine.partition(".")[0],
        "l": machine,
        "n": given,
        "p": str(port),
        "r": user,
        "u": account,
    }


def expand(text: str, values: Mapping[str, str]) -> str:
    """Replace the tokens; one that is not known stays."""
    return _TOKEN.sub(lambda match: values.get(match[1], match[0]), text)


def expand_path(text: str, values: Mapping[str, str], home: str) -> str:
    """The same for a path: also ``~`` and ``${VARIABLE}``; the result is absolute."""
    text = _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), text)
    own = text == "~" or text.startswith("~/")
    text = home + text[1:] if own else os.path.expanduser(text)
    return os.path.abspath(expand(text, values))
