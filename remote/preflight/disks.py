"""What a node's disks mean for a run."""

from __future__ import annotations

from remote.checks import Finding, Level, Topic
from remote.facts import NodeFacts
from remote.preflight.making import on_node
from remote.survey import Disk, NodeSurvey
from remote.wording import size

LEAST_BYTES, FEW_BYTES = 64 << 20, 1 << 30
LEAST_FILES, FEW_FILES = 100, 10_000
SLOW_WRITE_S = 2.0
_WORDS = {
    "runs": "runs and checkpoints go to",
    "data": "the data set is in",
    "home": "the home is",
    "temporary": "temporary files go to",
}
_ROOM = "Free some space there, or set storage.root in the profile to another disk."


def disk_findings(facts: NodeFacts, survey: NodeSurvey, data_bytes: int) -> list[Finding]:
    """One finding for each place, the worst that is true of it; and what ``quota`` says."""
    full = {disk.device for disk in survey.disks if disk.purpose == "runs" and disk.error}
    told = [d for d in survey.disks if d.purpose != "home" or not d.error or d.device not in full]
    found = [_place(facts, disk, data_bytes) for disk in told]
    for part in survey.silent:
        if part.startswith("disk "):
            what = f"{part[5:]} gave no answer in time: that disk or its server hangs"
            found.append(on_node(facts, "disk", "problem", what, "Look at that mount on the node."))
    if survey.quota:
        what = f"the quota is passed or nearly so: {survey.quota[-1]}"
        found.append(on_node(facts, "disk", "warning", what, _ROOM))
    return found


def _place(facts: NodeFacts, disk: Disk, data_bytes: int) -> Finding:
    where = f"{_WORDS.get(disk.purpose, disk.purpose)} {disk.path}"
    matters = disk.purpose in ("runs", "data")
    if disk.error:
        level: Level = "problem" if matters else "warning"
        what = disk.error if disk.path in disk.error else f"{disk.path}: {disk.error}"
        if disk.purpose == "home":
            what += "; it is the home, which programs write to"
        remedy = "Free some space there." if disk.purpose != "runs" else disk.remedy
        topic: Topic = "data" if disk.purpose == "data" else "disk"
        return on_node(facts, topic, level, what, remedy if "space" in disk.error else disk.remedy)
    free = f"{size(disk.free_bytes)} free"
    if disk.purpose in ("runs", "temporary") and disk.free_bytes < FEW_BYTES:
        level = "problem" if matters and disk.free_bytes < LEAST_BYTES else "warning"
        return on_node(facts, "disk", level, f"{where}, and there is only {free}", _ROOM)
    if disk.free_files is not None and disk.purpose != "data" and disk.free_files < FEW_FILES:
        level = "problem" if matters and disk.free_files < LEAST_FILES else "warning"
        what = f"{where}, where only {disk.free_files:,} more files can be made (inodes)"
        return on_node(facts, "disk", level, what, "Remove files that are not needed any more.")
    if disk.purpose == "runs" and disk.free_bytes < data_bytes:
        what = f"the data set has {size(data_bytes)}, and {disk.path} has only {free}"
        return on_node(facts, "disk", "warning", f"{what} (enough if it is there already)", _ROOM)
    if disk.write_s is not None and disk.write_s > SLOW_WRITE_S:
        what = f"{where}, and writing 1 MiB took {disk.write_s:.1f} s"
        return on_node(facts, "disk", "warning", what, "Use a disk that is not as slow or as busy.")
    notes = [free, disk.kind, "noexec, which Clew does not mind" if disk.no_exec else ""]
    return on_node(facts, "disk", "ok", f"{where} ({', '.join(filter(None, notes))})")
