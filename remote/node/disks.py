"""The disks that a run writes to or reads from; a real write decides, ``df`` knows no quota."""

import os
import re
import shutil
import signal
import subprocess
import time
import uuid
from typing import Any, Dict, List, Optional, Tuple

from remote.node import files, storage
from remote.node.refused import Refused, from_os_error

_TRIAL_BYTES = 1 << 20
_QUOTA_S = 3.0
_LINES = 6
_ESCAPE = re.compile(r"\\([0-7]{3})")


def look(purpose: str, path: str, node: str) -> Dict[str, Any]:
    """One disk: what is free, how it is mounted, and whether a file can be written and read back.

    ``path`` need not exist: what is asked is where it would be made. ``purpose`` ``data`` is
    only read, every other is written to.
    """
    wide = storage.expand(path)
    folder = _nearest(wide)
    found = os.statvfs(folder)
    device, kind, options = _mount(folder)
    disk: Dict[str, Any] = {
        "purpose": purpose,
        "path": wide,
        "device": "%d:%d" % (os.major(device), os.minor(device)),
        "kind": kind,
        "free_bytes": found.f_bavail * found.f_frsize,
        "total_bytes": found.f_blocks * found.f_frsize,
        "free_files": found.f_favail if found.f_files else None,
        "read_only": bool(found.f_flag & os.ST_RDONLY) or "ro" in options,
        "no_exec": bool(found.f_flag & os.ST_NOEXEC),
        "error": "",
        "remedy": "",
        "write_s": None,
    }
    try:
        if purpose == "data":
            if not os.path.isdir(wide) or not os.access(wide, os.R_OK | os.X_OK):
                raise Refused("the data folder %s cannot be read" % wide, "Correct its path.")
        else:
            disk["write_s"] = _write(folder)
    except OSError as error:
        refused = from_os_error(error, node, wide)
        disk["error"], disk["remedy"] = refused.what, refused.remedy
    except Refused as error:
        disk["error"], disk["remedy"] = error.what, error.remedy
    return disk


def quota() -> List[str]:
    """What ``quota -q`` says about limits that are passed; nothing where there is no quota."""
    tool = shutil.which("quota")
    if tool is None:
        return []
    process = subprocess.Popen(
        [tool, "-q"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        out = process.communicate(timeout=_QUOTA_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return []
    lines = [" ".join(line.split()) for line in out.decode("utf-8", "replace").splitlines()]
    return ["".join(c for c in line if c.isprintable())[:200] for line in lines if line][:_LINES]


def _write(folder: str) -> float:
    """Seconds to write, flush, rename, read back and remove a file. Raises OSError, Refused."""
    data = os.urandom(4096) * (_TRIAL_BYTES // 4096)
    first = os.path.join(folder, ".clew-check-" + uuid.uuid4().hex[:12])
    second = first + ".renamed"
    begin = time.monotonic()
    try:
        files.write_new(first, data)
        os.rename(first, second)
        seconds = time.monotonic() - begin
        with open(second, "rb") as file:
            if file.read() != data:
                raise Refused("%s gave back other bytes than were written" % folder, "Use another.")
    finally:
        files.remove_quietly(first)
        files.remove_quietly(second)
    return seconds


def _nearest(path: str) -> str:
    """The folder itself, or the first one above it that is there."""
    while not os.path.isdir(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def _mount(folder: str) -> Tuple[int, str, List[str]]:
    """Device, type and options of the mount that ``folder`` is on (proc(5): mountinfo)."""
    device = os.stat(folder).st_dev
    best: Optional[Tuple[str, List[str], str]] = None
    real = os.path.realpath(folder)
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                words = line.split()
                point = _ESCAPE.sub(lambda found: chr(int(found.group(1), 8)), words[4])
                inside = real == point or real.startswith(point.rstrip("/") + "/")
                if inside and (best is None or len(point) >= len(best[2])):
                    best = (words[words.index("-") + 1], words[5].split(","), point)
    except (OSError, ValueError, IndexError):
        pass
    return device, best[0] if best else "", best[1] if best else []
