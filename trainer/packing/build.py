"""The builder: hands shards to packing processes, keeps the journal, reports progress."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainer.data.manifest import SPLITS, Manifest, ShardEntry, read_manifest
from trainer.failures import BadData, StopRequested
from trainer.packing.journal import Journal
from trainer.packing.pack import LABEL_BASE
from trainer.packing.plan import Job, Plan

PROGRESS_S = 1.0
_TICK_S = 0.1
_OVERHEAD_BYTES = 512
"""What a record has besides the image, generously."""


class CannotWrite(Exception):
    """Raised when the destination takes no more; one sentence with what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """``processes`` pack at a time; more than ``bad_files`` end the build."""

    processes: int
    bad_files: int


Emit = Callable[[dict[str, Any]], None]


def build(
    plan: Plan, destination: Path, limits: Limits, emit: Emit, cancelled: Callable[[], bool]
) -> Manifest:
    """Build what is not built yet, and write the manifest last.

    Raises:
        BadData: the source has too many bad files, or the destination holds something else.
        CannotWrite: no space, or no right to write.
        StopRequested: ``cancelled`` said so; finished shards stay for the next time.
    """
    existing = read_manifest(destination) if destination.is_dir() else None
    if existing is not None and existing.fingerprint == plan.fingerprint:
        return existing
    try:
        with Journal(destination, plan) as journal:
            _check_space(plan, destination, journal)
            _Build(plan, destination, limits, journal, emit, cancelled).run()
            manifest = _manifest(plan, journal)
            journal.conclude(manifest)
            return manifest
    except OSError as error:
        raise _cannot_write(destination, error.errno, error.strerror or str(error)) from None


class _Build:
    def __init__(
        self,
        plan: Plan,
        destination: Path,
        limits: Limits,
        journal: Journal,
        emit: Emit,
        cancelled: Callable[[], bool],
    ) -> None:
        self._plan = plan
        self._destination = destination
        self._limits = limits
        self._journal = journal
        self._emit = emit
        self._cancelled = cancelled
        self._jobs = deque(job for job in plan.jobs if job.name not in journal.done)
        self._messages: queue.SimpleQueue[tuple[Job, dict[str, Any]]] = queue.SimpleQueue()
        self._bad: dict[str, list[dict[str, Any]]] = {job.name: [] for job in plan.jobs}
        done = [job for job in plan.jobs if job.name in journal.done]
        self._images_before = self._images = sum(len(job.files) for job in done)
        self._bytes = sum(job.bytes for job in done)
        self._started = time.monotonic()

    def run(self) -> None:
        count = min(self._limits.processes, len(self._jobs))
        packers = [_Packer(self._plan, self._destination) for _ in range(count)]
        threads = [
            threading.Thread(target=p.serve, args=(self._jobs, self._messages), daemon=True)
            for p in packers
        ]
        try:
            for thread in threads:
                thread.start()
            self._follow(threads)
        finally:
            self._jobs.clear()
            for packer in packers:
                packer.end()
            for thread in threads:
                thread.join()
            self._journal.remove_partials()
        self._progress()

    def _follow(self, threads: list[threading.Thread]) -> None:
        told_at = 0.0
        while any(thread.is_alive() for thread in threads) or not self._messages.empty():
            if self._cancelled():
                raise StopRequested
            with contextlib.suppress(queue.Empty):
                self._take(*self._messages.get(timeout=_TICK_S))
            if time.monotonic() - told_at >= PROGRESS_S:
                told_at = time.monotonic()
                self._progress()

    def _take(self, job: Job, message: dict[str, Any]) -> None:
        if "images" in message:
            self._images += message["images"]
            self._bytes += message["bytes"]
        elif "bad" in message:
            bad = {"file": message["bad"], "kind": message["kind"], "note": message["note"]}
            self._bad[job.name].append(bad)
            self._emit({"type": "bad", **bad})
            self._check_bad(bad)
        elif "shard" in message:
            entry = ShardEntry(
                name=message["shard"],
                records=message["records"],
                bytes=message["bytes"],
                sha256=message["sha256"],
            )
            self._journal.finish(entry, self._bad[job.name])
        else:
            raise _cannot_write(self._destination, message.get("errno"), message["error"])

    def _check_bad(self, bad: dict[str, Any]) -> None:
        unfinished = sum(
            len(self._bad[job.name])
            for job in self._plan.jobs
            if job.name not in self._journal.done
        )
        count = len(self._journal.left_out) + unfinished
        if count > self._limits.bad_files:
            raise BadData(
                f"{self._plan.source / bad['file']} cannot be used ({bad['kind']}), and it is bad "
                f"file number {count}: more than the {self._limits.bad_files} that are allowed; "
                "mend the source or allow more with --max-bad"
            )

    def _progress(self) -> None:
        seconds = time.monotonic() - self._started
        fresh = self._images - self._images_before
        left = self._plan.images - self._images
        self._emit(
            {
                "type": "progress",
                "shards": len(self._journal.done),
                "of_shards": len(self._plan.jobs),
                "images": self._images,
                "of_images": self._plan.images,
                "bytes": self._bytes,
                "of_bytes": self._plan.bytes,
                "seconds": round(seconds, 1),
                "eta_s": round(seconds * left / fresh, 1) if fresh else None,
            }
        )


