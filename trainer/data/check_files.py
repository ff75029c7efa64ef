"""What single files really are: images, IDX, CIFAR-10 batches, TFRecords, or something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trainer.data.check_images import describe
from trainer.data.cifar10 import RECORD, RECORDS, read_batch
from trainer.data.idx import IMAGES, LABELS, read_idx
from trainer.data.image_kinds import ImageKind, inspect
from trainer.data.kinds import BadFile
from trainer.data.magic import GZIP
from trainer.data.tfrecord import walk
from trainer.failures import BadData

_IMAGE_STARTS = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"BM", b"RIFF")
MAX_BYTES = 256 << 20


def look_at(path: Path) -> BadFile:
    """What ``path`` holds. Never raises for what is in the file or for a file that is not there."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES)
    except OSError as error:
        note = error.strerror or str(error)
        return BadFile(file=str(path), kind="unreadable", usable=False, note=note)
    name = path.name.lower()
    if "idx" in name or (name.endswith((".gz", "-ubyte")) and not _is_image(content)):
        return _packed(path, "IDX file", lambda: _idx(path))
    if name.endswith(".bin"):
        return _packed(path, "CIFAR-10 batch", lambda: _cifar10(path))
    if "tfrecord" in name or "-of-" in name:
        return _packed(path, "TFRecord file", lambda: f"{len(walk(path))} records")
    if content:
        return describe(str(path), inspect(content))
    return describe(str(path), ImageKind("empty", False, "get the file again"))


def _is_image(content: bytes) -> bool:
    return content.startswith(_IMAGE_STARTS)


def _packed(path: Path, kind: str, look: Callable[[], str]) -> BadFile:
    try:
        return BadFile(file=str(path), kind=kind, usable=True, note=look())
    except BadData as error:
        note = str(error).removeprefix(str(path)).lstrip(": ")
        return BadFile(file=str(path), kind=f"no sound {kind}", usable=False, note=note)


def _idx(path: Path) -> str:
    """Images or labels, whichever its name ends on; images where it says neither."""
    name = path.name.lower()
    wanted = LABELS if name.rfind("label") > name.rfind("image") else IMAGES
    dims = read_idx(path, wanted).dims
    with path.open("rb") as file:
        plain = name.endswith(".gz") and file.read(2) != GZIP
    what = "labels" if wanted == LABELS else "images"
    return " x ".join(map(str, dims)) + f" {what}" + (", not compressed" if plain else "")


def _cifar10(path: Path) -> str:
    read_batch(path)
    return f"{RECORDS} records of {RECORD} bytes"
