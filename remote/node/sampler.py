"""The one process of a node that samples it while runs go on, whether or not anybody watches.

Every supervisor is put on a list; the sampler writes into the folder of each run that has a
supervisor alive, and ends when none is left. It belongs to no run, so that stopping one does not
end it, and holds a lock, so that there is only one.
"""

import fcntl
import os
import subprocess
import sys
import threading
import time
import uuid
from typing import Any, Callable, Dict, List, Optional

from remote.node import files, gpu_watch, layout, meter, procs, samples, texts

INTERVAL_S = 1.0
_LOCK = "lock"
_MAX_ENTRY_BYTES = 64 * 1024
_OF_A_RUN = ("CLEW_RUN", "CLEW_TASK", "CLEW_NODE", "CLEW_PORTS", "CLEW_READY_FD")


def join_beside(task_dir: str, ready_fd: int) -> None:
    """Have this node sampled as long as this process, a supervisor, lives; costs it a fork.

    To be called before it adopts orphans: whoever does the work belongs to nobody. ``ready_fd`` is
    not kept open by it. A node that cannot be sampled trains all the same: nothing is raised.
    """
    boss = os.getpid()
    try:
        child = os.fork()
    except OSError:
        return
    if child:
        os.waitpid(child, 0)
        return
    try:
        if os.fork() == 0:
            if ready_fd >= 0:
                os.close(ready_fd)
            os.setsid()
            _join(task_dir, boss)
    finally:
        os._exit(0)


def _join(task_dir: str, boss: int) -> None:
    run = os.path.dirname(task_dir)
    root = os.path.dirname(os.path.dirname(os.path.dirname(run)))
    folder = layout.sampler_folder(root, os.path.basename(run))
    entry = {
        "pid": boss,
        "start_time": procs.start_time(boss),
        "boot_id": procs.boot_id(),
        "folder": run,
        "app": os.environ.get("PYTHONPATH", ""),
    }
    os.makedirs(folder, mode=0o700, exist_ok=True)
    files.publish(os.path.join(folder, uuid.uuid4().hex + ".json"), texts.dumps(entry))
    ensure(folder)


def ensure(folder: str) -> None:
    """Start the sampler, if somebody is on the list and none runs."""
    entries = _entries(folder)
    lock = _lock(folder) if entries else None
    if lock is None:
        return
    os.close(lock)
    environment = {k: v for k, v in os.environ.items() if k not in _OF_A_RUN}
    environment.pop("PYTHONHOME", None)
    environment["PYTHONPATH"] = entries[-1]["app"]
    try:
        subprocess.Popen(
            [sys.executable, "-s", "-S", "-B", "-c", _PROGRAM, folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment,
            start_new_session=True,
        ).wait(20)
    except (OSError, subprocess.TimeoutExpired):
        pass


_PROGRAM = "import sys; from remote.node import sampler; sampler.main(sys.argv[1])"


def main(folder: str) -> None:
    """Leave whoever started it, then sample until no supervisor is left."""
    if os.fork():
        os._exit(0)
    os.setsid()
    os.nice(5)
    while True:
        lock = _lock(folder)
        if lock is None:
            return
        _sample(folder)
        os.close(lock)
        # Somebody who came while the lock was still held has started no other one.
        if not _folders(folder):
            return


def _sample(folder: str) -> None:
    watch = gpu_watch.GpuWatch(_background)
    watch.set_interval(INTERVAL_S)
    source = meter.Meter(watch)
    kept: Dict[str, samples.SampleFile] = {}
    due = time.monotonic()
    try:
        while True:
            runs = _folders(folder)
            if not runs:
                return
            sample = source.sample()
            for run in runs:
                if run not in kept:
                    kept[run] = samples.SampleFile(os.path.join(run, layout.SAMPLES))
                kept[run].add(sample)
            for run in set(kept) - set(runs):
                del kept[run]
            due = max(due + INTERVAL_S, time.monotonic())
            time.sleep(due - time.monotonic())
    finally:
        watch.end()


def _folders(folder: str) -> List[str]:
    """The folders of the runs that have a supervisor alive."""
    found = {entry["folder"] for entry in _entries(folder)}
    return sorted(run for run in found if os.path.isdir(run))


def _entries(folder: str) -> List[Dict[str, Any]]:
    """The supervisors that live; entries of others are removed."""
    found = []
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        return []
    for name in names:
        path = os.path.join(folder, name)
        entry = _entry(path)
        if entry is not None and procs.is_alive(
            entry.get("pid"), entry.get("start_time"), entry.get("boot_id")
        ):
            found.append(entry)
        elif entry is not None:
            files.remove_quietly(path)
    return found


def _entry(path: str) -> Optional[Dict[str, Any]]:
    data = files.read(path, _MAX_ENTRY_BYTES)
    try:
        entry = texts.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    return entry if all(isinstance(entry.get(key), str) for key in ("folder", "app")) else None


def _lock(folder: str) -> Optional[int]:
    """The lock of this node's only sampler; None: another holds it, or there can be none."""
    try:
        fd = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # Where the file system has no locks two might run: rather none.
        os.close(fd)
        return None
    return fd


def _background(target: Callable[[], None]) -> None:
    threading.Thread(target=target, daemon=True).start()
