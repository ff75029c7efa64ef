"""What a command shows: JSON lines, or words and a live line for people."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from remote.checks import CheckStep
from remote.cli import jsonlines
from remote.cli.progress import RunProgress
from remote.cli.text import plain, progress_text
from remote.errors import sentence
from remote.updates import (
    END_STATES,
    ControlUpdate,
    NodeUpdate,
    NoticeUpdate,
    Progress,
    QueueUpdate,
    ResultUpdate,
    RunUpdate,
    TaskUpdate,
    Update,
)
from remote.wording import queue_text

DRAW_EVERY_S = 0.125
PLAIN_EVERY_S = 5.0
"""Pause between two lines of progress where there is no terminal."""


class View(Protocol):
    """Takes updates and messages; the last is a result."""

    def update(self, update: Update) -> None: ...
    def refresh(self) -> None: ...
    def say(self, text: str) -> None: ...
    def close(self) -> None: ...


class JsonView:
    """One object per line on standard output, flushed, so that a pipe sees it at once."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._tasks: dict[object, object] = {}
        self._nodes: dict[str, object] = {}
        self._ended = False
        self.told_result = False
        """Whether the last object was a result."""

    def update(self, update: Update) -> None:
        if self._ended:
            return  # nodes go on telling their samples; the result is the last object
        self._ended = isinstance(update, ResultUpdate)
        if isinstance(update, TaskUpdate):
            key = replace(update, last_heard=None)
            if self._tasks.get(update.task) == key:
                return  # only "last heard" moved on
            self._tasks[update.task] = key
        if isinstance(update, NodeUpdate):
            node_key = (update.state, update.detail, update.facts is not None)
            if self._nodes.get(update.node) == node_key:
                return
            self._nodes[update.node] = node_key
        for item in jsonlines.objects(update):
            self.write(item)

    def write(self, item: jsonlines.Object) -> None:
        self.told_result = item.get("type") == "result"
        self._out.write(jsonlines.dump(item) + "\n")
        self._out.flush()

    def refresh(self) -> None:
        pass

    def say(self, text: str) -> None:
        if not text:
            return
        sys.stderr.write(plain(text) + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        pass


class Terminal(Console):
    """A console that leaves it to its caller what to do when nobody reads it any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class HumanView:
    """A live region on a terminal: nodes while they are prepared, then one line of training.

    Where standard output is no terminal: a line at every change of state, and now and then one
    about progress.
    """

    def __init__(self, progress: RunProgress, console: Console | None = None) -> None:
        self.progress = progress
        self._console = console or Terminal(highlight=False, soft_wrap=True)
        self._nodes: dict[str, NodeUpdate] = {}
        self._sent: dict[str, str] = {}
        self._live: Live | None = None
        self._told_states: dict[str, str] = {}
        self._told_at = 0.0
        self._run_state = ""
        self._queue = ""

    def update(self, update: Update) -> None:
        self.progress.update(update)
        if isinstance(update, NodeUpdate):
            self._nodes[update.node] = update
            self._tell_node(update)
        elif isinstance(update, Progress):
            self._sent[update.node] = f"{update.action}: {progress_text(update)}"
            self._tell_environment(update)
        elif isinstance(update, ControlUpdate):
            self.say(_control_words(update))
        elif isinstance(update, QueueUpdate):
            self._tell_queue(update)
        elif isinstance(update, CheckStep):
            self._tell_step(update)
        elif isinstance(update, NoticeUpdate):
            where = f"{update.node}: " if update.node and update.node not in update.text else ""
            mark = {"info": "", "warning": "Warning: ", "error": "Error: "}[update.level]
            self.say(f"{mark}{where}{sentence(update.text, update.remedy)}")
        elif isinstance(update, RunUpdate) and not self._console.is_terminal:
            if update.state != self._run_state:
                # The summary of a run that has ended says why, and the job's own line why it waits.
                told = update.state in END_STATES or update.state == "queued"
                why = "" if told else update.detail
                self._print(f"{update.state}{f': {why}' if why else ''}")
            self._run_state = update.state
        elif isinstance(update, ResultUpdate):
            self.close()

    def refresh(self) -> None:
        """Draw, if it is time to."""
        now = time.monotonic()
        if self._console.is_terminal:
            if now - self._told_at < DRAW_EVERY_S:
                return
            self._told_at = now
            if self._live is None:
                self._live = Live(console=self._console, transient=True, auto_refresh=False)
                self._live.start()
            self._live.update(self._picture(), refresh=True)
        elif (
            self.progress.step
            and not self.progress.is_queued
            and now - self._told_at >= PLAIN_EVERY_S
        ):
            self._told_at = now
            self._print(self.progress.line())

    def say(self, text: str) -> None:
        """A message that stays, on standard error."""
        if not text:
            return
        with self.paused():
            sys.stderr.write(plain(text) + "\n")
            sys.stderr.flush()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is drawn meanwhile."""
        live, self._live = self._live, None
        if live is not None:
            live.stop()
        yield

    def close(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _print(self, text: str) -> None:
        self._console.print(Text(plain(text)))
        self._console.file.flush()

    def _tell_node(self, update: NodeUpdate) -> None:
        if self._console.is_terminal or self._told_states.get(update.node) == update.state:
            return
        self._told_states[update.node] = update.state
        detail = f": {update.detail}" if update.detail else ""
        self._print(f"{update.node} {update.state}{detail}")

    def _tell_queue(self, update: QueueUpdate) -> None:
        """Without a terminal a line whenever the words change; times move all the while."""
        text = queue_text(replace(update, start_at=None))
        if not self._console.is_terminal and text != self._queue:
            self._print(text)
        self._queue = text

    def _tell_step(self, update: CheckStep) -> None:
        """What a check does on a node; without a terminal a line for what may take a while."""
        self._sent[update.node] = update.detail
        # Throughput goes from node to node within the second.
        key = f"{update.node} {update.step if update.step == 'throughput' else update.detail}"
        if self._console.is_terminal or not update.detail or key in self._told_states:
            return
        self._told_states[key] = update.detail
        self._print(f"{update.node} {update.detail}")

    def _tell_environment(self, update: Progress) -> None:
        """Making one takes minutes; without a terminal a line at the start of each part of it."""
        key = f"{update.node} {update.action}"
        if self._console.is_terminal or key in self._told_states:
            return
        if update.action.startswith("environment: "):
            self._told_states[key] = update.action
            self._print(key)

    def _picture(self) -> Table | Text:
        if self.progress.step or self.progress.is_queued:
            return Text(plain(self.progress.line()), no_wrap=True, overflow="ellipsis")
        table = Table.grid(padding=(0, 2))
        for name, node in self._nodes.items():
            tasks = self.progress.tasks_on(name)
            words = tasks or self._sent.get(name, "") or node.detail
            table.add_row(Text(plain(name)), Text(node.state), Text(plain(words)))
        return table


def _control_words(update: ControlUpdate) -> str:
    if not update.holder:
        return "This run is controlled from here."
    take = f"clew stop {update.run_id} --take-control stops it all the same"
    return f"Watched only: this run is controlled from {update.holder}; {take}."
