"""Wheels that pip has fetched, kept whatever becomes of pip.

pip gathers downloads in a folder of its own and hands them out only at its end; one that is killed
or loses its network takes with it all it had. So each finished file is linked out of that folder
as soon as it is whole, and the next pip, told to put its wheels there, finds it.
"""

import os
import re
import shutil
import zipfile
from typing import Dict, List

_SIZE = re.compile(r"Downloading (\S+?)(?<!\.metadata) \(([0-9.]+) (bytes|kB|MB|GB)\)")
_UNITS = {"bytes": 1, "kB": 1000, "MB": 10**6, "GB": 10**9}


class Fetched:
    """The wheels of one unfinished ``folder``.

    ``wheels`` is where pip is to put them, ``scratch`` is to be its folder for temporary files.
    """

    def __init__(self, folder: str) -> None:
        self.wheels = os.path.join(folder, "wheels")
        self.scratch = os.path.join(folder, "scratch")
        self._announced: Dict[str, int] = {}
        self._whole: Dict[str, int] = {}
        """Size of each whole wheel by its name."""

    def begin(self) -> None:
        """Take over what an earlier pip left; what is damaged goes."""
        os.makedirs(self.wheels, mode=0o700, exist_ok=True)
        self.harvest()
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch, mode=0o700, exist_ok=True)
        self._whole.clear()
        for name in os.listdir(self.wheels):
            path = os.path.join(self.wheels, name)
            if _is_sound(path):
                self._whole[name] = os.path.getsize(path)
            else:
                os.unlink(path)

    def heard(self, line: str) -> None:
        """Note the size of a file that pip says it fetches."""
        match = _SIZE.search(line)
        if match:
            name = match.group(1).rpartition("/")[2]
            self._announced[name] = int(float(match.group(2)) * _UNITS[match.group(3)])

    @property
    def answered(self) -> bool:
        """Whether any file came, or began to."""
        return bool(self._announced or self._whole)

    def harvest(self) -> int:
        """Keep what has become whole; the bytes that are there, unfinished ones too."""
        growing = 0
        for path in self._in_scratch():
            name = os.path.basename(path)
            try:
                size = os.path.getsize(path)
                if self._whole.get(name) == size:
                    continue
                growing += size
                if zipfile.is_zipfile(path):  # its directory is at its end
                    self._keep(path, name, size)
                    growing -= size
            except OSError:
                continue  # pip has removed it just now
        return sum(self._whole.values()) + growing

    def total(self, done: int) -> int:
        """The bytes that are known to be needed by now; more turn up while pip looks."""
        known = {**self._announced, **self._whole}
        return max(sum(known.values()), done)

    def names(self) -> List[str]:
        return sorted(name for name in os.listdir(self.wheels) if name.endswith(".whl"))

    def _keep(self, path: str, name: str, size: int) -> None:
        target = os.path.join(self.wheels, name)
        if not os.path.exists(target):
            part = target + ".tmp"
            try:
                os.link(path, target)
            except OSError:  # a file system without hard links
                shutil.copyfile(path, part)
                os.replace(part, target)
        self._whole[name] = size

    def _in_scratch(self) -> List[str]:
        found = []
        for folder, folders, names in os.walk(self.scratch):
            depth = os.path.relpath(folder, self.scratch).count(os.sep)
            if depth >= 1:
                folders.clear()  # sources that are built there may be large
            found += [os.path.join(folder, name) for name in names if name.endswith(".whl")]
        return found


def _is_sound(path: str) -> bool:
    """Whether a wheel can be read through: after a crash, blocks of a file may be missing."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except (OSError, ValueError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile):
        return False
