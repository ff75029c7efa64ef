"""Writes shards, one after another, as the builder asks for them: a process of its own.

Standard input has one JSON line with ``source``, ``destination`` and ``classes``, then one line
per shard with ``name`` and ``files``. Standard output has JSON lines: ``{"images", "bytes"}`` now
and then, ``{"bad"}`` for a file that is left out, ``{"shard"}`` when one is published,
``{"error"}`` when one cannot be written.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from trainer.data.example import write_example
from trainer.data.image_kinds import ImageKind, inspect
from trainer.data.names import shown
from trainer.data.tfrecord import frame

TELL_S = 0.25
LABEL_BASE = 1
"""As in ImageNet's usual layout, where 0 is the background."""


def partial_path(destination: Path, name: str) -> Path:
    """Where a shard is written before it is published under ``name``."""
    return destination / f".{name}.partial"


def main() -> int:
    """Serve standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the builder decides when to stop
    lines = iter(sys.stdin)
    setup = json.loads(next(lines))
    packer = _Packer(Path(setup["source"]), Path(setup["destination"]), setup["classes"])
    for line in lines:
        job = json.loads(line)
        try:
            _tell(packer.pack(job["name"], job["files"]))
        except OSError as error:
            _tell({"error": error.strerror or str(error), "errno": error.errno})
    return 0


class _Packer:
    def __init__(self, source: Path, destination: Path, classes: list[str]) -> None:
        self._source = source
        self._destination = destination
        self._classes = classes
        self._parent = os.getppid()
        self._told_at = time.monotonic()
        self._images = 0
        self._bytes = 0

    def pack(self, name: str, files: list[tuple[int, str]]) -> dict[str, Any]:
        """Write and publish one shard. Raises ``OSError`` when it cannot be written."""
        path = partial_path(self._destination, name)
        digest, records, size = hashlib.sha256(), 0, 0
        try:
            with path.open("wb") as file:
                for record in self._records(files):
                    file.write(record)
                    digest.update(record)
                    records, size = records + 1, size + len(record)
                _sync(file)
            path.replace(self._destination / name)
            _sync_folder(self._destination)
        except BaseException:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        self._report(now=True)
        return {"shard": name, "records": records, "bytes": size, "sha256": digest.hexdigest()}

    def _records(self, files: list[tuple[int, str]]) -> Iterator[bytes]:
        for label, path in files:
            if os.getppid() != self._parent:
                raise SystemExit(1)  # the builder was killed, and nobody waits for this
            data, found = self._read(path)
            self._images += 1
            self._bytes += len(data)
            if found.usable:
                yield frame(self._example(label, path, data, found))
            else:
                _tell({"bad": shown(path), "kind": found.kind, "note": found.note})
            self._report()

    def _read(self, path: str) -> tuple[bytes, ImageKind]:
        try:
            with open(os.path.join(self._source, path), "rb") as file:
                data = file.read()
        except OSError as error:
            return b"", ImageKind("unreadable", False, error.strerror or str(error))
        return data, inspect(data, deep=False)

    def _example(self, label: int, path: str, data: bytes, found: ImageKind) -> bytes:
        """The features that ImageNet's shards have; the file goes in as it is."""
        return write_example(
            {
                "image/encoded": data,
                "image/format": found.kind.split()[-1],
                "image/filename": os.fsencode(os.path.basename(path)),
                "image/height": found.height,
                "image/width": found.width,
                "image/channels": 3,
                "image/colorspace": "RGB",
                "image/class/label": label + LABEL_BASE,
                "image/class/synset": os.fsencode(self._classes[label]),
            }
        )

    def _report(self, *, now: bool = False) -> None:
        if now or time.monotonic() - self._told_at >= TELL_S:
            _tell({"images": self._images, "bytes": self._bytes})
            self._told_at = time.monotonic()
            self._images = self._bytes = 0


def _tell(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    raise SystemExit(main())
