"""A ``.clewrun`` file of anybody, opened with care: nothing in it is believed before it is checked.

Nothing is ever unpacked to a name that the file gives; its parts are read, and no more of them
than they say they have.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remote.errors import ClewError
from remote.export.bundle import most_bytes
from remote.export.content import KNOWN, MANIFEST, VERSION, content_hash
from remote.history import is_run_id

MOST_FILES = 20_000
MOST_MANIFEST = 8 << 20
_CHUNK = 1 << 16
AGAIN = "Get the file once more from whoever has the run."


class Declared(NamedTuple):
    """What the manifest says of one file."""

    bytes: int
    sha256: str


def broken(path: Path, what: str) -> ClewError:
    """A sentence about a bundle that cannot be used."""
    return ClewError(f"{path.name} {what}", remedy=AGAIN)


class Opened:
    """A bundle whose names, sizes and manifest fit each other."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self._archive = archive
        infos = self._infos()
        manifest = self._manifest(infos)
        self.run_id = str(manifest["run"])
        self.version = int(str(manifest["clewrun"]))
        self.files = self._declared(manifest, infos)
        self.total = sum(declared.bytes for declared in self.files.values())
        self.content = content_hash({n: declared.sha256 for n, declared in self.files.items()})

    def pieces(self, name: str, asked: Callable[[int], None]) -> Iterator[bytes]:
        """A file's bytes, checked against its size and hash at the end. Raises ClewError."""
        declared = self.files[name]
        digest, count = hashlib.sha256(), 0
        try:
            with self._archive.open(name) as file:
                while piece := file.read(_CHUNK):
                    count += len(piece)
                    if count > declared.bytes:
                        break
                    digest.update(piece)
                    asked(len(piece))
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise self.broken("is damaged") from None
        if count != declared.bytes or digest.hexdigest() != declared.sha256:
            raise self.broken(f"is damaged: {name} is not what was written")

    def whole(self, name: str, limit: int, asked: Callable[[int], None]) -> bytes:
        """A small file. Raises ClewError."""
        if self.files[name].bytes > limit:
            raise self.broken(f"is no run bundle: {name} is too large")
        return b"".join(self.pieces(name, asked))

    def broken(self, what: str) -> ClewError:
        return broken(self.path, what)

    def _infos(self) -> dict[str, zipfile.ZipInfo]:
        infos = self._archive.infolist()
        names = [info.filename for info in infos]
        if MANIFEST not in names:
            raise self.broken("is no run bundle: it has no manifest")
        if len(infos) > MOST_FILES or len(set(names)) != len(names):
            raise self.broken("is no run bundle: it has the same name twice, or too many files")
        odd = next((n for n in names if n != MANIFEST and not KNOWN.fullmatch(n)), None)
        if odd is not None:
            outside = odd.startswith(("/", "\\")) or ".." in odd or ":" in odd
            why = "a file outside of it" if outside else "a file that no run has"
            raise self.broken(f"is no run bundle: it names {why}, {odd[:80]!r}")
        packed = self.path.stat().st_size
        if sum(info.file_size for info in infos) > most_bytes(packed):
            raise self.broken("is no run bundle: it would unpack to far more than a run is")
        if any(info.flag_bits & 0x1 for info in infos):
            raise self.broken("is encrypted, which no run bundle is")
        return {info.filename: info for info in infos}

    def _manifest(self, infos: dict[str, zipfile.ZipInfo]) -> dict[str, object]:
        if infos[MANIFEST].file_size > MOST_MANIFEST:
            raise self.broken("is no run bundle: its manifest is too large")
        try:
            with self._archive.open(MANIFEST) as file:
                data = json.loads(file.read(MOST_MANIFEST))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise self.broken("is damaged") from None
        except (ValueError, RecursionError):
            raise self.broken("is no run bundle: its manifest cannot be read") from None
        version = data.get("clewrun") if isinstance(data, dict) else None
        if type(version) is not int or version < 1:
            raise self.broken("is no run bundle: its manifest says no version")
        if version > VERSION:
            raise ClewError(
                f"{self.path.name} was written by a newer Clew (bundle version {version})",
                remedy="Install the newest Clew to open it.",
            )
        if not isinstance(data.get("run"), str) or not is_run_id(data["run"]):
            raise self.broken("is no run bundle: its run has no proper name")
        return dict(data)

    def _declared(
        self, manifest: dict[str, object], infos: dict[str, zipfile.ZipInfo]
    ) -> dict[str, Declared]:
        files = manifest.get("files")
        if not isinstance(files, dict) or files.keys() != infos.keys() - {MANIFEST}:
            raise self.broken("is damaged: its files are not those of its manifest")
        found = {}
        for name, data in files.items():
            size = data.get("bytes") if isinstance(data, dict) else None
            if type(size) is not int or size != infos[name].file_size:
                raise self.broken(f"is damaged: {name} has another size than its manifest says")
            found[name] = Declared(size, str(data.get("sha256")))
        return found


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a bundle. Raises ClewError with one sentence about whatever is wrong with it."""
    try:
        if not path.is_file():
            raise ClewError(
                f"{path} is no file" if path.exists() else f"there is no file {path}",
                remedy="Name a .clewrun file.",
            )
        # A file of our own: what was not read to its end would keep the archive's open.
        with path.open("rb") as file:
            yield Opened(path, _archive(file, path))
    except OSError as error:
        raise ClewError(f"{path} cannot be read: {error.strerror or error}") from None


def _archive(file: BinaryIO, path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        raise broken(path, "is no run bundle, or only a part of one") from None
