"""A command's parser that takes words and options in any order."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


class CommandParser(argparse.ArgumentParser):
    """``clew logs last --json worker:1`` means what ``clew logs last worker:1 --json`` does.

    What it does not know it says itself, with its own usage.
    """

    _inside = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        if self._inside:  # argparse comes back here for the options, and for the words
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            found, unknown = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown
