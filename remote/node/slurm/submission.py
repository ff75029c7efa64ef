"""Submits a run's job once, whatever is killed meanwhile.

    <root>/runs/<run>/slurm/order.json       what the job is to do
                            batch.sh         the script, as it was submitted
                            submitting.json  a submission was begun; stays until its id is noted
                            job.json         the job
                            cancelled        no job is to be submitted any more
                            submit.lock      held by who submits, and by sbatch itself

The job's name and comment hold the run's id. Who finds ``submitting.json`` without ``job.json``
does not know whether the job was taken: the queue, the accounting and the folders that the job
makes of itself (``<job>.<restarts>``) tell.
"""

import errno
import fcntl
import os
import re
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from remote.node import files, layout, texts
from remote.node.refused import Refused
from remote.node.slurm import commands, jobids, lot, options, standing, states
from remote.node.slurm.commands import Silent
from remote.node.slurm.standing import Known

SCRIPT = "batch.sh"
BEGUN, CANCELLED, LOCK = "submitting.json", "cancelled", "submit.lock"
SETTLE_S = 5.0
"""A request that reached the controller just before sbatch was killed is in the queue by then."""
_LOCK_LIMIT_S = 25.0
OUTPUT = "job-%j.txt"
"""What the script itself prints, by the job's id."""
_MOST_BYTES = 1 << 20
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)


