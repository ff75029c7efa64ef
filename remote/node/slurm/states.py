"""States of jobs and nodes, from any of the words that Slurm's clients show.

Words may be long, two letters, cut by a column's width (``OUT_OF_ME+``), followed by more
(``CANCELLED by 1234``), or several at once; newer versions have words that are not known here.
See JOB STATE CODES in squeue(1) and NODE STATE CODES in sinfo(1).
"""

import re
from typing import List, NamedTuple

WAITING, RUNNING, ENDING, FINISHED = "waiting", "running", "ending", "finished"
FAILED, CANCELLED, TIME_LIMIT = "failed", "cancelled", "time limit reached"
OUT_OF_MEMORY, NODE_FAILED, PREEMPTED = "out of memory", "node failed", "preempted"
HELD, PAUSED, MOVED, UNKNOWN = "held", "paused", "moved to another cluster", "unknown"
NONE = "none"
"""No part of Slurm knows the job (any more)."""

FINAL = frozenset([FINISHED, FAILED, CANCELLED, TIME_LIMIT, OUT_OF_MEMORY, MOVED])
"""States that a job does not leave by itself."""
MAYBE_AGAIN = frozenset([NODE_FAILED, PREEMPTED])
"""Ends after which Slurm may start the same job again, on other nodes."""

Word = NamedTuple(
    "Word",
    [
        ("state", str),
        ("final", bool),
        ("remark", str),  # what to add to the state in words, mostly nothing
        ("by", str),  # who cancelled it, as a user's number; empty: not told
    ],
)

_STATES = {
    "PENDING": WAITING, "CONFIGURING": WAITING, "REQUEUED": WAITING, "REQUEUE_FED": WAITING,
    "POWER_UP_NODE": WAITING, "EXPEDITING": WAITING,
    "RUNNING": RUNNING, "RESIZING": RUNNING, "SIGNALING": RUNNING,
    "COMPLETING": ENDING, "STAGE_OUT": ENDING, "UPDATE_DB": ENDING,
    "COMPLETED": FINISHED,
    "CANCELLED": CANCELLED, "FAILED": FAILED, "DEADLINE": FAILED, "LAUNCH_FAILED": FAILED,
    "RECONFIG_FAIL": FAILED, "TIMEOUT": TIME_LIMIT, "OUT_OF_MEMORY": OUT_OF_MEMORY,
    "NODE_FAIL": NODE_FAILED, "BOOT_FAIL": NODE_FAILED, "PREEMPTED": PREEMPTED,
    "REQUEUE_HOLD": HELD, "SPECIAL_EXIT": HELD, "RESV_DEL_HOLD": HELD,
    "SUSPENDED": PAUSED, "STOPPED": PAUSED, "REVOKED": MOVED,
}  # fmt: skip
_SHORT = {
    "BF": "BOOT_FAIL", "CA": "CANCELLED", "CD": "COMPLETED", "CF": "CONFIGURING",
    "CG": "COMPLETING", "DL": "DEADLINE", "F": "FAILED", "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY", "PD": "PENDING", "PR": "PREEMPTED", "R": "RUNNING",
    "RD": "RESV_DEL_HOLD", "RF": "REQUEUE_FED", "RH": "REQUEUE_HOLD", "RQ": "REQUEUED",
    "RS": "RESIZING", "RV": "REVOKED", "SI": "SIGNALING", "SE": "SPECIAL_EXIT",
    "SO": "STAGE_OUT", "ST": "STOPPED", "S": "SUSPENDED", "TO": "TIMEOUT",
}  # fmt: skip
_FLAGS = (
    "REVOKED", "SPECIAL_EXIT", "REQUEUE_HOLD", "RESV_DEL_HOLD", "COMPLETING", "STAGE_OUT",
    "REQUEUED", "REQUEUE_FED", "CONFIGURING", "POWER_UP_NODE", "STOPPED", "SIGNALING", "RESIZING",
)  # fmt: skip
"""Words that may stand beside a base state and say more than it, the weightiest first."""
_REMARKS = {
    "COMPLETING": "not yet final",
    "PREEMPTED": "wait: may be requeued",
}
_LEAST_LETTERS = 4
"""So many letters of a cut word must be there."""


def job_state(text: str) -> Word:
    """What a state's text means; one that is not known is ``unknown``, and never final."""
    words = [_whole(word) for word in re.split(r"[,|\s]+", text.strip().upper()) if word]
    known = [word for word in words if word in _STATES]
    if not known or words[0] not in _STATES:
        return Word(UNKNOWN, False, "shown as is, keep polling", "")
    word = next((flag for flag in _FLAGS if flag in known), known[0])
    state = _STATES[word]
    by = re.search(r"\bby ([0-9]+)", text) if state == CANCELLED else None
    return Word(state, state in FINAL, _REMARKS.get(word, ""), by.group(1) if by else "")


def _whole(word: str) -> str:
    """The state that a word, maybe cut or short, stands for; itself: none, or more than one."""
    bare = word.rstrip("+")
    if bare in _STATES:
        return bare
    if bare in _SHORT:
        return _SHORT[bare]
    if len(bare) < _LEAST_LETTERS:
        return word
    meant = [known for known in _STATES if known.startswith(bare)]
    if "COMPLETING" in meant:
        return "COMPLETING"  # or COMPLETED: the next look tells
    return meant[0] if len({_STATES[known] for known in meant}) == 1 else word


