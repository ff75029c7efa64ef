"""The way back to a run that was left going on: its profile, its nodes, then the run itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.background import run_in_background
from gui.controller import Controller
from gui.language import tr
from gui.notices import Notice
from gui.slurm_data import entries, is_slurm
from remote.errors import ClewError, ProfileError

if TYPE_CHECKING:
    from remote.history import RunRecord
    from remote.profile import Profile

PATIENCE_S = 120.0
"""So long a run waits to be followed while its nodes connect (somebody may type a password)."""
_UNDER_WAY = ("disconnected", "connecting", "checking")
_OFFER = tr("Follow live")


class Following(QObject):
    """Opens what a run needs, connects, and attaches once its nodes have answered.

    Args:
        controller: the window's.
        open_path: opens a profile file; False: the user stays with what is open.
        open_new: opens a profile that has no file.
    """

    def __init__(
        self,
        controller: Controller,
        open_path: Callable[[str], bool],
        open_new: Callable[[Profile], bool],
    ) -> None:
        super().__init__(controller)
        self._controller = controller
        self._open_path = open_path
        self._open_new = open_new
        self._run_id = ""
        self._needed: frozenset[str] = frozenset()
        self._until = 0.0
        self._connect_asked = False
        controller.follow_asked.connect(self.follow)
        controller.ticked.connect(self._look)

    @property
    def waiting(self) -> str:
        """The run that is followed as soon as its nodes have answered; empty: none."""
        return self._run_id

    def follow(self, run_id: str) -> None:
        """Show ``run_id`` live; opens its profile and connects first, where that is needed."""
        controller = self._controller
        if controller.run_active:
            controller.notices.warning(
                tr("A run is going on."), tr("Stop it, or wait for its end.")
            )
            return
        try:
            record = controller.history().run(run_id)
            needed = frozenset(task.node for task in controller.history().tasks(run_id))
            needed = frozenset(_login(record)) or needed
        except ClewError as error:
            controller.notices.error(error)
            return
        controller.notices.dismiss_action(_OFFER)
        if record is None:
            controller.notices.error(tr("Run {run_id} is not in the history.", run_id=run_id))
            return
        self._run_id, self._needed = run_id, needed
        self._until, self._connect_asked = time.monotonic() + PATIENCE_S, False
        session = controller.session
        if session is not None and needed <= set(session.nodes):
            self._look()
        elif not self._open(record):
            self._run_id = ""

    def offer(self) -> None:
        """Say with a notice which run was left going on, if the history knows of one."""

        def work() -> list[RunRecord]:
            from remote.history.database import default_path
            from remote.history.overview import is_going_on

            if not default_path().exists():
                return []
            history = self._controller.history()
            remarks = history.remarks()
            imported = {run for run, remark in remarks.items() if remark.imported_at is not None}
            return [r for r in history.runs(100) if is_going_on(r) and r.run_id not in imported]

        run_in_background(self._controller.bridge, work, self._show, lambda _: None, name="runs")

    def _show(self, runs: list[RunRecord]) -> None:
        if not runs or self._controller.run_active:
            return
        run, more = runs[0], len(runs) - 1
        rest = tr("The Runs page has {more} more.", more=more) if more else ""
        text = tr("Run {run_id} ({name}) was left going on.", run_id=run.run_id, name=run.name)
        self._controller.notices.add(
            Notice("info", text, rest, action=_OFFER, run_action=lambda: self.follow(run.run_id))
        )

    def _open(self, record: RunRecord) -> bool:
        """The profile's file, if it still has the run's nodes; else the profile as recorded."""
        from remote import profile

        try:
            loaded = profile.load(Path(record.profile_path)) if record.profile_path else None
        except ProfileError:
            loaded = None
        if loaded is not None and self._fits(loaded.profile):
            return self._open_path(record.profile_path)
        try:
            recorded = profile.loads(record.profile).profile
        except ProfileError:
            self._controller.notices.error(
                tr("The profile of run {run_id} is not on record.", run_id=record.run_id),
                tr("Open the profile that it was started with and connect."),
            )
            return False
        return self._open_new(recorded)

    def _fits(self, profile: Profile) -> bool:
        return self._needed <= set(entries(profile))

    def _look(self) -> None:
        """At each tick: connect once the profile is open, attach once the nodes have answered."""
        controller = self._controller
        if not self._run_id or controller.busy:
            return
        if time.monotonic() > self._until or controller.run_active:
            self._give_up()
            return
        session = controller.session
        if session is None:
            current = controller.document.profile
            if not self._connect_asked and current is not None and self._fits(current):
                self._connect_asked = True
                controller.connect_nodes()
            return
        if not self._needed <= set(session.nodes):
            return
        states = controller.models.nodes.nodes
        if any(states[name].state in _UNDER_WAY for name in self._needed if name in states):
            return
        run_id, self._run_id = self._run_id, ""
        controller.attach(run_id)

    def _give_up(self) -> None:
        run_id, self._run_id = self._run_id, ""
        if not self._controller.run_active:
            self._controller.notices.warning(
                tr("Run {run_id} is not followed: its nodes have not answered.", run_id=run_id),
                tr("Connect, then follow it from the Runs page."),
            )


def _login(record: RunRecord | None) -> list[str]:
    """Where one logs in for a run whose nodes Slurm gave; nothing for any other."""
    from remote import profile

    try:
        found = profile.loads(record.profile).profile if record is not None else None
    except ProfileError:
        return []
    return entries(found) if is_slurm(found) else []
