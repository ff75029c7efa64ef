"""Sets of wheels on this computer: each fetched once, whoever asks for it.

    <folder>/<key>/wheels/*.whl     what pip fetched for some packages and one kind of Python
    <folder>/<key>/note.json        written last: packages, digest of the tree

A set stays as it is once it is there, so that nodes which join later get the same versions.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs

from remote.bundle import Tree, folder_tree
from remote.errors import Cancelled, ClewError
from remote.facts import BasePython
from remote.node import files, layout, parts
from remote.wheels import tags
from remote.wheels.download import download

_DATA_DIR_VARIABLE = "CLEW_DATA_DIR"
_NOTE = "note.json"
_WHEELS = "wheels"
_NOBODY_ASKS = ("platform_release", "platform_version")
_LOCK_POLL_S = 0.2


def cache_folder() -> Path:
    """Where this account's wheels are kept; everything below may be deleted."""
    own = os.environ.get(_DATA_DIR_VARIABLE)
    base = Path(own) if own else platformdirs.user_cache_path("clew", appauthor=False)
    return base / _WHEELS


class WheelStore:
    """The sets of wheels below ``folder``, which several processes may share."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder()

    def digests(self, packages: Sequence[str]) -> tuple[str, ...]:
        """The digests of all sets that are here for ``packages``, newest first."""
        wanted, found = sorted(packages), list[tuple[float, str]]()
        for path in self._folder.glob(f"*/{_NOTE}"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                note = json.loads(path.read_bytes())
                if sorted(note["packages"]) == wanted:
                    found.append((float(note["made_at"]), str(note["digest"])))
        return tuple(digest for _, digest in sorted(found, reverse=True))

    def get(
        self,
        packages: Sequence[str],
        base: BasePython,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
    ) -> Tree:
        """The wheels for ``packages`` on a node with this Python, fetched unless they are here.

        ``progress`` gets bytes done and known to be needed. Blocks, also while another thread or
        process fetches the same. What broke off goes on where it was; what was cancelled is gone.

        Raises:
            Cancelled: ``cancelled`` said so.
            ClewError: they cannot be fetched; says why.
        """
        wanted = [*packages] if base.ensurepip else [*packages, "pip"]
        final = self._folder / _key(wanted, base)
        try:
            if not (final / _WHEELS).is_dir():
                self._fetch(final, wanted, base, progress, cancelled)
            tree = folder_tree(final / _WHEELS, _WHEELS)
            if not (final / _NOTE).exists():
                note = {
                    "packages": list(packages),
                    "digest": tree.id.digest,
                    "made_at": time.time(),
                }
                files.publish(str(final / _NOTE), json.dumps(note).encode("ascii"))
        except OSError as error:
            what = f"the wheels cannot be kept in {self._folder}: {error.strerror or error}"
            raise ClewError(what, remedy="Free some space there, or make it writable.") from None
        return tree

    def _fetch(
        self,
        final: Path,
        wanted: Sequence[str],
        base: BasePython,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        parts.remove_stale(str(self._folder))
        part = self._folder / f"{layout.PART_PREFIX}{final.name}"
        lock = self._hold(part, final, cancelled)
        try:
            if (final / _WHEELS).is_dir():  # somebody else's, just now
                parts.discard(str(part))
                return
            download(wanted, base, part, progress, cancelled)
            shutil.rmtree(part / "scratch", ignore_errors=True)
            part.rename(final)
            files.remove_quietly(str(final / layout.JOURNAL))
        except Cancelled:
            parts.discard(str(part))
            raise
        except ClewError:
            if not any(part.glob(f"{_WHEELS}/*.whl")):  # else the next attempt goes on from there
                parts.discard(str(part))
            raise
        finally:
            os.close(lock)

    def _hold(self, part: Path, final: Path, cancelled: Callable[[], bool]) -> int:
        """Become the only one who fetches this set."""
        while True:
            if cancelled():
                raise Cancelled("fetching wheels was stopped")
            try:
                return parts.hold(str(part))
            except BlockingIOError:
                time.sleep(_LOCK_POLL_S)
            except OSError as error:
                if error.errno not in parts.NO_LOCKS:
                    raise
                return parts.open_journal(str(part))


def _key(wanted: Sequence[str], base: BasePython) -> str:
    """Nodes that differ in what no package asks for, such as the kernel's build, are equal."""
    markers = {k: v for k, v in base.markers.items() if k not in _NOBODY_ASKS}
    text = json.dumps([sorted(wanted), tags.options(base), sorted(markers.items())])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]