YES, PARTLY, NO = "yes", "partly", "no"
ON_DEMAND, STARTING = "starts on demand", "starting"

NodeUse = NamedTuple(
    "NodeUse",
    [
        ("use", str),  # usable now: yes, partly, no, starts on demand, starting
        ("why", str),
    ],
)

_MARKS = {
    "*": "NOT_RESPONDING", "~": "POWERED_DOWN", "#": "POWERING_UP", "!": "POWER_DOWN",
    "%": "POWERING_DOWN", "$": "MAINTENANCE", "@": "REBOOT_REQUESTED", "^": "REBOOT_ISSUED",
    "-": "PLANNED", "+": "",
}  # fmt: skip
"""What sinfo puts behind a state."""
_UNUSABLE = {
    "NOT_RESPONDING": "not answering", "NO_RESPOND": "not answering",
    "MAINTENANCE": "maintenance", "DOWN": "down", "DRAIN": "drained", "DRAINED": "drained",
    "DRAINING": "draining", "DRNG": "draining", "FAIL": "failing", "FAILING": "failing",
    "FAILG": "failing", "POWERING_DOWN": "powering down", "POWER_DOWN": "powering down",
    "POW_DN": "powering down", "ERROR": "error", "INVALID_REG": "wrongly set up",
    "INVAL": "wrongly set up", "RESERVED": "reserved", "RESV": "reserved", "MAINT": "maintenance",
    "REBOOT": "restarting", "REBOOT_ISSUED": "restarting", "BOOT": "restarting",
    "BLOCKED": "blocked", "FUTURE": "not there yet", "FUTR": "not there yet",
    "PERFCTRS": "in use", "NPC": "in use", "UNKNOWN": "unknown", "UNK": "unknown",
}  # fmt: skip
"""Any of these, as state or as flag, and nothing can start there."""
_BASES = {
    "IDLE": YES, "MIXED": PARTLY, "MIX": PARTLY, "ALLOCATED": NO, "ALLOC": NO,
    "COMPLETING": NO, "COMP": NO, "PLANNED": NO, "PLND": NO,
    "POWERED_DOWN": ON_DEMAND, "POWER": ON_DEMAND, "POWERING_UP": STARTING,
    "POWER_UP": STARTING, "POW_UP": STARTING,
}  # fmt: skip
_BASE_WHY = {NO: "in use", PARTLY: "", YES: ""}
_KNOWN = {**_UNUSABLE, **_BASES}


def node_state(text: str) -> NodeUse:
    """Whether a node can be used now, from the state as sinfo or scontrol show it.

    A state is a base word with flags: any of drain, down, maintenance, not answering and the like
    makes it unusable, and so does a word that is not known.
    """
    flags = _node_words(text)
    if not flags:
        return NodeUse(NO, "unknown")
    unusable = [_UNUSABLE[flag] for flag in flags if flag in _UNUSABLE]
    if unusable:
        return NodeUse(NO, "maintenance" if "maintenance" in unusable else unusable[0])
    base, others = flags[0], flags[1:]
    use = _BASES.get(base, NO)
    if base not in _BASES:
        return NodeUse(NO, base.lower())
    if use in (YES, PARTLY):
        return _with_flags(use, others)
    return NodeUse(use, "planned" if base in ("PLANNED", "PLND") else _BASE_WHY.get(use, ""))


def _with_flags(use: str, flags: List[str]) -> NodeUse:
    """An idle or partly used node, and what is about to happen to it."""
    if "POWERING_UP" in flags or "POWER_UP" in flags:
        return NodeUse(STARTING, "")
    if "POWERED_DOWN" in flags or "POWER" in flags:
        return NodeUse(ON_DEMAND, "")
    if "REBOOT_REQUESTED" in flags:
        return NodeUse(NO if use == YES else PARTLY, "will restart")
    if "PLANNED" in flags:
        return NodeUse(NO if use == YES else PARTLY, "planned")
    if "COMPLETING" in flags:
        return NodeUse(NO if use == YES else PARTLY, "a job is ending")
    return NodeUse(use, "")


def _node_words(text: str) -> List[str]:
    """Base word and flags, whole and in capitals, whatever they were cut to."""
    bare = text.strip().upper()
    marks: List[str] = []
    while bare and bare[-1] in _MARKS:
        marks.append(_MARKS[bare[-1]])
        bare = bare[:-1]
    words = [word for word in re.split(r"[+,|\s]+", bare) if word]
    return [_node_word(word) for word in words] + [mark for mark in marks if mark]


def _node_word(word: str) -> str:
    if word in _KNOWN or len(word) < _LEAST_LETTERS - 1:
        return word
    meant = [known for known in _KNOWN if known.startswith(word)]
    alike = len({_BASES.get(known, NO) for known in meant}) == 1
    return meant[0] if alike else word


def in_words(word: Word) -> str:
    """``ending (not yet final)``."""
    return "%s (%s)" % (word.state, word.remark) if word.remark else word.state
