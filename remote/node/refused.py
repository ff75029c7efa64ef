"""The one error that an operation on a node answers with."""

import errno
import os
from typing import Optional

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NO_WRITE = (errno.EROFS, errno.EACCES, errno.EPERM)


class Refused(Exception):
    """The node cannot do what was asked: one sentence, and what to do next."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


def from_os_error(error: OSError, node: str, path: Optional[str] = None) -> Refused:
    """Put an operating system's error about ``path`` into words."""
    where = path or (os.fsdecode(error.filename) if error.filename else "the node")
    place = "%s:%s" % (node, where) if node else where
    if error.errno in _NO_SPACE:
        return Refused(
            "no space left on %s (quota or disk)" % place,
            "Free some space there, or set storage.root in the profile to another disk.",
        )
    if error.errno in _NO_WRITE:
        why = "read-only" if error.errno == errno.EROFS else "no permission"
        return Refused(
            "cannot write to %s (%s)" % (place, why),
            "Set storage.root in the profile to a folder that you may write to.",
        )
    return Refused("%s: %s" % (place, error.strerror or error), "Look at that path on the node.")


def full(error: OSError) -> bool:
    """Whether ``error`` says that the disk or the quota is used up."""
    return error.errno in _NO_SPACE
