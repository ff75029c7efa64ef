"""The job that gives a run its nodes: waited for, watched, given back."""

from __future__ import annotations

import threading
import time

from remote.backends import Backend, SlurmBackend
from remote.errors import Cancelled, ClewError, HistoryError, LinkLost, NodesUnfit
from remote.history import JobRecord, TaskRecord
from remote.link import Allocation, SlurmJob
from remote.profile import NodeConfig
from remote.session.attaching import LAUNCH_MAY_TAKE_S, known_tasks, past
from remote.session.lending import Lender
from remote.session.openings import Home
from remote.session.picture import RunPicture
from remote.session.run import Run
from remote.session.shutdown import carried_out, place_orders
from remote.session.slurm.ending import GONE_S, LEAVES_S, JobEnd, not_gone
from remote.session.slurm.lent import Lent
from remote.session.slurm.lookout import ENDED, RUNNING, WAITING, Lookout
from remote.session.slurm.verdict import again_command, unseen, verdict
from remote.session.slurm.watch import JobWatch, Pace
from remote.updates import Leftover, NoticeUpdate, QueueUpdate, RunState

PLACED_S = 1.0
"""Pause between two looks for the tasks' places, once the job runs."""
DOUBT_S = 30.0
"""So long an end of tasks waits for what Slurm says of it."""
MEET_S = 30.0
"""So long a stop that was asked for waits until the nodes can be told of it."""
READ_S = 30.0
"""So long the records of a job that has ended are waited for."""


