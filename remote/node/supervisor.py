"""One task's supervisor: starts it, starts it again by policy, records every end.

``PYTHONPATH=<app> python3 -m remote.node.supervisor TASK_DIR`` detaches itself, publishes
``state.json`` and goes on without any connection. SIGTERM, or the stop order file, stops the
task. If the supervisor is killed, the task goes on and agents still know it by its record.
"""

import os
import select
import signal
import sys
import time
from typing import Any, Dict, List, Optional, Tuple

from remote.node import attempts, endings, layout, procs, record, sampler, texts
from remote.node.files import read

READY_FD_VARIABLE = "CLEW_READY_FD"
_TICK_S = 0.5
_STABLE_S = 600.0
"""An attempt that ran so long starts the waiting times between restarts anew."""
_LAST_RETRY_S = 600.0


class Supervisor:
    """Runs one task to its end. Single-threaded; woken by signals."""

    def __init__(self, task_dir: str) -> None:
        self._dir = task_dir
        data = read(os.path.join(task_dir, layout.LAUNCH), record.MAX_STATE_BYTES)
        if data is None:
            raise ValueError("%s/%s cannot be read" % (task_dir, layout.LAUNCH))
        self._launch: Dict[str, Any] = texts.loads(data)
        self._file = record.StateFile(task_dir)
        self._record = self._first_record(record.load(task_dir))
        self._terminated = False
        self._wake_fd = -1

    def run(self, ready_fd: int) -> None:
        """Publish the first record, tell ``ready_fd``, then see the task through."""
        self._catch_signals()
        attempts.adopt_orphans()
        self._publish("starting", "")
        if ready_fd >= 0:
            os.write(ready_fd, b"ok\n")
            os.close(ready_fd)
        self._attempt_until_done()
        self._finish_writing()

    def _attempt_until_done(self) -> None:
        done, failures = 0, 0
        most = int(self._launch["restart"]["max"])
        while True:
            if self._grace_s() is not None:
                return self._publish("stopped", "stopped before it was started again")
            attempt = self._one_attempt()
            verdict, reason = self._judge(attempt)
            if verdict:
                return self._publish(verdict, reason)
            done += 1
            if done > most:
                return self._publish("failed", "%s; it was started %d times" % (reason, done))
            long_run = attempt["ended_at"] - attempt["started_at"] >= _STABLE_S
            failures = 1 if long_run else failures + 1
            self._publish("restarting", reason)
            self._wait_before_restart(failures)

    def _one_attempt(self) -> Dict[str, Any]:
        number = len(self._record["attempts"]) + 1
        running = attempts.Attempt(self._dir, self._launch, number)
        try:
            running.start()
        except OSError as error:
            what = "cannot start %s: %s" % (self._launch["argv"][0], error.strerror or error)
            self._record["attempts"].append(running.never_started(what))
            return running.record
        self._record["attempts"].append(running.record)
        self._publish("running", "")
        while not running.poll(self._grace_s()):
            self._sleep(_TICK_S if self._grace_s() is None else 0.05)
        return running.record

    def _judge(self, attempt: Dict[str, Any]) -> Tuple[str, str]:
        """Final state and reason; an empty state means: start it again."""
        if self._grace_s() is not None:
            return "stopped", "stopped as ordered"
        if attempt["exit_code"] == 0:
            return "finished", ""
        lines = attempt["last_lines"]
        if attempt["pid"] is None:
            return "failed", lines[-1]
        reason = endings.describe(attempt["exit_code"], attempt["signal"], attempt["oom"], lines)
        final = attempt["exit_code"] in self._launch["final_exits"]
        return ("failed" if final else ""), reason

    def _wait_before_restart(self, failures: int) -> None:
        policy = self._launch["restart"]
        pause = min(policy["backoff_s"] * 2 ** (failures - 1), policy["backoff_cap_s"])
        deadline = time.monotonic() + pause
        while time.monotonic() < deadline and self._grace_s() is None:
            self._sleep(min(_TICK_S, max(0.0, deadline - time.monotonic())))

    def _grace_s(self) -> Optional[float]:
        """Seconds a stopped task gets to end by itself; None: no stop was ordered."""
        data = read(os.path.join(self._dir, layout.STOP_ORDER), 4096)
        if data is None:
            return float(self._launch["grace_s"]) if self._terminated else None
        try:
            return float(texts.loads(data)["grace_s"])
        except (ValueError, KeyError, TypeError):
            return float(self._launch["grace_s"])

    def _first_record(self, earlier: Optional[record.Record]) -> record.Record:
        launch, pid = self._launch, os.getpid()
        return {
            "v": 1,
            "run_id": launch["run_id"],
            "task": launch["task"],
            "node": launch["node"],
            "hostname": os.uname().nodename,
            "boot_id": procs.boot_id(),
            "ports": launch["ports"],
            "state": "starting",
            "reason": "",
            "supervisor": {"pid": pid, "start_time": procs.start_time(pid)},
            # A node that was rebooted goes on counting attempts where it was.
            "attempts": earlier["attempts"] if earlier else [],
        }

    def _publish(self, state: str, reason: str) -> None:
        self._record["state"], self._record["reason"] = state, reason
        self._file.write(self._record)

    def _finish_writing(self) -> None:
        deadline = time.monotonic() + _LAST_RETRY_S
        while not self._file.retry() and time.monotonic() < deadline and not self._terminated:
            self._sleep(1.0)
        self._file.remove_spare()

    def _catch_signals(self) -> None:
        self._wake_fd, write_fd = os.pipe()
        for fd in (self._wake_fd, write_fd):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(write_fd)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_terminate)

    def _on_terminate(self, number: int, frame: Any) -> None:
        self._terminated = True

    def _sleep(self, seconds: float) -> None:
        """Wait until a signal arrives or ``seconds`` have passed."""
        self._file.retry()
        ready, _, _ = select.select([self._wake_fd], [], [], seconds)
        if ready:
            try:
                os.read(self._wake_fd, 4096)
            except BlockingIOError:
                pass


def main(arguments: List[str]) -> None:
    """Leave the caller's session and process group, then supervise."""
    ready_fd = int(os.environ.pop(READY_FD_VARIABLE, "-1"))
    if os.fork():
        os._exit(0)
    os.setsid()
    sampler.join_beside(arguments[0], ready_fd)
    Supervisor(arguments[0]).run(ready_fd)


if __name__ == "__main__":
    main(sys.argv[1:])
