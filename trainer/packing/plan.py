"""Which image goes into which shard: decided by the source's names and sizes alone."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trainer.data.folder import Tree, read_tree
from trainer.failures import BadData

SHARD_BYTES = 128 << 20
FEWEST = 8
"""Shards of a small data set, so that workers can share them."""
FEWEST_IMAGES = 16
"""Images in one of these at least."""


@dataclass(frozen=True, slots=True)
class Job:
    """One shard: its file name and its (label from 0, path below the source) in order."""

    split: str
    name: str
    files: tuple[tuple[int, str], ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All shards, validation last. ``fingerprint`` tells whether two plans are the same."""

    source: Path
    classes: tuple[str, ...]
    jobs: tuple[Job, ...]
    held_out: bool
    fingerprint: str

    @property
    def images(self) -> int:
        return sum(len(job.files) for job in self.jobs)

    @property
    def bytes(self) -> int:
        return sum(job.bytes for job in self.jobs)


def make_plan(source: Path, shards: int | None, validation_shards: int | None) -> Plan:
    """List ``source`` and deal its images out. Raises ``BadData``.

    The images are shuffled, always alike, because training mixes only a few shards at a time.
    """
    if not source.is_dir():
        state = "is not a folder" if source.exists() else "does not exist"
        raise BadData(f"{source} {state}; give the folder that holds train/<class>/")
    tree = read_tree(source)
    jobs = [
        *_jobs(tree, "train", tree.train, shards),
        *_jobs(tree, "validation", tree.test, validation_shards),
    ]
    return Plan(source, tree.classes, tuple(jobs), tree.held_out, _fingerprint(tree, jobs))


def _jobs(
    tree: Tree, split: str, files: list[tuple[int, str]], wanted: int | None
) -> Iterator[Job]:
    mixed = list(files)
    random.Random(1).shuffle(mixed)  # noqa: S311 - not for secrets
    sizes = [_size(tree.folder, path) for _, path in mixed]
    fitting = max(-(-sum(sizes) // SHARD_BYTES), min(FEWEST, len(mixed) // FEWEST_IMAGES))
    count = max(1, min(wanted or fitting, len(mixed)))
    for number in range(count if mixed else 0):
        part = slice(number * len(mixed) // count, (number + 1) * len(mixed) // count)
        name = f"{split}-{number:05d}-of-{count:05d}"
        yield Job(split, name, tuple(mixed[part]), sum(sizes[part]))


def _size(folder: Path, path: str) -> int:
    try:
        return os.stat(os.path.join(folder, path)).st_size
    except OSError:
        return 0  # it is a bad file, and will be listed as one


def _fingerprint(tree: Tree, jobs: list[Job]) -> str:
    digest = hashlib.sha256(repr(tree.classes).encode("utf-8", "surrogateescape"))
    for job in jobs:
        digest.update(f"{job.name} {job.bytes}\n".encode())
        for label, path in job.files:
            digest.update(b"%d %s\0" % (label, os.fsencode(path)))
    return digest.hexdigest()
