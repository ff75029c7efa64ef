"""What a build has finished, kept beside the shards until the manifest replaces it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from trainer.data.manifest import FILE, Manifest, ShardEntry
from trainer.failures import BadData
from trainer.packing.pack import partial_path
from trainer.packing.plan import Plan

NAME = ".build.jsonl"
_EMPTY = "give an empty folder"


class Journal:
    """The finished shards of one build. Holds a lock on the folder while it is open."""

    def __init__(self, destination: Path, plan: Plan) -> None:
        """Take up an earlier build of the same plan, or begin. Raises ``BadData``, ``OSError``."""
        self._destination = destination
        self._plan = plan
        self._path = destination / NAME
        self.done: dict[str, ShardEntry] = {}
        self.left_out: dict[str, dict[str, Any]] = {}
        destination.mkdir(parents=True, exist_ok=True)
        if not self._path.exists():
            self._check_empty()
        self._file = open(self._path, "a+b")  # noqa: SIM115 - closed by __exit__
        try:
            self._begin()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def finish(self, entry: ShardEntry, left_out: list[dict[str, Any]]) -> None:
        """Note that a shard is published."""
        self._append({"shard": asdict(entry), "left_out": left_out})
        self._take(entry, left_out)

    def conclude(self, manifest: Manifest) -> None:
        """Publish the manifest; the journal has done its duty."""
        path = self._destination / f".{FILE}.partial"
        with path.open("w", encoding="utf-8") as file:
            file.write(manifest.to_json())
            file.flush()
            os.fsync(file.fileno())
        path.replace(self._destination / FILE)
        self._path.unlink()

    def remove_partials(self) -> None:
        """Remove what was half written."""
        for job in self._plan.jobs:
            with contextlib.suppress(OSError):
                partial_path(self._destination, job.name).unlink()

    def _begin(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadData(f"{self._destination}: another build is at work there") from None
        self._file.seek(0)
        lines = [_parsed(line) for line in self._file.read().splitlines()]
        if not lines:
            self._append({"fingerprint": self._plan.fingerprint})
        elif not lines[0] or lines[0].get("fingerprint") != self._plan.fingerprint:
            raise BadData(
                f"{self._destination} holds an unfinished build of other files or another number "
                f"of shards; {_EMPTY}, or delete what is in it"
            )
        for line in lines[1:]:
            if line:  # a line cut by a crash counts for nothing: its shard is built again
                self._take(ShardEntry(**line["shard"]), line["left_out"])
        self.remove_partials()

    def _take(self, entry: ShardEntry, left_out: list[dict[str, Any]]) -> None:
        with contextlib.suppress(OSError):
            if (self._destination / entry.name).stat().st_size == entry.bytes:
                self.done[entry.name] = entry
                self.left_out.update((bad["file"], bad) for bad in left_out)

    def _append(self, line: dict[str, Any]) -> None:
        self._file.seek(0, os.SEEK_END)
        if self._file.tell():
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")
        self._file.write(json.dumps(line).encode("ascii") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _check_empty(self) -> None:
        names = [entry.name for entry in os.scandir(self._destination)]
        strange = sorted(n for n in names if not n.startswith("."))
        if strange:
            raise BadData(f"{self._destination} holds {strange[0]} already; {_EMPTY}")


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
