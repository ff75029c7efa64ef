"""``python -m trainer.build_shards SOURCE DEST``: TFRecord shards from a folder of images.

``SOURCE`` holds ``train/<class>/*.JPEG`` and, perhaps, ``val/<class>/*.JPEG``; ``DEST`` is a new or
empty folder, or that of a build that was interrupted, which then goes on. Needs neither TensorFlow
nor NumPy. The same source gives the same bytes. Standard output has one JSON object per line::

    {"type": "progress", "shards": 3, "of_shards": 8, "images": 4100, "of_images": 10000,
     "bytes": ..., "of_bytes": ..., "seconds": 12.0, "eta_s": 17.5}              each second
    {"type": "bad", "file": "train/n01/x.JPEG", "kind": "empty", "note": ...}    is left out
    {"type": "result", "state": "finished", "train": 9500, "validation": 500, "classes": 10,
     "shards": 8, "bytes": ..., "left_out": 1, "held_out": true, "seconds": 30.1}
    {"type": "result", "state": "failed", "error": "..."}    or "state": "stopped"

It ends with 0, ``EXIT_BAD_DATA`` for a bad source or destination, 1 when nothing can be written, 2
for wrong arguments, 130 when it was stopped (SIGTERM, SIGINT, or nobody reads its output).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from trainer.data.manifest import SPLITS, Manifest
from trainer.failures import BadData, StopRequested
from trainer.packing.build import CannotWrite, Limits, build
from trainer.packing.plan import make_plan
from trainer.spec import EXIT_BAD_DATA, EXIT_FINISHED

EXIT_CANNOT_WRITE = 1
EXIT_STOPPED = 130


def main(arguments: list[str]) -> int:
    """Build, reporting on standard output; returns the exit status."""
    wanted = _parser().parse_args(arguments)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    started = time.monotonic()
    reporter = _Reporter(stop)
    try:
        _check_apart(wanted.source, wanted.destination)
        plan = make_plan(wanted.source, wanted.shards, wanted.validation_shards)
        limits = Limits(processes=wanted.processes, bad_files=wanted.max_bad)
        manifest = build(plan, wanted.destination, limits, reporter.emit, stop.is_set)
    except BadData as error:
        return reporter.end("failed", EXIT_BAD_DATA, error=str(error))
    except CannotWrite as error:
        return reporter.end("failed", EXIT_CANNOT_WRITE, error=str(error))
    except StopRequested:
        return reporter.end("stopped", EXIT_STOPPED)
    seconds = round(time.monotonic() - started, 1)
    return reporter.end("finished", EXIT_FINISHED, **_totals(manifest), seconds=seconds)


class _Reporter:
    """Writes JSON lines; when nobody reads them any more, the build is to stop."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def emit(self, message: dict[str, Any]) -> None:
        try:
            print(json.dumps(message), flush=True)
        except (BrokenPipeError, ValueError):
            self._stop.set()
            # Python flushes standard output once more at exit: there must be something to take it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def end(self, state: str, status: int, **more: object) -> int:
        self.emit({"type": "result", "state": state, **more})
        return status


def _totals(manifest: Manifest) -> dict[str, Any]:
    entries = {name: manifest.split(name) for name in SPLITS}
    everything = [entry for part in entries.values() for entry in part]
    return {
        **{name: sum(entry.records for entry in part) for name, part in entries.items()},
        "classes": len(manifest.classes),
        "shards": len(everything),
        "bytes": sum(entry.bytes for entry in everything),
        "left_out": len(manifest.left_out),
        "held_out": manifest.held_out,
    }


def _check_apart(source: Path, destination: Path) -> None:
    inside = destination.resolve()
    if any(inside.is_relative_to(source.resolve() / name) for name in ("train", "val")):
        raise BadData(f"{destination} lies among the images themselves; give another folder")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trainer.build_shards", allow_abbrev=False)
    parser.add_argument("source", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--shards", type=_count, help="training shards (default: of 128 MB)")
    parser.add_argument("--validation-shards", type=_count)
    parser.add_argument("--processes", type=_count, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--max-bad", type=int, default=100, help="bad files to leave out")
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 99_999):
        raise argparse.ArgumentTypeError("give a number from 1 to 99999")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
