"""What every check is: a thread, findings that are told at once, a verdict at its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Protocol

from remote.checks import CheckEnd, CheckState, CheckStep, Finding, Step
from remote.errors import Cancelled, ClewError, DataError
from remote.profile import Profile
from remote.session.dataset import needs_files
from remote.session.prepare import check_files
from remote.updates import Update
from remote.wording import few, grouped


class Teller(Protocol):
    """What is needed of the session."""

    @property
    def profile(self) -> Profile: ...
    def tell(self, update: Update) -> None: ...


class CheckFrame:
    """One check; :meth:`start` begins it. What it finds goes into the session's queue at once.

    What is looked at is in :meth:`_look`, on the check's thread.
    """

    def __init__(self, teller: Teller) -> None:
        self.ended = threading.Event()
        self.end: CheckEnd | None = None
        self.findings: list[Finding] = []
        self._teller = teller
        self._cancel = threading.Event()
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="clew-check", daemon=True)

    def _look(self) -> None:
        """Find what there is to find. Raises ClewError."""
        raise NotImplementedError

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        self._cancel.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _run(self) -> None:
        broken, stopped = True, False
        try:
            self._look()
            broken = False
        except Cancelled:
            broken, stopped = False, True
        except ClewError as error:
            broken = False
            self._cannot_ask({error.node or "": error})
        finally:
            if broken:  # a fault of the program must not pass for a good end
                what, remedy = "the check broke off", "Please report this as a fault of Clew."
                self._find(Finding(topic="plan", level="problem", what=what, remedy=remedy))
            self._finish(stopped)

    def _finish(self, stopped: bool) -> None:
        problems = grouped(item for item in self.findings if item.level == "problem")
        warnings = grouped(item for item in self.findings if item.level == "warning")
        state: CheckState = "problems" if problems else "warnings" if warnings else "good"
        words = [f"{few(one.nodes)}: {one.finding.what}".removeprefix(": ") for one in problems]
        self.end = CheckEnd(
            state="stopped" if stopped else state,
            problems=len(problems),
            warnings=len(warnings),
            seconds=time.monotonic() - self._began,
            reason="stopped" if stopped else "; ".join(words),
        )
        self._teller.tell(self.end)
        self.ended.set()

    def _cannot_ask(self, failed: Mapping[str, ClewError]) -> None:
        for name, error in failed.items():
            self._find(
                Finding(
                    topic="login", level="problem", what=error.what, node=name, remedy=error.remedy
                )
            )

    def _check_files(self) -> None:
        training = self._teller.profile.training
        try:
            notes = check_files(training, self._cancel.is_set)
        except DataError as error:
            self._find(Finding(topic="data", level="problem", what=error.what, remedy=error.remedy))
        except Cancelled:
            return
        else:
            for note in notes:
                self._find(Finding(topic="data", level="warning", what=note))
            if needs_files(training) and training.dataset.on == "desktop" and not notes:
                what = f"the data set {training.dataset.name} is here and whole"
                self._find(Finding(topic="data", level="ok", what=what))

    def _step(self, node: str, step: Step, done: int, detail: str = "", total: int = 1) -> None:
        self._teller.tell(CheckStep(node=node, step=step, done=done, total=total, detail=detail))

    def _find(self, finding: Finding) -> None:
        with self._lock:
            if finding in self.findings:
                return
            self.findings.append(finding)
        self._teller.tell(finding)

    def _go_on(self) -> None:
        if self._cancel.is_set():
            raise Cancelled("was stopped")


class CheckHandle:
    """A check for whoever asked for it; safe to use from any thread."""

    def __init__(self, check: CheckFrame) -> None:
        self._check = check

    @property
    def end(self) -> CheckEnd | None:
        """Its last word, which is in the queue by then; None: it goes on."""
        return self._check.end

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found so far, in the order in which it was."""
        return tuple(self._check.findings)

    def cancel(self) -> None:
        """Ask it to end; returns at once. Ports are let go of and processes ended."""
        self._check.cancel()

    def wait(self, timeout_s: float | None = None) -> CheckEnd | None:
        """Block until it has ended; None when ``timeout_s`` passed first."""
        self._check.ended.wait(timeout_s)
        return self._check.end