class Submission:
    """The job of one run, as its folder and Slurm have it."""

    def __init__(self, paths: layout.Layout, run_id: str) -> None:
        self.run_id = run_id
        self.token = token(run_id)
        self.folder = lot.of_run(paths, run_id)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def submit(
        self, order: Dict[str, Any], script: Callable[[Dict[str, Any], str], str]
    ) -> Dict[str, Any]:
        """The job, and whether it was there already.

        Args:
            script: what the job runs, made from the order and this run's folder.

        Raises:
            Silent: it is not known whether it was taken; the same call finds out, and goes on.
            Refused: it was not taken.
        """
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        with self._locked() as lock:
            if os.path.exists(self.path(CANCELLED)):
                raise Refused("the run was cancelled", "Launch a new one.")
            known = self.known() or self.found(_setup(order))
            if known is not None:
                self._note(known)
                return {"job": known.job, "cluster": known.cluster, "already": True}
            known = self._submitted(order, script(order, self.folder), lock)
            return {"job": known.job, "cluster": known.cluster, "already": False}

    def cancel(self) -> None:
        """Take the job out of the queue, or end it; none is submitted any more."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        with self._locked():
            files.publish(self.path(CANCELLED), b"")
            setup = self.setup()
            known = self.known() or self.found(setup)
            if known is None:
                return
            argv = ["scancel", *standing.on(known.cluster), known.job]
            try:
                commands.run(argv, setup=setup)
            except commands.UnknownJob:
                pass  # it has ended by itself
            except Silent:
                raise
            except Refused as error:
                if "already compl" not in error.what.lower():
                    raise

    def known(self) -> Optional[Known]:
        """The job that was noted, or one that has started already."""
        noted = self._read(lot.JOB)
        job = noted.get("job")
        if isinstance(job, str) and job.isdigit():
            return Known(job, str(noted.get("cluster") or ""), self.token)
        start = lot.newest(self.folder)
        return Known(start.job, "", self.token) if start else None

    def found(self, setup: Sequence[str]) -> Optional[Known]:
        """The job of a submission whose end nobody saw. Raises Silent, and Refused.

        Without a begun submission there is none, and nobody is asked.
        """
        begun = self._read(BEGUN)
        if not begun:
            return None
        at = begun.get("at")
        known = self._in_queue(begun, setup) or self._in_accounting(begun, setup)
        rest = (at if isinstance(at, (int, float)) else 0.0) + SETTLE_S - time.time()
        if known is None and rest > 0:
            time.sleep(min(rest, SETTLE_S))
            known = self._in_queue(begun, setup)
        return known

    def setup(self) -> List[str]:
        """The setup lines of the order, if there is one."""
        return _setup(self._read(lot.ORDER))

    def _submitted(self, order: Dict[str, Any], script: str, lock: Optional[int]) -> Known:
        setup = _setup(order)
        argv = self._argv(order)
        files.publish(self.path(lot.ORDER), texts.dumps(order))
        files.publish(self.path(SCRIPT), script.encode("utf-8", "surrogateescape"), 0o700)
        clusters = _clusters(order)
        begun = {"token": self.token, "at": time.time(), "clusters": clusters}
        files.publish(self.path(BEGUN), texts.dumps(begun))
        held = () if lock is None else (lock,)
        try:
            said = commands.run(argv, commands.SUBMIT_LIMIT_S, setup, held)
        except Silent:
            raise  # it may have been taken: the next to ask finds out
        except Refused:
            files.remove_quietly(self.path(BEGUN))
            raise
        job = jobids.submitted(said)
        known = Known(job.text, job.cluster, self.token) if job else self.found(setup)
        if known is None:
            shown = "".join(c if c.isprintable() else " " for c in said[-200:])
            raise Refused("sbatch gave no job id: %s" % shown, "Try sbatch on the login by hand.")
        self._note(known)
        return known

    def _argv(self, order: Dict[str, Any]) -> List[str]:
        """sbatch for this order: each option one argument, the script's path last."""
        own = [
            "--parsable",
            "--job-name=%s" % self.token,
            "--comment=%s" % self.token,
            "--chdir=%s" % self.folder,
            # Slurm puts the folder before it, and takes what is in that for patterns, too.
            "--output=%s" % ("/dev/null" if set(self.folder) & set("%\\") else OUTPUT),
            "--open-mode=append",
            "--export=ALL",
            "--requeue",
        ]
        return ["sbatch", *own, *options.arguments(order.get("slurm") or {}), self.path(SCRIPT)]

    def _note(self, known: Known) -> None:
        if self._read(lot.JOB).get("job") != known.job:
            noted = {
                "job": known.job,
                "cluster": known.cluster,
                "token": self.token,
                "submitted_at": time.time(),
            }
            files.publish(self.path(lot.JOB), texts.dumps(noted))
        files.remove_quietly(self.path(BEGUN))

    def _in_queue(self, begun: Dict[str, Any], setup: Sequence[str]) -> Optional[Known]:
        """The newest job of that name; one that has not ended comes first."""
        for cluster in begun.get("clusters") or [""]:
            argv = ["squeue", "-h", *standing.on(cluster), "-t", "all", "-n", self.token]
            answer = commands.run([*argv, "-o", commands.form("%i", "%T", "%j")], setup=setup)
            jobs = [
                (not states.job_state(state).final, int(jobids.parse(job).parent))
                for job, state, name in commands.fields(answer, 3)
                if name.strip() == self.token
            ]
            if jobs:
                return Known(str(max(jobs)[1]), cluster, self.token)
        return None

    def _in_accounting(self, begun: Dict[str, Any], setup: Sequence[str]) -> Optional[Known]:
        """A job may have begun and ended, and been forgotten by the controller."""
        for cluster in begun.get("clusters") or [""]:
            argv = ["sacct", "-n", "-X", "-P", "--name=" + self.token, *standing.on(cluster)]
            since = time.strftime("%Y-%m-%d", time.localtime(float(begun.get("at") or 0) - 86400))
            try:
                answer = commands.run([*argv, "-S", since, "-o", "JobIDRaw"], setup=setup)
            except Refused:
                continue  # most sites have none; the queue has been asked
            for line in answer.split():
                if line.strip().isdigit():
                    return Known(line.strip(), cluster, self.token)
        return None

    def _read(self, name: str) -> Dict[str, Any]:
        return files.document(self.path(name), _MOST_BYTES)

    @contextmanager
    def _locked(self) -> Iterator[Optional[int]]:
        """One at a time; None: a file system without locks, where the journal has to do."""
        fd = os.open(self.path(LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield fd if _hold(fd) else None
        finally:
            os.close(fd)


def token(run_id: str) -> str:
    """The job's name: the run's id in letters that no client cuts or takes for a list."""
    return "clew-" + re.sub(r"[^A-Za-z0-9_.-]", "_", layout.component(run_id))


def _hold(fd: int) -> bool:
    """Wait for the lock, which a killed agent's sbatch keeps until it has ended."""
    deadline = time.monotonic() + _LOCK_LIMIT_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise
        if time.monotonic() > deadline:
            raise Silent("the run's job is being submitted by another agent", "Try again later.")
        time.sleep(0.1)


def _setup(order: Dict[str, Any]) -> List[str]:
    lines = order.get("setup")
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def _clusters(order: Dict[str, Any]) -> List[str]:
    """The clusters that the user's own options name; nothing: the login's."""
    for option in (order.get("slurm") or {}).get("extra") or ():
        name, _, value = str(option).partition("=")
        if len(name) > 4 and "--clusters".startswith(name) and value:
            return value.split(",")
    return [""]
