"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from remote.errors import ClewError


@contextlib.contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """A path beside ``target`` to write to; it becomes ``target`` when all went well.

    Raises:
        ClewError: it cannot be written; what was at ``target`` is as it was.
    """
    part: Path | None = None
    try:
        number, name = tempfile.mkstemp(dir=target.parent, prefix=".clew-", suffix=".part")
        os.close(number)
        part = Path(name)
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        _like_any_new_file(part)
        os.replace(part, target)
    except OSError as error:
        raise ClewError(
            f"{target} cannot be written: {error.strerror or error}",
            remedy="Choose a folder that can be written to and has room.",
        ) from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def write_text_whole(target: Path, text: str) -> Path:
    """Write ``text`` as UTF-8. Raises ClewError."""
    with written_whole(target) as part:
        part.write_text(text, encoding="utf-8", newline="")
    return target


def _like_any_new_file(part: Path) -> None:
    """mkstemp keeps others from reading; a file that a user asked for is as their umask says."""
    if os.name == "posix":
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