class Tenancy(Lender):
    """One run and its job. See :class:`~remote.session.lending.Lender` for the threads.

    Args:
        home: the session.
        login: where one logs in.
        lookout: how its job stands.
    """

    def __init__(
        self,
        home: Home,
        run: Run,
        login: NodeConfig,
        lookout: Lookout,
    ) -> None:
        self._home = home
        self._run = run
        self._login = login
        self.lookout = lookout
        self._lent = Lent(home, login)
        self._lock = threading.Lock()
        self._watch: JobWatch | None = None
        self._told: QueueUpdate | None = None
        self._restarts: int | None = None
        self._over: tuple[float, SlurmJob] | None = None
        """When (monotonic) the job was seen at its end, and how it stood."""
        self._end = JobEnd(run.run_id, lookout, run.let_go)
        self.shown = False
        """Whether what the history has of the run was told."""
        self._doubt_at: float | None = None

    def wait(self) -> None:
        """Until the run can be followed, or has ended; on the run's thread.

        Raises:
            ClewError: its tasks cannot be placed.
            Cancelled: the run was let go.
        """
        run, pace = self._run, Pace()
        given_up_at: float | None = None
        while True:
            job = self.lookout.look()
            self._tell(job)
            # In this order: whoever lets a run go says so before it cancels what waits.
            cancelled = run.cancelled.is_set()
            if run.let_go.is_set():
                raise Cancelled("was let go")
            self._say(job)
            if self._take(job):
                return
            if cancelled:
                given_up_at = given_up_at or time.monotonic() + GONE_S
                if job.state != "unknown" or time.monotonic() > given_up_at:
                    self.cancel_waiting()
                    return
                run.let_go.wait(PLACED_S)  # it may run, and is stopped on its nodes then
            pause = pace.after(job)
            run.idle(PLACED_S if job.state in RUNNING else pause)

    def cancel_waiting(self) -> None:
        """The user does not want to wait any longer; ends the run."""
        run = self._run
        run.set_state("stopping", f"cancelling job {self._told.job if self._told else ''}".strip())
        # Whatever becomes of this program, it is done when the login node is heard again.
        self._place_order()
        job = self._end.bring_about(0.0)
        if run.let_go.is_set():
            raise Cancelled("was let go")
        left = not_gone(job, self._login.name)
        if not left:
            carried_out(run.home.history, run.run_id, [self._login.name])
        began = self._allocation() if not left else None
        if began is not None and began.tasks:
            self._over = time.monotonic(), job
            self._show(began, job)
            return
        run.end("stopped", "cancelled while waiting", tuple(left))

    # What the run asks of whoever lends it its nodes.

    def beat(self) -> None:
        watch = self._watch
        if watch is None or self._over is not None:
            return
        _, job = watch.seen
        if job.state in ENDED:
            self._read_records(job)
        elif self._run.cancelled.is_set() or self._end.by_us:
            return
        elif job.state in WAITING or self._began_again(job):
            self._wait_again(job)

    def holds(self) -> bool:
        now = time.monotonic()
        if self._over is not None:
            waited = now - self._over[0]
            return waited < PLACED_S or (waited < READ_S and not self._all_there())
        watch = self._watch
        if watch is None:
            return False
        self._doubt_at = now if self._doubt_at is None else self._doubt_at
        asked_at, job = watch.seen
        if now - self._doubt_at >= DOUBT_S:
            return False
        if asked_at >= self._doubt_at and job.state == "running" and not self._all_ended():
            return False  # the job is well: they ended for reasons of their own
        watch.hurry()
        return True

    def living(self, roots: dict[str, str]) -> dict[str, str]:
        return {} if self._over is not None else roots

    def give_back(self, left: list[Leftover], *, asked: bool) -> list[Leftover]:
        if self._over is None:
            job = self._end.bring_about(0.0 if left else LEAVES_S)
            kept = not_gone(job, self._login.name)
            if kept:
                self._place_order()
                return [*left, *kept]
            self._read_records(job)
        # Slurm ends what is left in an allocation with the job, on nodes that are silent as well.
        roots = list(self._run.roots)
        carried_out(self._run.home.history, self._run.run_id, roots)
        end = time.monotonic() + READ_S
        while not self._all_ended() and time.monotonic() < end and not self._run.let_go.is_set():
            time.sleep(0.1)
        return []

    def verdict(self, state: RunState, reason: str) -> tuple[RunState, str]:
        job = self._over[1] if self._over is not None else SlurmJob()
        return verdict(state, reason, job, by_us=self._end.by_us, again=self._again())

    def close(self) -> None:
        if self._watch is not None:
            self._watch.close()
        if not self._run.let_go.is_set():  # else the session lets go of all at once
            self._lent.close()

    def _place_order(self) -> None:
        run, name = self._run, self._login.name
        if self.lookout.root:
            roots = {name: self.lookout.root}
            place_orders(self._home.nodes, roots, run.run_id, run.home.history, "now")

    # How the job stands.

    def _tell(self, job: SlurmJob) -> None:
        update = self.lookout.update(job)
        if update == self._told:
            return
        known, self._told = self._told, update
        self._run.home.tell(update)
        if job.job and (known is None or known.job != job.job):
            self._record(job)

    def _record(self, job: SlurmJob) -> None:
        node = self._home.nodes.get(self._login.name)
        record = JobRecord(
            run_id=self._run.run_id,
            job=job.job,
            cluster=job.cluster,
            login=node.place if node is not None else "",
            root=self.lookout.root,
        )
        try:
            self._run.home.history.jobs.keep(record)
        except HistoryError as error:
            self._run.home.tell(NoticeUpdate(level="warning", text=str(error)))

    def _say(self, job: SlurmJob) -> None:
        run = self._run
        if job.state in RUNNING:
            where = f" has {', '.join(job.nodes[:4])}" if job.nodes else " runs"
            run.set_state("starting", f"job {job.job}{where}")
        elif job.state in ENDED or job.state in ("unknown", "ending"):
            run.set_state(run.state, job.words)
        else:
            run.set_state("queued", job.words)

    def _take(self, job: SlurmJob) -> bool:
        """Whether the waiting is over with this answer."""
        if job.state in ENDED:
            return self._too_late(job)
        if job.state != "running":
            return False
        allocation = self._allocation()
        if allocation is None or job.restarts not in (None, allocation.restart):
            return False
        self._check_placed(allocation)
        return bool(allocation.tasks) and self._show(allocation, job)

    def _allocation(self) -> Allocation | None:
        """What the job was given; None: nobody can be asked now."""
        try:
            link = self.lookout.link()
            return link.slurm.allocation(root=self.lookout.root, run_id=self._run.run_id)
        except LinkLost:
            return None
        except ClewError:
            node = self._home.nodes.get(self._login.name)
            return Allocation() if node is not None and node.connected else None

    def _check_placed(self, allocation: Allocation) -> None:
        if allocation.failed:
            left = not_gone(self._end.bring_about(LEAVES_S), self._login.name)
            self._run.left = tuple(left)
            raise NodesUnfit(allocation.failed, remedy=allocation.remedy)

    def _too_late(self, job: SlurmJob) -> bool:
        run = self._run
        if job.state == "none" and not job.job:
            record = run.home.history.run(run.run_id)
            began = record.started_at if record is not None else 0.0
            if time.time() < began + LAUNCH_MAY_TAKE_S:
                return False  # somebody else may be about to hand it in
            run.end("failed", "the launch was interrupted before the job was handed in", ())
            return True
        allocation = self._allocation()
        if allocation is None:
            return False
        self._over = time.monotonic(), job
        known = known_tasks(run.home.history, run.run_id)
        if allocation.tasks or known:
            return self._show(allocation, job)
        self._check_placed(allocation)
        run.end(*unseen(job), ())
        return True

    # The nodes.

    def _show(self, allocation: Allocation, job: SlurmJob) -> bool:
        """Follow the tasks where they are."""
        run, history, root = self._run, self._run.home.history, self.lookout.root
        record = history.run(run.run_id)
        assert record is not None
        places = [
            TaskRecord(
                task=one.task,
                node=one.node,
                root=root,
                address=f"{one.address}:{one.port}",
                gpus=one.gpus,
            )
            for one in allocation.tasks
        ]
        history.add_run(record, places)
        picture = RunPicture(run.run_id, known_tasks(history, run.run_id), record.started_at)
        for update in past(history, picture):
            if not self.shown:
                run.home.tell(update)
        self.shown = True
        run.show(picture)
        run.tell_tasks()
        names = list(dict.fromkeys(task.node for task in picture.tasks.values()))
        self._restarts, self._doubt_at = allocation.restart, None
        run.started = True
        run.set_state("training" if picture.totals.global_step else "starting")
        wait_s = LAUNCH_MAY_TAKE_S if self._over is None else READ_S
        run.never_started_at = time.monotonic() + wait_s
        if self._over is not None:
            self._lent.read(names, root)
            return True
        self._lent.open(self._backend(allocation, names))
        self._watch = JobWatch(run.run_id, self.lookout, self._tell)
        self._watch.start()
        end = time.monotonic() + MEET_S
        while run.cancelled.is_set() and not self._all_there() and time.monotonic() < end:
            if run.let_go.wait(0.1):  # who is to stop them meets them first
                break
        return True

    def _began_again(self, job: SlurmJob) -> bool:
        known = self._restarts is not None and job.restarts is not None
        return known and job.restarts != self._restarts

    def _backend(self, allocation: Allocation, names: list[str]) -> Backend:
        link, run_id, root = self.lookout.link, self._run.run_id, self.lookout.root
        return SlurmBackend(
            link,
            root=root,
            run_id=run_id,
            job=allocation.job,
            cluster=allocation.cluster,
            nodes=names,
            cancel=lambda: link().slurm.cancel(root=root, run_id=run_id),
        )

    def _read_records(self, job: SlurmJob) -> None:
        """The job is over: its nodes are gone, and what they wrote is read where one logs in."""
        with self._lock:
            if self._over is not None:
                return
            self._over = time.monotonic(), job
        unread = [t.node for t in list(self._run.picture.tasks.values()) if not t.ended]
        self._lent.read(dict.fromkeys(unread), self.lookout.root)

    def _wait_again(self, job: SlurmJob) -> None:
        """The same job is to run once more, maybe on other nodes."""
        run = self._run
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        self._lent.close()
        text = f"job {job.job} lost its nodes and runs again when it comes to its turn"
        run.home.tell(NoticeUpdate(level="warning", text=text, run_id=run.run_id))
        self.wait()

    def _all_ended(self) -> bool:
        return all(task.ended for task in list(self._run.picture.tasks.values()))

    def _all_there(self) -> bool:
        """Whether the nodes of all tasks that have not ended can be asked."""
        nodes, tasks = self._home.nodes, list(self._run.picture.tasks.values())
        names = {task.node for task in tasks if not task.ended}
        return all(name in nodes and nodes[name].connected for name in names)

    def _again(self) -> str:
        record = self._run.home.history.run(self._run.run_id)
        return again_command(self._run.run_id, record.profile_path if record is not None else "")
