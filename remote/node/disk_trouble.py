"""Whether a task's folder takes data: tried by writing, since free space says nothing of quotas."""

import errno
import os
import time
from typing import Optional

from remote.node import files

EVERY_S = 5.0
_BYTES = 4096
_NAME = ".space.tmp"
_WORDS = {
    errno.ENOSPC: "no space left in %s",
    errno.EDQUOT: "the disk quota of %s is used up",
    errno.EROFS: "%s became read-only",
    errno.EFBIG: "the limit on the size of files in %s is reached",
}


class DiskWatch:
    """Tries a few bytes now and then; what it finds goes into the task's record."""

    def __init__(self, task_dir: str) -> None:
        self._dir = task_dir
        self._next = time.monotonic() + EVERY_S
        self.trouble: Optional[str] = None
        """One sentence about what is wrong now; None: data can be written."""

    def look(self) -> bool:
        """Try, if it is time; True: what :attr:`trouble` says has changed."""
        if time.monotonic() < self._next:
            return False
        return self.look_now()

    def look_now(self) -> bool:
        """Try at once."""
        self._next = time.monotonic() + EVERY_S
        before, self.trouble = self.trouble, self._try()
        return self.trouble != before

    def _try(self) -> Optional[str]:
        path = os.path.join(self._dir, _NAME)
        files.remove_quietly(path)  # of one that was killed
        try:
            files.write_new(path, b" " * _BYTES)
        except OSError as error:
            words = _WORDS.get(error.errno or 0)
            known = "%s cannot be written to: " + (error.strerror or str(error)).replace("%", "%%")
            return (words or known) % self._dir
        finally:
            files.remove_quietly(path)
        return None
