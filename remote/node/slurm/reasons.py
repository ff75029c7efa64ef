"""Why a job waits, or ended, in words, and whether it will start by itself.

See JOB REASON CODES in squeue(1); older and newer versions have some of their own, and sites'
plugins give sentences.
"""

import re
from typing import Dict, NamedTuple, Optional, Tuple

from remote.node.slurm import hostlist

Explained = NamedTuple("Explained", [("words", str), ("will_start", Optional[bool])])
"""In words, a sentence's end without a full stop; None: not known whether it will start."""

_NODES = re.compile(r",?\s*(?:Unavailable|Reserved|Down|Drained)?Nodes?:\s*([^\s)]*)")
_LIMIT = re.compile(
    r"(?P<who>QOS|Assoc|Partition)?(?P<kind>Max|Min|Grp)?"
    r"(?P<what>GRES|CPU|Cpu|Memory|Mem|Node|SubmitJobs?|Submit|Jobs?|Wall|BB|Bb|Billing|Energy|"
    r"License|Unknown)[A-Za-z]*"
)
_WHO = {
    "QOS": "the quality of service", "Assoc": "your account", "Partition": "the partition",
}  # fmt: skip
_WHAT = {
    "GRES": "GPUs", "CPU": "processors", "Cpu": "processors", "Mem": "memory",
    "Memory": "memory", "Node": "nodes", "Job": "jobs", "Jobs": "jobs", "Submit": "jobs",
    "SubmitJob": "jobs", "SubmitJobs": "jobs", "Wall": "time", "BB": "burst buffer",
    "Bb": "burst buffer", "Billing": "cost", "Energy": "energy", "License": "licenses",
    "Unknown": "something",
}  # fmt: skip

_TABLE: Dict[str, Tuple[str, Optional[bool]]] = {
    # It waits, and will start.
    "None": ("", True),
    "Resources": ("waits until nodes are free", True),
    "Priority": ("jobs of higher priority come first", True),
    "Dependency": ("waits for another job to end", True),
    "BeginTime": ("its time to begin has not come yet", True),
    "Licenses": ("waits for a license", True),
    "Cleaning": ("is being put back into the queue, its last start is cleaned up", True),
    "Prolog": ("the nodes are being prepared", True),
    "PowerNotAvail": ("waits for power", True),
    "PowerReserved": ("waits for power that is reserved", True),
    "Reservation": ("waits for its reservation to begin", True),
    "JobArrayTaskLimit": ("as many tasks of its array run as may run at a time", True),
    "BurstBufferResources": ("waits for space in the burst buffer", True),
    "BurstBufferStageIn": ("its data is being put into the burst buffer", True),
    "NodesBusy": ("waits until nodes are free", True),
    "FedJobLock": ("the clusters of the federation settle which of them runs it", True),
    "WaitingForScheduling": ("the scheduler has not looked at it yet", True),
    "FrontEndDown": ("no front end machine can start it now", None),
    "SystemFailure": ("Slurm failed while it began", None),
    "SchedDefer": ("is not tried again so soon", True),
    "DeadLine": ("its deadline has passed or cannot be kept", False),
    "RegistrationPending": ("the site's plugin has yet to let it through", True),
    # It waits, and nobody can tell.
    "ReqNodeNotAvail": ("a required node is down or reserved", None),
    "ReqNodeNotAvail, Reserved for maintenance": ("its nodes are reserved for maintenance", True),
    "ReqNodeNotAvail, May be reserved for other job": ("its nodes may be reserved", None),
    "NodeDown": ("a required node is down", None),
    "PartitionDown": ("the partition takes jobs, but starts none now", None),
    "PartitionInactive": ("the partition is not in use now", None),
    "QOSNotAllowed": ("the partition does not allow this quality of service", False),
    "Constraints": ("no free node has the features asked for", None),
    "ReservationDeleted": ("the reservation it asked for was deleted", False),
    "AssociationJobLimit": ("your account has as many jobs as it may have", True),
    "QOSJobLimit": ("the quality of service has as many jobs as it may have", True),
    "QOSResourceLimit": ("the quality of service has used what it may use", True),
    "QOSTimeLimit": ("asks for more time than the quality of service allows", False),
    "AssociationResourceLimit": ("your account has used what it may use", True),
    "AssociationTimeLimit": ("asks for more time than your account may", False),
    "QOSUsageThreshold": ("the quality of service was used too much of late", True),
    "MaxRequeue": ("was put back into the queue too often, and is held", False),
    "ReqDelay": ("waits a while before it is tried again", True),
    # It will not start by itself.
    "JobHeldUser": ("is held by you; scontrol release lets it go", False),
    "JobHeldAdmin": ("is held by an administrator; ask them", False),
    "BadConstraints": ("no node can ever do what it asks for", False),
    "DependencyNeverSatisfied": ("the job it waits for cannot end as it must", False),
    "PartitionNodeLimit": ("asks for more nodes, or fewer, than the partition allows", False),
    "PartitionTimeLimit": ("asks for more time than the partition allows", False),
    "PartitionConfig": ("the partition is not set up for what it asks for", False),
    "AccountNotAllowed": ("the partition does not allow this account", False),
    "AccountingPolicy": ("an accounting rule of the site does not allow it", False),
    "InvalidAccount": ("the account is not valid", False),
    "InvalidQOS": ("the quality of service is not valid", False),
    "QOSMaxWallDurationPerJobLimit": ("asks for more time than is allowed", False),
    "ReservationInvalid": ("the reservation is not valid", False),
    "JobHoldMaxRequeue": ("was put back into the queue too often, and is held", False),
    "launch_failed_requeued_held": ("could not be launched, and is held", False),
    "LaunchFailedRequeuedHeld": ("could not be launched, and is held", False),
    "job_requeued_in_held_state": ("was put back into the queue, and is held", False),
    # Ends.
    "NonZeroExitCode": ("its script ended with an error", None),
    "TimeLimit": ("its time was up", None),
    "NodeFail": ("one of its nodes failed", None),
    "JobLaunchFailure": ("it could not be launched", None),
    "RaisedSignal": ("it was ended by a signal", None),
    "OutOfMemory": ("it used more memory than it may", None),
    "InactiveLimit": ("it did nothing for too long", None),
    "StepFailed": ("one of its steps failed", None),
    "Preempted": ("a job of higher priority took its nodes", None),
}
_FOLDED = {re.sub("[^a-z0-9]", "", key.lower()): value for key, value in _TABLE.items()}
_SENTENCES = (
    (
        "nodes required for job are down, drained or reserved",
        "the nodes it needs are down, drained or reserved for jobs of higher priority",
        None,
    ),
    ("launch failed requeued held", "could not be launched, and is held", False),
    ("job requeued in held state", "was put back into the queue, and is held", False),
    ("user env retrieval failed", "your environment could not be read, and it is held", False),
    ("invalid feature", "no node has a feature that it asks for", False),
)


