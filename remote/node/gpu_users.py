"""Which driver there is, and whose processes compute on the GPUs."""

import os
import pwd
import time
from typing import Any, Callable, Dict, List, Optional

from remote.node import gpu_query, procs

_LIMIT_S = 10.0
_MOST = 64


def look() -> Dict[str, Any]:
    """``driver``: its version, empty where it is not told; ``users``: one for each process.

    A process of another account, or outside this container, may not be seen: then its ``user``
    and ``program`` are empty.
    """
    tool = gpu_query.find_tool()
    if tool is None:
        return {"driver": "", "users": []}
    driver = _rows([tool, "--query-gpu=driver_version", "--format=csv,noheader"])
    version = driver[0] if driver and driver[0][:1].isdigit() else ""
    return {"driver": version[:40], "users": computing()[:_MOST]}


def computing() -> List[Dict[str, Any]]:
    """One entry for each process on each GPU; none where the tool is absent or gives no answer."""
    tool = gpu_query.find_tool()
    if tool is None:
        return []
    fields = "--query-compute-apps=gpu_uuid,pid,used_memory"
    apps = _rows([tool, fields, "--format=csv,noheader,nounits"])
    return [found for found in map(_user, apps) if found is not None]


def _rows(argv: List[str]) -> List[str]:
    """The lines of one query that ended well; none otherwise."""
    query, end = gpu_query.Query(argv), time.monotonic() + _LIMIT_S
    lines: List[str] = []
    while time.monotonic() < end:
        got = query.lines(min(1.0, max(0.0, end - time.monotonic())))
        if got is None:
            break
        lines += got
    status = query.close(_past(time.monotonic() + 1.0))
    return [line.strip() for line in lines if line.strip()] if status == 0 else []


def _past(end: float) -> Callable[[], bool]:
    return lambda: time.monotonic() > end


def _user(line: str) -> Optional[Dict[str, Any]]:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != 3 or not cells[1].isdigit() or len(cells[1]) > 9:
        return None
    pid = int(cells[1])
    memory = int(cells[2]) << 20 if cells[2].isdigit() and len(cells[2]) < 9 else None
    marks = procs.environment(pid)
    return {
        "gpu": cells[0][:100],
        "pid": pid,
        "user": _owner(pid),
        "program": procs.program(pid),
        "memory_bytes": memory,
        "run_id": os.fsdecode(marks.get(b"CLEW_RUN", b"")),
    }


def _owner(pid: int) -> str:
    try:
        uid = os.stat("/proc/%d" % pid).st_uid
    except OSError:
        return ""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
