"""TFRecord shards in the usual layout: ``train-00000-of-01024``, ``validation-00000-of-00128``."""

from __future__ import annotations

import re
import threading
import time
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from trainer.data.manifest import SPLITS, Manifest, check_sizes, read_manifest
from trainer.data.tfrecord import walk
from trainer.failures import BadData

_NAME = re.compile(
    r"(?:.*[-_.])?(train|validation|valid|val)(?:\.tfrecords?)?-(\d{1,8})-of-(\d{1,8})"
    r"(?:\.tfrecords?)?"
)
_COUNTERS = 16
"""Files that are counted at a time: the wait is for the disk."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file; ``records`` is None until it is counted."""

    path: Path
    records: int | None


class Shards:
    """The shards of both splits, train first, with the offsets of their records.

    A shard is walked through when its offsets are first asked for. Thread-safe.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        if self.manifest is not None:
            check_sizes(folder, self.manifest)
            found = _from_manifest(folder, self.manifest)
        else:
            found = find_shards(folder)
        self.train, self.validation = found["train"], found["validation"]
        self.all = self.train + self.validation
        self._offsets: dict[int, array[int]] = {}
        self._locks = [threading.Lock() for _ in self.all]

    def offsets(self, shard: int) -> array[int]:
        """Where the records of shard ``shard`` begin. Raises ``BadData``, also on a wrong count."""
        with self._locks[shard]:
            offsets = self._offsets.get(shard)
            if offsets is None:
                empty = self.all[shard].records == 0  # all of its files were bad
                offsets = array("Q") if empty else walk(self.all[shard].path)
                self._check_count(shard, len(offsets))
                self._offsets[shard] = offsets
            return offsets

    def counts(self, tell: Callable[[str], None] | None = None) -> list[int]:
        """Records of each shard: the manifest's word, else every shard is walked through."""
        known = [shard.records for shard in self.all]
        if None not in known:
            return [count or 0 for count in known]
        started = time.monotonic()
        with ThreadPoolExecutor(_COUNTERS, thread_name_prefix="count") as pool:
            counted = list(pool.map(lambda k: len(self.offsets(k)), range(len(self.all))))
        seconds = time.monotonic() - started
        if tell is not None and seconds > 5:
            tell(
                f"counted {sum(counted)} records in {len(counted)} shards, which took "
                f"{seconds:.0f} s; shards built by clew data have a manifest that saves this"
            )
        return counted

    def _check_count(self, shard: int, found: int) -> None:
        expected = self.all[shard].records
        if expected is not None and found != expected:
            raise BadData(
                f"{self.all[shard].path} holds {found} records, but the manifest says {expected}; "
                "copy it again or build it again"
            )


def find_shards(folder: Path) -> dict[str, list[Shard]]:
    """The shards by split, in their order. Raises ``BadData`` when one is missing."""
    found: dict[str, dict[int, Path]] = {name: {} for name in SPLITS}
    totals: dict[str, tuple[int, Path]] = {}
    for place in (folder, folder / "train", folder / "validation", folder / "val"):
        for path in sorted(place.iterdir()) if place.is_dir() else ():
            match = _NAME.fullmatch(path.name)
            if match is None or not path.is_file():
                continue
            split = "train" if match[1] == "train" else "validation"
            number, total = int(match[2]), int(match[3])
            first_total, first = totals.setdefault(split, (total, path))
            if total != first_total or number in found[split]:
                raise BadData(
                    f"{path} and {first.name} do not belong together; keep one set of shards there"
                )
            found[split][number] = path
    for split, (total, first) in totals.items():
        _check_complete(found[split], total, first)
    return {name: [Shard(p, None) for _, p in sorted(found[name].items())] for name in SPLITS}


def _check_complete(found: dict[int, Path], total: int, first: Path) -> None:
    missing = next((k for k in range(min(total, len(found) + 1)) if k not in found), None)
    if missing is None:
        return
    lack = total - len(found)
    name = re.sub(r"-\d+-of-", f"-{missing:05d}-of-", first.name)
    raise BadData(
        f"{first.with_name(name)} is missing, and {lack - 1} more of {total} shards"
        if lack > 1
        else f"{first.with_name(name)} is missing, the only one of {total} shards; copy it there"
    )


def _from_manifest(folder: Path, manifest: Manifest) -> dict[str, list[Shard]]:
    return {
        name: [Shard(folder / entry.name, entry.records) for entry in manifest.split(name)]
        for name in SPLITS
    }
