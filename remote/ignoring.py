"""Which files of a folder stay here: what its ``.gitignore`` and ``.clewignore`` files say.

The patterns are git's (https://git-scm.com/docs/gitignore): a file of them counts for the folder
that it is in and below, a deeper file has the last word, and so does ``.clewignore`` over
``.gitignore``. As in git, nothing can be brought back below a folder that is left out. The library
reads the patterns; which of them counts is decided here, as it is asked about folders too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from remote.errors import DataError

GIT, CLEW = ".gitignore", ".clewignore"


class Ignored:
    """Asked about the paths of one folder from the top down; reads pattern files as it goes.

    Args:
        root: the folder.
        names: the pattern files that count, the strongest last.
    """

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        self._root = root
        self._names = names
        self._patterns: dict[str, list[GitIgnoreSpecPattern]] = {}

    def __contains__(self, path: str) -> bool:
        """Whether a relative path, with ``/`` and at its end if it is a folder, stays here.

        Raises:
            DataError: a pattern file cannot be read, or a line of it is no pattern.
        """
        parts = path.rstrip("/").split("/")
        for depth in range(len(parts) - 1, -1, -1):
            inside = "/".join(parts[depth:]) + "/" * path.endswith("/")
            for pattern in reversed(self._patterns_of("/".join(parts[:depth]))):
                if _is_meant(pattern, inside):
                    return bool(pattern.include)
        return False

    def _patterns_of(self, folder: str) -> list[GitIgnoreSpecPattern]:
        if folder not in self._patterns:
            files = [self._root / folder / name for name in self._names]
            self._patterns[folder] = [
                pattern for file in files if file.is_file() for pattern in _read(file)
            ]
        return self._patterns[folder]


def _is_meant(pattern: GitIgnoreSpecPattern, path: str) -> bool:
    """Whether a pattern matches a path itself, not only a folder above it."""
    regex = pattern.regex
    match = regex.search(path) if regex is not None else None
    if regex is None or match is None:
        return False
    # The library marks by a named group that a match ends with a folder's slash; one that does so
    # without the mark is of ``x/**``, which means what is in the folder and not the folder.
    if not any(match.groupdict().values()):
        return not (path.endswith("/") and match.end() == len(path))
    return match.end() == len(path) or regex.search(path, len(path) - 1) is not None


def _read(file: Path) -> list[GitIgnoreSpecPattern]:
    try:
        lines = file.read_bytes().decode("utf-8-sig", "surrogateescape").splitlines()
        patterns = [GitIgnoreSpecPattern(line) for line in lines]
        return [pattern for pattern in patterns if pattern.include is not None]
    except OSError as error:
        what = f"{file} cannot be read: {error.strerror or error}"
        raise DataError(what, remedy="Look at that file, and try again.") from None
    except (ValueError, re.error) as error:
        what = f"{file} holds a line that is no pattern of files: {error}"
        raise DataError(what, remedy="Correct that line.") from None
