"""Whether a YAML file has comments, which saving would lose."""

from __future__ import annotations

import yaml

from remote.profile.decode import Unreadable, decode


def has_comments(data: bytes) -> bool:
    """True if there is a ``#`` between the tokens; True for what cannot be scanned."""
    try:
        text = decode(data)
        end = 0
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if "#" in text[end : token.start_mark.index]:
                return True
            end = token.end_mark.index
            is_block = isinstance(token, yaml.ScalarToken) and token.style in ("|", ">")
            if is_block and "#" in text[token.start_mark.index : end].split("\n", 1)[0]:
                return True
    except (Unreadable, yaml.YAMLError):
        return True
    return False
