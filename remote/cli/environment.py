"""What a command works with: its arguments, its view, the history, and a session when needed."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from remote.cli.interrupt import Interrupts
from remote.cli.progress import RunProgress
from remote.cli.prompts import TerminalPrompter
from remote.cli.text import error_text
from remote.cli.view import HumanView, JsonView
from remote.errors import ProfileError, sentence
from remote.history import History, RunRecord
from remote.profile import Profile, load, loads, override
from remote.session import ClusterSession, RunHandle
from remote.updates import NodeUpdate, Update
from trainer.spec import TrainingSpec

CONNECT_LIMIT_S = 300.0
"""Longest wait for all nodes: questions to the user are part of it."""
ORDERS_LIMIT_S = 20.0
"""Stops that take longer go on by themselves: the nodes know of them by then."""
_POLL_S = 0.1

GOOD, FAILED, WRONG_INPUT, STOPPED = 0, 1, 2, 130


class Watched:
    """A run that a command shows, and what is true of it when the command leaves it.

    Args:
        own: the run's nodes end with this command, as a demo's do.
    """

    def __init__(self, run: RunHandle, *, own: bool = False) -> None:
        self.run = run
        self.stop_asked = False
        self._own = own

    def left_text(self) -> str:
        """What becomes of the run; empty when there is nothing to say."""
        name = self.run.run_id
        if self.run.result is not None or self._own:
            return ""
        if self.stop_asked:
            return (
                f"Run {name}: stopping was asked for; clew status {name} says whether it is done."
            )
        if not self.run.started:
            return f"Run {name} was left while it was being started: clew status {name}."
        return f"Run {name} goes on. Watch it: clew attach {name}. Stop it: clew stop {name}."


class Environment:
    """One command's surroundings; use as a context, so that everything is let go."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.json = bool(arguments.json)
        self.interrupts = Interrupts()
        self.updates: SimpleQueue[Update] = SimpleQueue()
        self.view: JsonView | HumanView = JsonView() if self.json else HumanView(RunProgress())
        self.watched: Watched | None = None
        """The run that is shown."""
        self.on_update: Callable[[Update], None] = lambda update: None
        """Called with each update that is shown."""
        self.hidden: tuple[type, ...] = ()
        """Kinds of updates that are not shown."""
        self._history: History | None = None
        self._session: ClusterSession | None = None

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *error: object) -> None:
        self.view.close()
        self.close_session()
        if self._history is not None:
            self._history.close()
        self.interrupts.close()

    @property
    def history(self) -> History:
        if self._history is None:
            self._history = History()
            if self._history.notice:
                self.view.say(self._history.notice)
        return self._history

    def show_for(self, training: TrainingSpec | None) -> None:
        """From now on show a run of ``training``."""
        if isinstance(self.view, HumanView):
            self.view.progress = RunProgress(training)

    def profile(self) -> Profile:
        """The profile that the arguments name, with what ``--set`` changes. Raises ProfileError."""
        loaded = load(self.arguments.profile)
        profile = override(loaded.profile, self.arguments.set)
        if not profile.logins:
            what = f"{self.arguments.profile}: there are no nodes"
            raise ProfileError(what, remedy="Add at least one under nodes, like nodes: [gpu001]")
        for issue in loaded.warnings:
            self.view.say(f"{self.arguments.profile}:{issue.line}: {issue.message}")
        return profile

    def profile_of(self, run: RunRecord) -> Profile:
        """The profile that a run was started with, or that ``--profile`` names."""
        if self.arguments.profile is not None:
            return load(self.arguments.profile).profile
        if not run.profile:
            raise ProfileError(
                f"run {run.run_id} was started elsewhere, so its profile is not known here",
                remedy="Name it: --profile FILE.",
            )
        return loads(run.profile, run.name).profile

    def session(
        self, profile: Profile, path: str = "", known_hosts: Sequence[Path] = ()
    ) -> ClusterSession:
        """A session that begins to connect."""
        pause = self.view.paused if isinstance(self.view, HumanView) else contextlib.nullcontext
        self._session = ClusterSession(
            profile,
            history=self.history,
            prompter=TerminalPrompter(pause),
            updates=self.updates,
            profile_path=path,
            known_hosts=known_hosts,
        )
        self._session.connect()
        return self._session

    def close_session(self) -> None:
        """Let go of the nodes; runs go on."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def pump(self, until: Callable[[], bool], limit_s: float | None = None) -> bool:
        """Show updates until ``until()`` or the time is up or Ctrl-C; whether it was the first."""
        deadline = None if limit_s is None else time.monotonic() + limit_s
        while True:
            done = until()
            for update in self.drain():
                if not isinstance(update, self.hidden):
                    self.view.update(update)
                self.on_update(update)
            self.view.refresh()
            if done:
                return True
            if self.interrupts.count or (deadline is not None and time.monotonic() > deadline):
                return False

    def drain(self) -> Iterator[Update]:
        """What has come; waits a moment for the first."""
        with contextlib.suppress(Empty):
            yield self.updates.get(timeout=_POLL_S)
            while True:
                yield self.updates.get_nowait()

    def connect(self, session: ClusterSession, *, orders: bool = True) -> bool:
        """Wait until every node has answered or failed, and a while for what was ordered for it.

        False: Ctrl-C, or it took too long.
        """
        if not self.pump(lambda: settled(session), CONNECT_LIMIT_S):
            return False
        if orders:
            self.pump(lambda: not session.carrying_out_orders(), ORDERS_LIMIT_S)
        return not self.interrupts.count

    def tell_bad_nodes(self, session: ClusterSession) -> list[NodeUpdate]:
        """Say, for each node that cannot train, why and what to do."""
        bad = [n for n in session.node_updates().values() if n.state != "ready"]
        if not self.json:
            for node in bad:
                text = sentence(node.detail or node.state, node.remedy)
                where = "" if text.startswith(f"{node.node} ") else f"{node.node}: "
                self.view.say(f"{where}{text.rstrip('.')}.")
        return bad


def settled(session: ClusterSession) -> bool:
    """Whether every node has answered or failed."""
    settled = ("ready", "unusable", "unreachable")
    return all(node.state in settled for node in session.node_updates().values())


__all__ = ["FAILED", "GOOD", "STOPPED", "WRONG_INPUT", "Environment", "error_text", "settled"]
