"""One task's supervisor: starts it, starts it again by policy, records every end.

``PYTHONPATH=<app> python3 -m remote.node.supervisor TASK_DIR`` detaches itself, publishes
``state.json`` and goes on without any connection. SIGTERM, a stop order (``remote.node.orders``),
the run's time limit, or the end of a task that the run cannot do without, stops the task. A
supervisor that is killed is replaced by its guard (``remote.node.guard``), and the task goes on.
"""

import os
import select
import signal
import sys
import time
from typing import Any, Dict, List, Optional, Tuple

from remote.node import attempts, endings, layout, orders, policy, record, sampler, texts
from remote.node.disk_trouble import DiskWatch
from remote.node.files import read
from remote.node.guard import Guard, Post, adopt_orphans, identity, parse_exits
from remote.node.reasons import Reasons

READY_FD_VARIABLE = "CLEW_READY_FD"
_TICK_S = 0.5
_LAST_RETRY_S = 600.0


class Supervisor:
    """Runs one task to its end. Single-threaded but for what looks at peers; woken by signals."""

    def __init__(self, task_dir: str, post: Post) -> None:
        self._dir = task_dir
        data = read(os.path.join(task_dir, layout.LAUNCH), record.MAX_STATE_BYTES)
        if data is None:
            raise ValueError("%s/%s cannot be read" % (task_dir, layout.LAUNCH))
        self._launch: Dict[str, Any] = texts.loads(data)
        launch = self._launch
        self._restarts = policy.Restarts(
            launch["restart"], launch["final_exits"], launch.get("retried_exits", ())
        )
        self._post = post
        self._guarded = True
        self._exits: Dict[int, int] = {}
        self._file = record.StateFile(task_dir)
        self._earlier = record.load(task_dir)
        self._record = record.first(launch, self._earlier, post.guard, post.resumes)
        self._reasons = Reasons(task_dir, launch, self._record)
        self._disk = DiskWatch(task_dir)
        self._terminated: Optional[orders.Order] = None
        self._wake_fd = -1

    def run(self, ready_fd: int) -> None:
        """Publish the first record, tell ``ready_fd``, then see the task through."""
        self._catch_signals()
        if self._record["state"] in record.FINAL:
            self._file.remove_spare()
            return  # only what follows the record was cut off
        self._publish(self._record["state"], self._record["reason"])
        if ready_fd >= 0:
            _say_ready(ready_fd)
        with self._reasons:
            self._attempt_until_done()
            self._finish_writing()
            self._reasons.tell_the_end(self._record, self._sleep, self._is_told_to_go)

    def _attempt_until_done(self) -> None:
        going_on = self._taken_over()
        if going_on is None and self._record["state"] == "restarting":
            self._wait_before_restart()
        while True:
            order = self._order()
            if going_on is None and order is not None:
                return self._publish(*self._reasons.stopped(order, ", before it was started again"))
            attempt = self._one_attempt() if going_on is None else self._see_through(going_on)
            going_on = None
            verdict, reason = self._judge(attempt)
            if verdict:
                return self._publish(verdict, reason)
            counts = self._record["restarts"]
            if counts["used"] >= self._restarts.most:
                times = counts["used"] + 1
                more = "; it was started %d times" % times if times > 1 else ""
                return self._publish("failed", reason + more)
            counts["used"] += 1
            ran_s = attempt["ended_at"] - attempt["started_at"]
            counts["in_a_row"] = self._restarts.in_a_row(counts["in_a_row"], ran_s)
            self._publish("restarting", reason)
            self._wait_before_restart()

    def _taken_over(self) -> Optional[attempts.Attempt]:
        """The attempt that an earlier supervisor has begun and not judged, if there is one."""
        last = record.last_attempt(self._record)
        begun = self._post.resumes and self._record["state"] == "running" and last is not None
        if not begun or (last is not None and last["ended_at"] is not None):
            attempts.clear(self._launch, self._spare)
        if not begun:
            return None
        assert last is not None
        running = self._attempt()
        running.take_over(last)
        return running

    def _attempt(self) -> attempts.Attempt:
        return attempts.Attempt(
            self._dir, self._launch, self._post.lease, self._spare, self._publish_again
        )

    def _one_attempt(self) -> Dict[str, Any]:
        running = self._attempt()
        try:
            running.start(len(self._record["attempts"]) + 1)
        except OSError as error:
            what = "cannot start %s: %s" % (self._launch["argv"][0], error.strerror or error)
            self._record["attempts"].append(running.never_started(what))
            return running.record
        self._record["attempts"].append(running.record)
        self._publish("running", "")
        return self._see_through(running)

    def _see_through(self, running: attempts.Attempt) -> Dict[str, Any]:
        while True:
            order = self._order()
            grace_s = None if order is None else order.patience_s
            if running.poll(grace_s, self._exits, self._guarded):
                self._disk.look_now()
                return running.record
            if self._disk.look():
                self._publish_again()
            self._sleep(_TICK_S if order is None else 0.05)

    def _judge(self, attempt: Dict[str, Any]) -> Tuple[str, str]:
        """Final state and reason; an empty state means: start it again."""
        if attempt["exit_code"] == 0 and not attempt.get("ended_by_us"):
            return "finished", ""
        order = self._order()
        if order is not None:
            return self._reasons.stopped(order)
        if attempt["pid"] is None:
            return "failed", attempt["last_lines"][-1]
        reason = endings.describe(attempt)
        if self._disk.trouble is not None:
            reason += "; " + self._disk.trouble
        final = self._restarts.why_final(attempt["exit_code"], attempt["signal"])
        if final is None:
            return "", reason
        return "failed", "; ".join(part for part in (reason, final) if part)

    def _wait_before_restart(self) -> None:
        pause = self._restarts.pause_s(self._record["restarts"]["in_a_row"])
        deadline = time.monotonic() + pause
        while time.monotonic() < deadline and self._order() is None:
            self._sleep(min(_TICK_S, max(0.0, deadline - time.monotonic())))

    def _order(self) -> Optional[orders.Order]:
        """The order that holds for this task, a file's before a signal's; None: it may go on."""
        return orders.find(self._dir) or self._terminated or self._reasons.order()

    def _is_told_to_go(self) -> bool:
        return self._terminated is not None or orders.find(self._dir) is not None

    @property
    def _spare(self) -> Tuple[int, ...]:
        return (self._post.guard,) if self._guarded else ()

    def _publish(self, state: str, reason: str) -> None:
        self._record["state"], self._record["reason"] = state, reason
        self._publish_again()

    def _publish_again(self) -> None:
        self._record["supervisor"]["guard"] = identity(self._post.guard) if self._guarded else None
        self._record["disk"] = self._disk.trouble
        self._file.write(self._record)

    def _finish_writing(self) -> None:
        deadline = time.monotonic() + _LAST_RETRY_S
        while not self._file.retry() and time.monotonic() < deadline and not self._terminated:
            self._sleep(1.0)
        self._file.remove_spare()

    def _catch_signals(self) -> None:
        self._wake_fd, write_fd = os.pipe()
        for fd in (self._wake_fd, write_fd, self._post.exits):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(write_fd)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_terminate)

    def _on_terminate(self, number: int, frame: Any) -> None:
        grace_s = float(self._launch["grace_s"])
        self._terminated = orders.Order(orders.NOW, "", time.time(), grace_s)

    def _sleep(self, seconds: float) -> None:
        """Wait until a signal or the guard's word arrives, or ``seconds`` have passed."""
        self._file.retry()
        fds = [self._wake_fd] + ([self._post.exits] if self._guarded else [])
        ready, _, _ = select.select(fds, [], [], seconds)
        if self._wake_fd in ready:
            _read(self._wake_fd)
        if self._post.exits in ready:
            data = _read(self._post.exits)
            self._exits.update(parse_exits(data or b""))
            if data == b"":
                self._guarded = False
                self._publish_again()


def _read(fd: int) -> Optional[bytes]:
    """What is there; empty: the other end was closed; None: nothing yet."""
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None


def _say_ready(fd: int) -> None:
    try:
        os.write(fd, b"ok\n")
    except OSError:
        pass  # the agent that waited for it was killed; the next one finds the record
    os.close(fd)


def main(arguments: List[str]) -> int:
    """Leave the caller's session and process group, then supervise under a guard."""
    ready_fd = int(os.environ.pop(READY_FD_VARIABLE, "-1"))
    if os.fork():
        os._exit(0)
    os.setsid()
    sampler.join_beside(arguments[0], ready_fd)

    def supervise(post: Post, ready: int) -> None:
        # The next process after it: what its task leaves behind comes here first.
        adopt_orphans()
        Supervisor(arguments[0], post).run(ready)

    return Guard(arguments[0], supervise).run(ready_fd)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
