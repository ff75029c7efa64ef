"""What the window knows of a check, filled from updates. No Qt."""

from __future__ import annotations

from gui.language import plural, tr
from gui.said import said
from remote.checks import CheckEnd, CheckItem, CheckStep, Finding, HelloDevice, Pair, Step
from remote.wording import Cell, Shared, cell, grouped

STEPS: dict[Step, str] = {
    "node": tr("A closer look"),
    "reach": tr("Dialling"),
    "throughput": tr("Throughput"),
    "hello": tr("Hello"),
}
_RANK = {"problem": 0, "warning": 1, "ok": 2}


class CheckModel:
    """One check as far as it is told; ``version`` changes with every change."""

    def __init__(self) -> None:
        self.version = 0
        self._clear()

    def _clear(self) -> None:
        self.version += 1
        self.began = False
        self.running = False
        self.hello = False
        self.end: CheckEnd | None = None
        self.nodes: list[str] = []
        self.findings: list[Finding] = []
        self.devices: list[HelloDevice] = []
        self.steps: dict[tuple[str, Step], CheckStep] = {}
        self._pairs: dict[tuple[str, str], dict[str, Pair]] = {}

    def begin(self, nodes: list[str], hello: bool) -> None:
        """Forget the check before; one of ``nodes`` begins."""
        self._clear()
        self.began = self.running = True
        self.nodes, self.hello = nodes, hello

    def forget(self) -> None:
        """The nodes are others: nothing is known of them."""
        self._clear()

    def apply(self, item: CheckItem) -> None:
        """Take in what a check told."""
        if not self.began:
            return  # of a check that nobody here asked for any more
        self.version += 1
        if isinstance(item, Finding):
            self.findings.append(item)
        elif isinstance(item, CheckStep):
            self.steps[item.node, item.step] = item
        elif isinstance(item, Pair):
            self._pairs.setdefault((item.source, item.target), {})[item.task] = item
        elif isinstance(item, HelloDevice):
            self.devices.append(item)
        else:
            self.end, self.running = item, False

    def shared(self, everything: bool) -> list[Shared]:
        """The findings to show, worst first, those that nodes have alike as one."""
        wanted = [f for f in self.findings if everything or f.level != "ok"]
        return sorted(grouped(wanted), key=lambda one: _RANK[one.finding.level])

    @property
    def has_pairs(self) -> bool:
        return bool(self._pairs)

    def cell(self, source: str, target: str) -> Cell:
        """Where the row of ``source`` meets the column of ``target``."""
        return cell(list(self._pairs.get((source, target), {}).values()))

    def step_text(self, node: str, step: Step) -> str:
        """How far a step is on a node: a dash before it, words during it, ``done``."""
        found = self.steps.get((node, step))
        if found is None:
            return "–"
        if found.done >= found.total:
            return tr("done")
        count = (
            tr(" ({done} of {total})", done=found.done + 1, total=found.total)
            if found.total > 1
            else ""
        )
        return f"{said(found.detail)}{count}" or "…"

    def fraction(self) -> float:
        """How much is done, 0 to 1: steps of all nodes alike."""
        steps = [step for step in STEPS if step != "hello" or self.hello]
        parts = [
            min(1.0, found.done / max(1, found.total))
            for node in self.nodes
            for step in steps
            if (found := self.steps.get((node, step))) is not None
        ]
        return sum(parts) / max(1, len(self.nodes) * len(steps))

    def summary(self) -> str:
        """One sentence about where it stands."""
        if not self.began:
            return ""
        if self.end is None:
            at = [s for s in STEPS if any(step == s for _, step in self.steps)]
            return (
                tr("Checking: {step} …", step=STEPS[at[-1]].casefold()) if at else tr("Checking …")
            )
        if self.end.state == "stopped":
            return tr("Cancelled. What was found until then is below.")
        problems, warnings = self.end.problems, self.end.warnings
        counted = [plural("{n} problem", "{n} problems", problems)] if problems else []
        counted += [plural("{n} warning", "{n} warnings", warnings)] if warnings else []
        what = tr(" and ").join(counted) or tr("nothing is in the way")
        return tr("Checked in {seconds:.1f} s: {what}.", seconds=self.end.seconds, what=what)

    def tone(self) -> str:
        """The palette's name for how it ended."""
        if self.end is None or self.end.state == "stopped":
            return "muted"
        return "error" if self.end.problems else "warn" if self.end.warnings else "ok"
