"""Keys whose values are secrets: they have no place in a file that people share."""

from __future__ import annotations

import re
from itertools import pairwise

SECRETS_LIVE_ELSEWHERE = (
    "a secret has no place in a profile: remove this line; Clew asks when it connects, and can "
    "keep the answer in this computer's keyring"
)
VARIABLES_LIVE_ON_NODES = (
    "a secret has no place in a profile: keep it in a file on the nodes that only you can read, "
    'and read that in setup, like setup: ["source ~/.secrets"]'
)

_SECRETS = frozenset(
    {"password", "passwd", "passphrase", "pwd", "token", "secret", "secrets", "credentials"}
)
_SECRET_PAIRS = frozenset({("api", "key"), ("private", "key"), ("access", "key")})


def is_secret(key: str) -> bool:
    """Whether a key's name says that its value should be known to nobody else."""
    parts = [p.casefold() for p in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", key)]
    pairs = set(pairwise(parts))
    return not _SECRETS.isdisjoint(parts) or not _SECRET_PAIRS.isdisjoint(pairs)
