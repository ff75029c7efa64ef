"""Failures that come from the machine: memory, disks, limits, ports, schedulers, lost peers."""

from __future__ import annotations

from remote.causes.pattern import Pattern

_PEER = "Another task went away: what happened there is the cause."
_PEER_DO = "Look at that task's end and log."

SYSTEM = (
    Pattern(
        kind="disk full",
        message=r"No space left on device|\[Errno 28\]|database or disk is full",
        meaning="The disk that the program writes to is full.",
        remedy="Make room there, or set storage.root to a disk that has some.",
        sample="OSError: [Errno 28] No space left on device: '/scratch/ana/ckpt-200.npz'",
    ),
    Pattern(
        kind="quota",
        message=r"Disk quota exceeded|\[Errno 122\]",
        meaning="This account has used up its share of that disk.",
        remedy="Delete what is not needed, or set storage.root to another disk.",
        sample="OSError: [Errno 122] Disk quota exceeded",
    ),
    Pattern(
        kind="read-only disk",
        message=r"Read-only file system|\[Errno 30\]",
        meaning="The disk cannot be written to; Linux does that to a disk with errors, too.",
        remedy="Set storage.root to another disk, and tell who looks after the node.",
        sample="OSError: [Errno 30] Read-only file system: '/data/out'",
    ),
    Pattern(
        kind="stale NFS handle",
        message=r"Stale file handle|\[Errno 116\]",
        meaning="The file was replaced or deleted on the file server while it was in use.",
        remedy="Start the run again; keep data that a run reads unchanged.",
        sample="OSError: [Errno 116] Stale file handle: '/home/ana/data/shard-0001'",
    ),
    Pattern(
        kind="too many open files",
        message=r"Too many open files|\[Errno 24\]",
        meaning="The program has more files or sockets open than this account may.",
        remedy="Close files, or raise the limit: put ulimit -n 65536 into environment.setup.",
        sample="OSError: [Errno 24] Too many open files: 'part-1021'",
    ),
    Pattern(
        kind="threads",
        message=r"Thread \S* ?creation via pthread_create\(\) failed|can't start new thread"
        r"|libgomp: Thread creation failed|OpenBLAS blas_thread_init: pthread_create failed",
        meaning="This account may not start more threads or processes on the node.",
        remedy="Set OMP_NUM_THREADS and TF_NUM_INTRAOP_THREADS in environment.variables, or raise "
        "ulimit -u.",
        sample="F external/local_tsl/tsl/platform/default/env.cc:74] Check failed: ret == 0 (11 "
        "vs. 0)Thread tf_ creation via pthread_create() failed.",
        where="line",
    ),
    Pattern(
        kind="bad_alloc",
        message=r"std::bad_alloc",
        meaning="The node has not as much memory as the program asked for.",
        remedy="Use a smaller batch or load less data at a time, or a node with more memory.",
        sample="  what():  std::bad_alloc",
        where="line",
    ),
    Pattern(
        kind="oom event",
        message=r"slurmstepd\S*: error: Detected \d+ oom[-_]kill event|oom-kill:constraint="
        r"|Out of memory: Killed process \d+",
        meaning="The node, or the job's share of it, ran out of memory, and the kernel killed it.",
        remedy="Ask for more memory, use a smaller batch, or load less data at a time.",
        sample="slurmstepd: error: Detected 1 oom-kill event(s) in StepId=6800197.batch. Some of "
        "your processes may have been killed by the cgroup out-of-memory handler.",
        where="line",
    ),
    Pattern(
        kind="time limit",
        message=r"slurmstepd\S*: error: \*\*\* (?:JOB|STEP) \S+ ON .* DUE TO TIME LIMIT",
        meaning="The job's time was up.",
        remedy="Ask for more time, and set checkpoint_every_s so that little is lost.",
        sample="slurmstepd: error: *** JOB 42221 ON clr1247 CANCELLED AT 2022-04-14T16:20:46 DUE "
        "TO TIME LIMIT ***",
        where="line",
    ),
    Pattern(
        kind="preempted",
        message=r"slurmstepd\S*: error: \*\*\* (?:JOB|STEP) \S+ ON .* DUE TO (?:PREEMPTION|NODE"
        r" FAILURE)",
        meaning="The cluster took the node away.",
        remedy="Start the run again; it goes on from its last checkpoint.",
        sample="slurmstepd: error: *** JOB 1034 ON c4-n1 CANCELLED AT 2020-12-18T15:51:53 DUE TO "
        "PREEMPTION ***",
        where="line",
    ),
    Pattern(
        kind="port in use",
        message=r"Address already in use|\[Errno 98\]|Could not start gRPC server",
        meaning="Another process listens on that port, perhaps one of an earlier run.",
        remedy="End it (clew stop of that run), or set ports.first to other ports.",
        sample="tensorflow.python.framework.errors_impl.UnknownError: Could not start gRPC server",
    ),
    Pattern(
        kind="illegal instruction",
        message=r"Illegal instruction|The TensorFlow library was compiled to use \S+ instructions",
        meaning="The program was built for a newer processor than this node's.",
        remedy="Use a node with AVX, or a build of TensorFlow for older processors.",
        sample="Illegal instruction (core dumped)",
        where="line",
    ),
    Pattern(
        kind="shared memory full",
        message=r"\bBus error\b",
        meaning="A mapped file could not be read or written: /dev/shm or a disk is full.",
        remedy="Make room in /dev/shm and on the disk of the data.",
        sample="Bus error (core dumped)",
        where="line",
    ),
    Pattern(
        kind="interrupted",
        message=r"^KeyboardInterrupt\b",
        meaning="Somebody, or the system that the node belongs to, interrupted the program.",
        remedy="Start it again.",
        sample="KeyboardInterrupt",
    ),
    Pattern(
        kind="lost connection",
        message=r"\bUnavailableError\b|\bUNAVAILABLE: |failed to connect to all addresses"
        r"|Socket closed",
        meaning=_PEER,
        remedy=_PEER_DO,
        sample="tensorflow.python.framework.errors_impl.UnavailableError: Connection reset by peer",
        peer=True,
    ),
    Pattern(
        kind="session aborted",
        message=r"errors_impl\.AbortedError\b"
        r"|(?:primary job|[Ss]ession) (?:is|was|has been) aborted"
        r"|Graph handle is not found|Possibly, this worker just restarted"
        r"|heartbeat timeout\. This indicates that the remote task has failed",
        meaning=_PEER,
        remedy=_PEER_DO,
        sample="tensorflow.python.framework.errors_impl.AbortedError: Graph handle is not found: "
        "000000000000001e. Possibly, this worker just restarted.",
        peer=True,
    ),
    Pattern(
        kind="cancelled",
        message=r"errors_impl\.(?:CancelledError|DeadlineExceededError)\b"
        r"|RecvTensor cancelled for",
        meaning=_PEER,
        remedy=_PEER_DO,
        sample="tensorflow.python.framework.errors_impl.CancelledError: RecvTensor cancelled for "
        "20222572366662797",
        peer=True,
    ),
    Pattern(
        kind="gave up waiting",
        message=r"gave up after waiting [\d.]+ s for |^lost (?:ps|worker):\d+"
        r"|worker:0 ended the run: ",
        meaning=_PEER,
        remedy=_PEER_DO,
        sample="gave up after waiting 600 s for ps:0 at 10.0.0.1:2220; see that task's log and "
        "whether this node can reach that address",
        peer=True,
    ),
)
