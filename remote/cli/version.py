"""The version of this program."""

from __future__ import annotations

import importlib.metadata


def version() -> str:
    """The installed version; ``0`` when run from a checkout that was never installed."""
    try:
        return importlib.metadata.version("clew")
    except importlib.metadata.PackageNotFoundError:
        return "0"
