"""Looks at the files of an image data set, without TensorFlow and in bounded time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from trainer.data.folder import HELD_OUT, Tree, read_tree
from trainer.data.image_kinds import CUT, ImageKind, inspect
from trainer.data.images import Unusable, shape_of
from trainer.data.kinds import BadFile, Options, Summary
from trainer.data.names import shown
from trainer.data.records import Readers, find_labels, parse_image
from trainer.data.shards import Shards
from trainer.failures import BadData

TIME_S = 60.0
"""After this no further file is looked at; what was seen is reported, and how much it is."""
DEEP_S = 20.0
"""So long, JPEGs are followed to their end; after that only their headers are."""
LISTED = 1000
_JPEG_ENDINGS = (".jpeg", ".jpg", ".jpe")


class Findings:
    """Counts kinds and lists what is odd. Raises ``BadData`` once too much is bad."""

    def __init__(self, options: Options) -> None:
        self.kinds: dict[str, int] = {}
        self.files: list[BadFile] = []
        self.looked_at = 0
        self._bad = 0
        self._limit = options.max_bad_files
        self._use_truncated = options.truncated == "use"
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def add(self, name: str, data: bytes) -> None:
        """Take note of one image file."""
        self.note(name, inspect(data, deep=self.seconds < DEEP_S))

    def note(self, name: str, found: ImageKind) -> None:
        """Take note of what a file is."""
        if self._use_truncated and found.kind.endswith("JPEG") and found.note == CUT:
            found = replace(found, usable=True, note=f"{CUT}; the missing part comes out gray")
        self.looked_at += 1
        self.kinds[found.kind] = self.kinds.get(found.kind, 0) + 1
        odd = describe(name, found)
        if odd.note and len(self.files) < LISTED:
            self.files.append(odd)
        if not found.usable:
            self._bad += 1
        if self._bad > self._limit:
            first = next(file for file in self.files if not file.usable)
            raise BadData(
                f"{first.file} is {with_article(first.kind)} that cannot be used ({first.note}), "
                f"and it is not alone: over {self._limit} of the first {self.looked_at} files that "
                "were looked at are bad; mend the data set or raise dataset.max_bad_files"
            )

    def end(self) -> None:
        """Raise ``BadData`` when not one file was good."""
        if self._bad and self._bad == self.looked_at:
            first = self.files[0]
            raise BadData(
                f"none of the {self.looked_at} files that were looked at can be used; {first.file} "
                f"is {with_article(first.kind)} ({first.note}); mend the data set"
            )


def describe(name: str, found: ImageKind) -> BadFile:
    """The finding as it is listed: also says when the name promises another kind."""
    note = found.note
    ending = os.path.splitext(name)[1]
    if ending.lower() in _JPEG_ENDINGS and found.usable and "JPEG" not in found.kind:
        note = f"called {ending}; {note}" if note else f"called {ending}"
    if not found.usable and not note:
        note = "cannot be used"
    return BadFile(file=shown(name), kind=found.kind, usable=found.usable, note=note)


def with_article(kind: str) -> str:
    return kind if kind.startswith(("a ", "an ", "no ", "empty", "nothing")) else f"a {kind}"


def check_folder(folder: Path, options: Options) -> Summary:
    """Look at the files of ``train/<class>/``. Raises ``BadData``."""
    tree = read_tree(folder)
    findings = Findings(options)
    files = tree.train + tree.test
    for _, path in _in_time(_mixed(files), findings):
        try:
            with open(folder / path, "rb") as file:
                findings.add(path, file.read())
        except OSError as error:
            findings.note(path, ImageKind("unreadable", False, error.strerror or str(error)))
    findings.end()
    notes = [*_sampled(findings, len(files), "files"), *_tree_notes(tree)]
    return Summary(
        train=len(tree.train),
        test=len(tree.test),
        shape=shape_of(options),
        classes=len(tree.classes),
        looked_at=findings.looked_at,
        kinds=findings.kinds,
        files=tuple(findings.files),
        notes=tuple(notes),
    )


def check_shards(folder: Path, options: Options) -> Summary:
    """Follow the framing of the shards, then look at records. Raises ``BadData``."""
    shards = Shards(folder)
    findings = Findings(options)
    walked = _walk_in_time(shards, findings)
    known = [shard.records for shard in shards.all]
    if None in known and len(walked) < len(known):
        mean = sum(walked.values()) / max(1, len(walked))
        counts = [walked.get(k, round(mean)) for k in range(len(known))]
    else:
        counts = [walked.get(k, known[k] or 0) for k in range(len(known))]
    labels = find_labels(shards, [walked.get(k, 0) for k in range(len(known))])
    _look_at_records(shards, walked, findings)
    findings.end()
    train, test = (
        sum(counts[: len(shards.train)]),
        sum(counts[len(shards.train) :]),
    )
    notes = _sampled(findings, train + test, "records")
    if len(walked) < len(known):
        notes.append(f"{len(walked)} of {len(known)} shards were followed to their end")
    if not test:
        test = max(1, train // HELD_OUT)
        train -= test
        notes.append(f"no validation shards: every {HELD_OUT}th record is kept for it")
    return Summary(
        train=train,
        test=test,
        shape=shape_of(options),
        classes=labels.classes,
        looked_at=findings.looked_at,
        kinds=findings.kinds,
        files=tuple(findings.files),
        notes=tuple(notes),
    )


def _walk_in_time(shards: Shards, findings: Findings) -> dict[int, int]:
    """Records of as many shards as half the time allows, in mixed order."""
    walked: dict[int, int] = {}
    for shard in _mixed(range(len(shards.all))):
        if walked and findings.seconds > TIME_S / 2:
            break
        walked[shard] = len(shards.offsets(shard))
    return walked


def _look_at_records(shards: Shards, walked: dict[int, int], findings: Findings) -> None:
    readers = Readers()
    places = [(shard, record) for shard, count in walked.items() for record in range(count)]
    for shard, record in _in_time(_mixed(places), findings):
        path = shards.all[shard].path
        name = f"{path.name} record {record}"
        try:
            data = readers.read(path, record, shards.offsets(shard)[record])
            findings.add(name, parse_image(path, record, data)[0])
        except Unusable as why:
            findings.note(name, ImageKind("damaged record", False, str(why)))


def _mixed(items: Iterable[object]) -> list:  # type: ignore[type-arg]
    """In an order that is always the same, and in which any beginning is a fair sample."""
    mixed = list(items)
    random.Random(1).shuffle(mixed)  # noqa: S311 - not for secrets
    return mixed


def _in_time(items: list, findings: Findings) -> Iterator:  # type: ignore[type-arg]
    for item in items:
        if findings.seconds > TIME_S:
            return
        yield item


def _sampled(findings: Findings, total: int, what: str) -> list[str]:
    if findings.looked_at >= total:
        return []
    return [f"{findings.looked_at} of {total} {what} were looked at, in {TIME_S:.0f} s"]


def _tree_notes(tree: Tree) -> list[str]:
    notes = []
    if tree.held_out:
        notes.append(f"no val/: {len(tree.test)} training images are kept for validation")
    if tree.ignored:
        count = len(tree.ignored)
        text = f"{count} files are no images by their name, the first {shown(tree.ignored[0])}"
        notes.append(text)
    if tree.deeper:
        text = f"{len(tree.deeper)} folders within class folders are not looked into, the first"
        notes.append(f"{text} {shown(tree.deeper[0])}")
    return notes
