"""``manifest.json``: what ``trainer.build_shards`` wrote into a folder, and how to trust it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trainer.failures import BadData

FILE = "manifest.json"
FORMAT = "clew-shards"
VERSION = 1
SPLITS = ("train", "validation")


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardEntry:
    """One shard: how many records and bytes it must have."""

    name: str
    records: int
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """``classes[k]`` is the name of label ``label_base + k``; ``left_out``: files not packed.

    ``held_out``: the validation images were taken out of the training folder. ``fingerprint``
    stands for what was packed, and how.
    """

    label_base: int
    classes: tuple[str, ...]
    train: tuple[ShardEntry, ...]
    validation: tuple[ShardEntry, ...]
    left_out: tuple[dict[str, Any], ...] = ()
    held_out: bool = False
    fingerprint: str = ""

    def split(self, name: str) -> tuple[ShardEntry, ...]:
        return self.train if name == "train" else self.validation

    def to_json(self) -> str:
        data = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return json.dumps(data, indent=1, sort_keys=True) + "\n"


def read_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest; None when there is none. Raises ``BadData``."""
    path = folder / FILE
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
            raise ValueError("it is not one of ours")
        if data.pop("version", None) != VERSION:
            raise ValueError("its version is unknown; update Clew on this machine")
        return _manifest(data)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadData(
            f"{path} is not a manifest of shards ({error}); build the shards again, or move it away"
        ) from None


def check_sizes(folder: Path, manifest: Manifest) -> None:
    """Compare every shard's size with the manifest. Raises ``BadData`` that names the shard."""
    for name in SPLITS:
        for entry in manifest.split(name):
            path = folder / entry.name
            try:
                size = path.stat().st_size
            except OSError as error:
                raise BadData(
                    f"{path} is in the manifest but cannot be read ({error.strerror}); "
                    "copy it again or build it again"
                ) from None
            if size != entry.bytes:
                differs = f"short by {entry.bytes - size}" if size < entry.bytes else "too long by"
                extra = "" if size < entry.bytes else f" {size - entry.bytes}"
                raise BadData(
                    f"{path} is {differs}{extra} bytes: the manifest says {entry.records} records "
                    f"in {entry.bytes} bytes; copy it again or build it again"
                )


def _manifest(data: dict[str, Any]) -> Manifest:
    splits = {name: tuple(_entry(each) for each in data[name]) for name in SPLITS}
    base, classes = data["label_base"], tuple(data["classes"])
    if base not in (0, 1) or not classes or not all(isinstance(c, str) for c in classes):
        raise ValueError("its labels make no sense")
    return Manifest(
        label_base=base,
        classes=classes,
        train=splits["train"],
        validation=splits["validation"],
        left_out=tuple(data.get("left_out", ())),
        held_out=bool(data.get("held_out", False)),
        fingerprint=str(data.get("fingerprint", "")),
    )


def _entry(data: dict[str, Any]) -> ShardEntry:
    entry = ShardEntry(**data)
    if Path(entry.name).name != entry.name or entry.name in ("", ".", ".."):
        raise ValueError(f"{entry.name!r} is not a file name")
    if type(entry.records) is not int or type(entry.bytes) is not int or entry.records < 0:
        raise ValueError(f"the counts of {entry.name} make no sense")
    return entry
