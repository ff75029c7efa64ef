"""Where a waiting job stands among the others of its partition."""

import re
import time
from typing import TYPE_CHECKING, Dict, Optional, Sequence, Tuple

from remote.node.refused import Refused
from remote.node.slurm import commands, jobids, reasons

if TYPE_CHECKING:
    from remote.node.slurm.standing import Known

_KEPT_S = 600.0
_NOT_IN_LINE = ("dependency", "begintime", "jobheld")
"""Reasons of jobs that are not considered yet, whatever their priority."""
_settings: Dict[str, Tuple[float, Dict[str, str]]] = {}


def ahead_of(known: "Known", found: Dict[str, str], setup: Sequence[str] = ()) -> Optional[int]:
    """How many waiting jobs of higher priority there are in its partition; None: not to be told.

    An array counts as one job. Where the site hides others' jobs nothing can be told.
    """
    own, partition = found.get("priority", ""), found.get("partition", "")
    if not own.isdigit() or not int(own) or not partition:
        return None
    cluster = ["-M", known.cluster] if known.cluster else []
    try:
        if "jobs" in setting("PrivateData", known.cluster, setup):
            return None
        argv = ["squeue", "-h", *cluster, "-t", "PENDING", "-p", partition]
        answer = commands.run([*argv, "-o", commands.form("%i", "%Q", "%r")], setup=setup)
    except Refused:
        return None
    mine = (-int(own), jobids.order(known.job))
    before = set()
    for job, priority, reason in commands.fields(answer, 3):
        if reason.strip().lower().startswith(_NOT_IN_LINE) or not priority.strip().isdigit():
            continue
        if reasons.explain(reason).will_start is False:
            continue
        try:
            parent = jobids.parse(job).parent
        except Refused:
            continue
        if parent != known.job and (-int(priority), jobids.order(parent)) < mine:
            before.add(parent)
    return len(before)


def setting(name: str, cluster: str = "", setup: Sequence[str] = ()) -> str:
    """A value of the site's set-up, in small letters; empty: it has none. Raises Refused."""
    at, known = _settings.get(cluster, (0.0, {}))
    if not known or time.monotonic() - at > _KEPT_S:
        flags = ["-M", cluster] if cluster else []
        answer = commands.run(["scontrol", *flags, "show", "config"], setup=setup)
        known = dict(re.findall(r"^(\w+)\s*=\s*(.*?)\s*$", answer, re.MULTILINE))
        _settings[cluster] = (time.monotonic(), known)
    return known.get(name, "").lower()
