"""What is to be said about one node: its account, Python, GPUs, disks, limits and proxies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from remote.checks import Finding, Level, Topic
from remote.facts import NodeFacts, Problem
from remote.preflight import proxy
from remote.preflight.disks import disk_findings
from remote.preflight.gpus import gpu_findings
from remote.preflight.making import on_node
from remote.survey import NodeSurvey

FEW_FILES, MANY_FILES = 256, 1024
FEW_THREADS, MANY_THREADS = 200, 1000
"""TensorFlow starts some hundred threads in a process on a large machine."""
CLOCK_S = 2.0


@dataclass(frozen=True, slots=True)
class Needs:
    """What a run will ask of a node: the addresses it dials, and bytes that are sent to it."""

    addresses: tuple[str, ...] = ()
    data_bytes: int = 0


def node_findings(facts: NodeFacts, survey: NodeSurvey, needs: Needs) -> list[Finding]:
    """Everything that was looked at on this node, good or not."""
    found = [_login(facts, survey), _shell(facts, survey)]
    found += _known(facts)
    found += gpu_findings(facts, survey)
    found += disk_findings(facts, survey, needs.data_bytes)
    found += [_clock(facts, survey), *_limits(facts, survey), _proxy(facts, needs)]
    late = [part for part in survey.silent if not part.startswith("disk ")]
    words: dict[str, tuple[Topic, str]] = {
        "task": ("python", "the profile's Python"),
        "gpus": ("gpu", "nvidia-smi"),
    }
    for part in late:
        topic, name = words.get(part, ("disk", part))
        what = f"{name} gave no answer in time"
        found.append(on_node(facts, topic, "warning", what, "See what hangs there."))
    return found


def _login(facts: NodeFacts, survey: NodeSurvey) -> Finding:
    trip = f", {survey.round_trip_s * 1000:.1f} ms away" if survey.round_trip_s else ""
    what = f"logged in as {facts.user} on {facts.hostname}{trip}"
    return on_node(facts, "login", "ok", what)


def _shell(facts: NodeFacts, survey: NodeSurvey) -> Finding:
    what = f"the login shell is {survey.shell or 'not known'}"
    if survey.shell in ("fish", "csh", "tcsh"):
        what += "; Clew uses sh there and does not mind"
    if survey.prints:
        what += "; it prints text at login, which Clew ignores (scp and SFTP may not)"
    return on_node(facts, "shell", "ok", what)


def _known(facts: NodeFacts) -> list[Finding]:
    """What the node's own check has said, and Python and TensorFlow where they are well."""
    found = []
    for problem in facts.problems:
        level: Level = "problem" if problem.fatal else "warning"
        found.append(
            on_node(
                facts,
                "plan" if problem.asked else _topic(problem),
                level,
                problem.what,
                problem.remedy,
            )
        )
    if not any(item.topic == "python" for item in found):
        what = f"Python {facts.python_version} at {facts.python}"
        if facts.tensorflow_version:
            what += f" has TensorFlow {facts.tensorflow_version}"
        if facts.environment == "ready":
            what += "; Clew made this environment"
        elif facts.environment == "missing":
            what += "; the environment is made from it at launch"
        found.append(on_node(facts, "python", "ok", what))
    return found


def _topic(problem: Problem) -> Topic:
    words = problem.what.casefold()
    topics: tuple[tuple[Topic, Iterable[str]], ...] = (
        ("gpu", ("gpu", "nvidia")),
        ("python", ("python", "tensorflow", "setup", "bash", "variable")),
        ("disk", ("write", "space", "files go to")),
    )
    return next((topic for topic, marks in topics if any(m in words for m in marks)), "login")


def _clock(facts: NodeFacts, survey: NodeSurvey) -> Finding:
    offset, known_to = facts.clock_offset_s, survey.round_trip_s / 2
    side = "ahead of" if offset > 0 else "behind"
    what = f"the clock is {_seconds(abs(offset))} {side} this computer's (± {_seconds(known_to)})"
    if abs(offset) - known_to <= CLOCK_S:
        return on_node(facts, "clock", "ok", what)
    remedy = "Set up NTP on the node or here; Clew's charts take the difference into account."
    return on_node(facts, "clock", "warning", what, remedy)


def _seconds(value: float) -> str:
    if value < 1:
        return f"{value * 1000:.1f} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.0f} min"


def _limits(facts: NodeFacts, survey: NodeSurvey) -> list[Finding]:
    found = [_open_files(facts, survey), _threads(facts, survey), _locked(facts, survey)]
    bad = [item for item in found if item is not None]
    if bad or not survey.limits:
        return bad
    shown = ", ".join(
        f"{words} {'unlimited' if survey.limits[name][0] < 0 else survey.limits[name][0]}"
        for name, words in (("nofile", "open files"), ("nproc", "processes"))
        if name in survey.limits
    )
    return [on_node(facts, "limits", "ok", f"limits of a task: {shown}")]


def _open_files(facts: NodeFacts, survey: NodeSurvey) -> Finding | None:
    soft, hard = survey.limits.get("nofile", (-1, -1))
    if soft < 0 or soft >= MANY_FILES:
        return None
    level: Level = "problem" if soft < FEW_FILES else "warning"
    what = f"a task may open only {soft} files"
    wanted = min(hard, 65536) if hard >= 0 else 65536
    remedy = (
        f'Add "ulimit -n {wanted}" to environment.setup in the profile.'
        if wanted > soft
        else "Ask the administrator to raise nofile in /etc/security/limits.conf."
    )
    return on_node(facts, "limits", level, what, remedy)


def _threads(facts: NodeFacts, survey: NodeSurvey) -> Finding | None:
    soft, hard = survey.limits.get("nproc", (-1, -1))
    left = soft - survey.threads
    if soft < 0 or left >= MANY_THREADS or facts.user == "root":  # root is not held to it
        return None
    level: Level = "problem" if left < FEW_THREADS else "warning"
    what = f"this account may have {soft} processes and threads, and runs {survey.threads}"
    remedy = "End some of them, or ask the administrator to raise nproc."
    if hard < 0 or hard > soft:
        limit = "unlimited" if hard < 0 else hard
        remedy = f'Add "ulimit -u {limit}" to environment.setup in the profile.'
    return on_node(facts, "limits", level, what, remedy)


def _locked(facts: NodeFacts, survey: NodeSurvey) -> Finding | None:
    soft, _ = survey.limits.get("memlock", (-1, -1))
    if soft < 0 or not survey.infiniband:
        return None
    what = (
        f"a task may lock only {soft // 1024} KiB of memory, and this node has InfiniBand "
        f"({survey.infiniband[0]}), which needs more for RDMA"
    )
    remedy = "Ask the administrator for memlock unlimited, or use the Ethernet address."
    return on_node(facts, "limits", "warning", what, remedy)


def _proxy(facts: NodeFacts, needs: Needs) -> Finding:
    caught = proxy.caught(facts.proxies, needs.addresses)
    if caught is not None:
        return on_node(facts, "proxy", "problem", caught.what, caught.remedy)
    name = proxy.proxy_variable(facts.proxies)
    if not name:
        return on_node(facts, "proxy", "ok", "no proxy variable is set that gRPC would follow")
    where, _ = proxy.exceptions(facts.proxies)
    what = f"{name} is set, and {where} leaves out the nodes' addresses"
    return on_node(facts, "proxy", "ok", what)
