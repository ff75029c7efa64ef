"""Writing a run bundle: one ``.clewrun`` file that any Clew opens and replays."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from remote.errors import Cancelled, ClewError
from remote.export.atomic import written_whole
from remote.export.content import MANIFEST, VERSION, content_hash, entries
from remote.history import History

SUFFIX = ".clewrun"
SPARE_BYTES = 64 << 20
MOST_RATIO = 100
"""A bundle unpacks to at most this many times its size, and SPARE_BYTES: no honest one does."""
Progress = Callable[[int, int], None]
"""Takes the bytes that are done, and about how many there are."""


def write_bundle(
    history: History,
    run_id: str,
    target: Path,
    *,
    progress: Progress = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Write a run with all its events and logs to ``target``, whole or not at all.

    Raises:
        HistoryError: there is no such run, or it cannot be read.
        ClewError: the file cannot be written.
        Cancelled: ``cancelled`` said so.
    """
    with written_whole(target) as part:
        for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            total = _write(history, run_id, part, method, progress, cancelled)
            if total <= most_bytes(part.stat().st_size):
                break  # else it is so even that a reader would take it for a bomb: not packed
    return target


def most_bytes(packed: int) -> int:
    """What a bundle of ``packed`` bytes may unpack to."""
    return SPARE_BYTES + MOST_RATIO * packed


def _write(
    history: History,
    run_id: str,
    part: Path,
    method: int,
    progress: Progress,
    cancelled: Callable[[], bool],
) -> int:
    done = 0

    def write(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> tuple[int, str]:
        nonlocal done
        digest, count = hashlib.sha256(), 0
        with archive.open(_info(name, method), "w", force_zip64=True) as file:
            for piece in pieces:
                if cancelled():
                    raise Cancelled("the bundle was not written")
                file.write(piece)
                digest.update(piece)
                count += len(piece)
                done += len(piece)
                progress(min(done, total), total)
        return count, digest.hexdigest()

    remark = history.remark(run_id)
    with history.rows(run_id) as rows, zipfile.ZipFile(part, "w") as archive:
        total = max(1, rows.bytes())
        try:
            found = {e.name: write(archive, e.name, e.pieces) for e in entries(rows, remark)}
        except ValueError as error:  # not a number where one has to be, or text that is no JSON
            raise ClewError(f"run {run_id} cannot be put into a bundle: {error}") from None
        manifest = {
            "clewrun": VERSION,
            "run": run_id,
            "written_at": round(time.time(), 3),
            "files": {n: {"bytes": size, "sha256": sha} for n, (size, sha) in found.items()},
            "content": content_hash({name: sha for name, (_, sha) in found.items()}),
        }
        text = json.dumps(manifest, indent=1).encode("ascii")
        archive.writestr(_info(MANIFEST, method), text)
    return done


def _info(name: str, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, time.gmtime()[:6])
    info.compress_type = method
    info.external_attr = 0o644 << 16
    return info