class _Packer:
    """One packing process and the thread that talks with it."""

    def __init__(self, plan: Plan, destination: Path) -> None:
        home = str(Path(__file__).parents[2])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "trainer.packing.pack"],
            env={**os.environ, "PYTHONPATH": home, "PYTHONSAFEPATH": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="ascii",
        )
        self._setup = {
            "source": str(plan.source),
            "destination": str(destination),
            "classes": plan.classes,
        }

    def serve(
        self, jobs: deque[Job], messages: queue.SimpleQueue[tuple[Job, dict[str, Any]]]
    ) -> None:
        """Give the process one shard after another, until there is none; pass on what it says."""
        job: Job | None = None
        try:
            self._say(self._setup)
            while jobs:
                try:
                    job = jobs.popleft()
                except IndexError:
                    break
                self._say({"name": job.name, "files": job.files})
                for message in self._heard():
                    messages.put((job, message))
            self._close()
        except (OSError, ValueError):
            if job is not None:
                text = f"the process that wrote {job.name} ended unexpectedly"
                messages.put((job, {"error": text}))

    def end(self) -> None:
        """End the process now."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()

    def _say(self, message: dict[str, Any]) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def _heard(self) -> Iterable[dict[str, Any]]:
        """What it says about one shard, up to its end. Raises ``ValueError`` when it died."""
        while True:
            line = self._process.stdout.readline() if self._process.stdout else ""
            message: dict[str, Any] = json.loads(line)
            yield message
            if "shard" in message or "error" in message:
                return

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


def _check_space(plan: Plan, destination: Path, journal: Journal) -> None:
    needed = sum(
        job.bytes + _OVERHEAD_BYTES * len(job.files)
        for job in plan.jobs
        if job.name not in journal.done
    )
    free = shutil.disk_usage(destination).free
    if free < needed:
        raise CannotWrite(
            f"{destination} has {_size(free)} free, but the shards need {_size(needed)}; "
            "make room or choose another disk"
        )


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _cannot_write(destination: Path, number: int | None, text: str) -> CannotWrite:
    if number in (errno.ENOSPC, errno.EDQUOT):
        return CannotWrite(
            f"{destination}: no space left; make room and build again, finished shards are kept"
        )
    return CannotWrite(f"{destination} cannot be written: {text}")


def _manifest(plan: Plan, journal: Journal) -> Manifest:
    entries = {
        split: tuple(journal.done[job.name] for job in plan.jobs if job.split == split)
        for split in SPLITS
    }
    return Manifest(
        label_base=LABEL_BASE,
        classes=plan.classes,
        train=entries["train"],
        validation=entries["validation"],
        left_out=tuple(journal.left_out[file] for file in sorted(journal.left_out)),
        held_out=plan.held_out,
        fingerprint=plan.fingerprint,
    )
