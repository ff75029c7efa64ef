"""A process on a node of a running job: a step of the job beside its own steps.

``--overlap`` lets the step share what the job's other steps hold, GPUs too; ``--mem=0`` gives it
the job's memory instead of a part that is taken already; ``--immediate`` makes Slurm say no where
it would have the step wait. Without ``--unbuffered`` Slurm holds output back until a line ends;
with it standard output is a raw terminal, which changes no byte. The other streams stay pipes.
"""

import os
import re
import select
import signal
import subprocess
import threading
import time
import uuid
from typing import List

from remote.node import gpu_query
from remote.node.refused import Refused
from remote.node.slurm import commands

IMMEDIATE_S = 15
_TAIL_BYTES = 4096
_GRACE_S = 2.0
_CANCEL_LIMIT_S = 10.0
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,253}")
_JOB = re.compile(r"[0-9]{1,10}(?:[_+][0-9]{1,10})?")


class Step:
    """The step's standard streams are descriptors: write ``stdin``, read ``stdout``.

    It ends with the thread that made it. Raises Refused where there is no srun.
    """

    lost = ""

    def __init__(self, job: str, node: str, command: str) -> None:
        self._job = checked_job(job)
        self._name = "clew-%s" % uuid.uuid4().hex
        path, environment = commands.client("srun")
        # Slurm speaks one language; what runs in the step is to have the account's.
        environment.pop("LC_ALL", None)
        if "LC_ALL" in os.environ:
            environment["LC_ALL"] = os.environ["LC_ALL"]
        self._process = subprocess.Popen(
            [path, *_options(self._job, checked_node(node), self._name), "/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/",
            start_new_session=True,
            # A killed srun leaves its step behind; one that is told to end takes it along.
            preexec_fn=_end_with_parent,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin = os.dup(self._process.stdin.fileno())
        self.stdout = os.dup(self._process.stdout.fileno())
        self._process.stdin.close()
        self._process.stdout.close()
        self._tail = b""
        self._ending = threading.Lock()
        self._listener = threading.Thread(target=self._listen, name="clew-step-said", daemon=True)
        self._listener.start()

    def said(self) -> str:
        """The last 4 KiB of standard error, srun's own words among them."""
        return self._tail.decode("utf-8", "replace")

    def hang_up(self) -> None:
        """Its input has ended; it has a moment to end by itself, and is ended then."""
        threading.Thread(target=self._hang_up, name="clew-step-end", daemon=True).start()

    def kill(self) -> None:
        """Order its end, for which nobody waits here."""
        self._signal(signal.SIGTERM)
        threading.Thread(target=self._make_sure, name="clew-step-end", daemon=True).start()

    def wait(self, limit_s: float) -> bool:
        """Whether nothing is left of it within ``limit_s``."""
        end = time.monotonic() + limit_s
        self._listener.join(limit_s)  # its last words
        try:
            self._process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def _hang_up(self) -> None:
        if not self.wait(_GRACE_S):
            self._signal(signal.SIGTERM)
            self._make_sure()

    def _make_sure(self) -> None:
        """Where a signal through srun does not end the step, Slurm kills it."""
        with self._ending:
            if self.wait(_GRACE_S):
                return
            try:
                self._cancel()
            except Refused:
                pass  # a controller that is away; the step ends with its job
            if not self.wait(_GRACE_S):
                self._signal(signal.SIGKILL)
                self.wait(_GRACE_S)

    def _cancel(self) -> None:
        form = commands.form("%i", "%j")
        asked = ["squeue", "--steps", "--noheader", "--jobs=" + self._job, "--format=" + form]
        for step, name in commands.fields(commands.run(asked, _CANCEL_LIMIT_S), 2):
            if name == self._name:
                commands.run(["scancel", "--signal=KILL", step], _CANCEL_LIMIT_S)

    def _signal(self, number: int) -> None:
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, number)
            except OSError:
                pass

    def _listen(self) -> None:
        """Read all that is said, so that nobody who complains a lot is held up."""
        assert self._process.stderr is not None
        fd = self._process.stderr.fileno()
        while True:
            select.select([fd], [], [])
            data = os.read(fd, 1 << 16)
            if not data:
                break
            self._tail = (self._tail + data)[-_TAIL_BYTES:]
        self._process.stderr.close()


def checked_node(node: str) -> str:
    """``node`` if it can be a node's name; raises Refused."""
    if not isinstance(node, str) or not _NODE.fullmatch(node):
        raise Refused("%r is not the name of a node" % (node,))
    return node


def checked_job(job: str) -> str:
    """``job`` if it can be a job's id; raises Refused."""
    if not isinstance(job, str) or not _JOB.fullmatch(job):
        raise Refused("%r is not the id of a job" % (job,))
    return job


def _options(job: str, node: str, name: str) -> List[str]:
    return [
        "--jobid=" + job,
        "--overlap",
        "--nodelist=" + node,
        "--nodes=1",
        "--ntasks=1",
        "--mem=0",
        "--immediate=%d" % IMMEDIATE_S,
        "--job-name=" + name,
        "--mpi=none",
        "--quiet",
        "--unbuffered",
        "--export=ALL",
        "--chdir=/",
    ]


def _end_with_parent() -> None:
    gpu_query.die_with_parent(signal.SIGTERM)
