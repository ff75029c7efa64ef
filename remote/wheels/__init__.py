"""Wheels for nodes that reach no package index: fetched here, kept here, sent as a tree."""

from remote.wheels.store import WheelStore, cache_folder

__all__ = ["WheelStore", "cache_folder"]