def explain(reason: str) -> Explained:
    """A reason as squeue's ``%r`` or ``%R`` shows it; what is not known stays as it is."""
    bare = reason.strip()
    if bare.startswith("(") and bare.endswith(")"):
        bare = bare[1:-1].strip()
    if bare.lower() in ("", "null", "none", "n/a"):
        return Explained("", None if bare.lower() != "none" else True)
    lowered = bare.lower().replace("_", " ")
    for beginning, words, will_start in _SENTENCES:
        if lowered.startswith(beginning):
            return Explained(words, will_start)
    nodes = _NODES.search(bare)
    word = bare[: nodes.start()] if nodes else bare
    known = _FOLDED.get(re.sub("[^a-z0-9]", "", word.lower())) or _limit(word.strip())
    if known is None:
        return Explained(bare, None)
    behind = ": " + hostlist.listed(nodes.group(1)) if nodes and nodes.group(1) else ""
    return Explained(known[0] + behind, known[1])


def _limit(word: str) -> Optional[Tuple[str, Optional[bool]]]:
    """``QOSMaxGRESPerUser``, ``AssocGrpCpuLimit`` and their hundred brothers.

    A limit on all jobs together passes when others end; one that a single job exceeds does not.
    """
    match = _LIMIT.fullmatch(word)
    if match is None or not (match.group("who") or match.group("kind")):
        return None
    who = _WHO.get(match.group("who") or "", "your account")
    what = _WHAT[match.group("what")]
    if match.group("kind") == "Min":
        return "asks for less (%s) than %s wants" % (what, who), False
    if word.endswith(("PerJob", "PerNode", "PerJobLimit")):
        return "asks for more (%s) than %s allows for one job" % (what, who), False
    if what == "jobs":
        return "%s has as many jobs as it may have" % who, True
    if "Minutes" in word:
        return "%s has no time left for %s: its budget is used up" % (who, what), None
    return "%s uses as much (%s) as it may at a time" % (who, what), True
