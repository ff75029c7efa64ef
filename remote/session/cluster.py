"""One profile's nodes and the runs on them: what the window and the command line hold."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from remote.errors import ClewError, HistoryError, PlanError
from remote.facts import NodeFacts
from remote.history import History, is_run_id, new_run_id
from remote.link import NoteData, SampleData, StreamItem
from remote.placing import Places, with_choices
from remote.plan import Plan, make_plan
from remote.profile import Profile
from remote.session.attaching import Attachment, find_on_nodes, known_tasks
from remote.session.checking import Check, CheckHandle
from remote.session.clock import skew_notice
from remote.session.connections import Connections
from remote.session.filling import Fillings
from remote.session.found import FoundRun, time_of_id
from remote.session.handle import RunHandle
from remote.session.launching import Launch
from remote.session.messages import Heard, NodeDown, NodeUp
from remote.session.node import ConnectorFactory, Node
from remote.session.ordering import Ordering
from remote.session.picture import RunPicture
from remote.session.prepare import check_files
from remote.session.recording import adopt, record_launch
from remote.session.run import Opening, Run
from remote.ssh import Prompter
from remote.updates import NodeUpdate, NoticeUpdate, RunState, RunUpdate, Update
from trainer.spec import TrainingSpec

_SETTLED = frozenset({"ready", "unusable", "unreachable"})
_BEAT_S = 1.0
_CLOSE_S = 0.8
_CHECK_END_S = 0.5
"""So long closing waits for a check to let go of ports; they end with their connection anyway."""
_SKEW_S = 2.0


class ClusterSession:
    """The nodes of one profile, connected in parallel and kept connected; runs on them.

    Whatever happens is told through ``updates``, the one outward queue, as plain immutable items
    of :mod:`remote.updates`; nothing of the connections below leaks out. No method but those that
    say so blocks for longer than a moment, so a window may call them.

    Args:
        profile: the nodes and the default training.
        history: where runs are recorded; may be shared by several sessions.
        prompter: answers questions about host keys and passwords, called from the session's
            threads; it may block, and None or False means cancelled.
        updates: receives everything; never blocks.
        profile_path: recorded with runs, so that they can be found again by their file.
        known_hosts: known_hosts files to read beside OpenSSH's, such as a practice cluster's.
        connector: another way to reach nodes than SSH.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        history: History,
        prompter: Prompter,
        updates: SimpleQueue[Update],
        profile_path: str = "",
        known_hosts: Sequence[Path] = (),
        connector: ConnectorFactory | None = None,
    ) -> None:
        self._profile = profile
        self._profile_path = profile_path
        self._updates = updates
        self.history = history
        self._lock = threading.Condition()
        self._closed = threading.Event()
        self._runs: dict[str, Run] = {}
        self._skew_told: set[str] = set()
        self._warned: set[str] = set()
        self._beat_thread: threading.Thread | None = None
        self._checking: Check | None = None
        self.fillings = Fillings(history)
        self._ordering = Ordering(self)
        folder = history.folder
        self._connections = Connections(profile, prompter, folder, known_hosts, self._warn)
        factory = connector or self._connections.connector
        self._nodes = {c.name: Node(c, profile, factory, self) for c in profile.nodes}

    @property
    def profile(self) -> Profile:
        return self._profile

    def connect(self) -> None:
        """Connect and check all nodes, in parallel and without blocking.

        Each node then reports itself with NodeUpdates: connecting, checking, and ready, unusable
        (it answers, but cannot train; ``detail`` and ``remedy`` say why) or unreachable. A node
        that is unreachable is tried again by itself with growing pauses, unless it needs the
        user (a password, a host key). Called again, it tries at once those nodes that are not
        connected, asks the user where needed, and checks again those that are.
        """
        with self._lock:
            if self._closed.is_set():
                return
            if self._beat_thread is None:
                self._beat_thread = threading.Thread(
                    target=self._beat, name="clew-heartbeat", daemon=True
                )
                self._beat_thread.start()
        for node in self._nodes.values():
            node.connect()

    def wait_ready(self, timeout_s: float) -> bool:
        """Block until every node is ready, unusable or unreachable; True if all are ready."""

        def settled() -> bool:
            return self._closed.is_set() or all(
                node.update.state in _SETTLED for node in self._nodes.values()
            )

        deadline = time.monotonic() + timeout_s
        with self._lock:
            while not settled() and (left := deadline - time.monotonic()) > 0:
                self._lock.wait(min(left, 0.2))  # in slices, so that Ctrl-C gets through
        return all(node.update.state == "ready" for node in self._nodes.values())

    def active_runs(self) -> list[str]:
        """The runs that this session starts, follows or stops."""
        with self._lock:
            return list(self._runs)

    def carrying_out_orders(self) -> bool:
        """Whether a node that was heard again is still being told what was ordered for it."""
        return any(node.connected and self._ordering.busy(node) for node in self._nodes.values())

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes themselves; for the session's own modules."""
        return self._nodes

    def node_updates(self) -> dict[str, NodeUpdate]:
        """The last NodeUpdate of each node, in the profile's order."""
        return {name: node.update for name, node in self._nodes.items()}

    def facts(self) -> dict[str, NodeFacts]:
        """What the nodes have, for those that are connected; in the profile's order."""
        return {
            name: node.facts
            for name, node in self._nodes.items()
            if node.connected and node.facts is not None
        }

    def plan(self, training: TrainingSpec | None = None, placement: Places = None) -> Plan:
        """Where each task would run now. Pure and quick. Arguments as for :meth:`launch`.

        Raises:
            PlanError: the tasks do not fit on the usable nodes.
        """
        profile = with_choices(self._profile, training, placement)
        return make_plan(profile, self.facts(), addresses=self._connections.addresses())

    def addresses(self) -> dict[str, str]:
        """How each node's host is known on this computer, by the node's name."""
        return self._connections.addresses()

    def check_files(self, cancelled: Callable[[], bool]) -> list[str]:
        """Check the data set and the code that a launch would send from here. Blocks; reads all.

        Returns what is worth saying about a data set that can be used.

        Raises:
            DataError: something is missing, damaged or of another kind.
            Cancelled: ``cancelled()`` was true.
        """
        return check_files(self._profile.training, cancelled)

    def launch(
        self, training: TrainingSpec | None = None, *, name: str = "", placement: Places = None
    ) -> RunHandle:
        """Prepare the nodes and start a run; returns at once.

        Checks that need only the desktop's memory are made here; checking the data, sending the
        trainer and the data, and starting go on in the background and tell their progress. If
        any of it fails, what was started is stopped again, and a ResultUpdate with state
        ``failed`` and the reason ends the run.

        Args:
            training: what to train; default: the profile's.
            placement: where each task goes (empty: automatic); default: the profile's.
            name: what the user calls the run; default: the profile's name.

        Raises:
            PlanError: the tasks do not fit, a node is not ready, or the training is not possible.
            HistoryError: the run cannot be recorded.
            ClewError: a run of this session has not ended yet.
        """
        launched_at = time.time()
        profile = with_choices(self._profile, training, placement)
        problems = profile.training.problems()
        if problems:
            raise PlanError("; ".join(f"{p.path} {p.message}" for p in problems))
        plan, facts = self.plan(training, placement), self.facts()
        again = partial(self.plan, training, placement)
        launch = Launch(profile, profile.training, plan, facts, again)
        run_id = new_run_id(launched_at)
        picture = RunPicture(run_id, launch.tasks(), launched_at)
        self._check_free()
        record_launch(self.history, picture, profile, self._profile_path, name=name, at=launched_at)
        for text in plan.warnings:
            self.tell(NoticeUpdate(level="warning", text=text, run_id=run_id))
        return self._start(picture, launch)

    def check(self, *, hello: bool = False) -> CheckHandle:
        """Look closely at all nodes and at the ways between them; returns at once.

        What is found comes as items of :mod:`remote.checks`, the last a CheckEnd. The ports of
        the run are listened on meanwhile, so it is not done beside a run.

        Args:
            hello: also add two vectors through TensorFlow on every device of every node.

        Raises:
            ClewError: a run or another check of this session has not ended yet.
        """
        self._check_free()
        check = Check(self, hello=hello)
        with self._lock:
            self._checking = check
        check.start()
        return CheckHandle(check)

    def attach(self, run_id: str) -> RunHandle:
        """Watch a run that was started earlier, here or elsewhere; returns at once.

        What the history has of it is told first (see :func:`~remote.session.replay`), then what
        its nodes have written since: each event once. A run that the history does not have is
        looked for on the nodes and rebuilt from its files; one that no connected node knows
        either ends with a ResultUpdate that says so.

        Raises:
            HistoryError: ``run_id`` has not the form of one, or the history cannot be read.
        """
        with self._lock:
            known = self._runs.get(run_id)
        if known is not None:
            return RunHandle(known)
        if not is_run_id(run_id):
            raise HistoryError(f"{run_id!r} is not a run's id", remedy="List the runs: clew runs")
        record = self.history.run(run_id)
        launched_at = record.started_at if record is not None else time_of_id(run_id)
        tasks = known_tasks(self.history, run_id)
        trained = record is not None and record.state == "training"
        return self._start(
            RunPicture(run_id, tasks, launched_at),
            Attachment(self.adopt),
            "training" if trained else "starting",
        )

    def runs(self) -> list[FoundRun]:
        """The runs on record at the connected nodes, newest first. Blocks: asks the nodes."""
        return find_on_nodes(self._nodes)

    def adopt(self, found: FoundRun) -> None:
        """Take a run that only its nodes know into the history, so that it can be attached.

        Of a run that is known, tasks that the history does not have are taken.
        """
        adopt(self.history, found, self._profile, self._profile_path)

    def close(self) -> None:
        """Let go of all connections, within a second. Tasks go on; their nodes look after them."""
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
            self._lock.notify_all()
            runs = list(self._runs.values())
            check = self._checking
        if check is not None:
            check.cancel()
            check.join(_CHECK_END_S)
        for run in runs:
            run.release()
        deadline = time.monotonic() + _CLOSE_S
        closers = [
            threading.Thread(target=node.close, name=f"clew-close-{node.name}", daemon=True)
            for node in self._nodes.values()
        ]
        for run in runs:
            run.join(max(0.0, min(0.3, deadline - time.monotonic())))
        for closer in closers:
            closer.start()
        for closer in closers:
            closer.join(max(0.0, deadline - time.monotonic()))
        for node in self._nodes.values():
            node.join(max(0.0, deadline - time.monotonic()))

    # What the session's own modules call back.

    def tell(self, update: Update) -> None:
        """Put an item into the outward queue; after closing nobody wants it any more."""
        if not self._closed.is_set():
            self._updates.put(update)

    def add(self, run: Run) -> bool:
        """Have a run told what comes for it; False: one of this id is there already."""
        with self._lock:
            return self._runs.setdefault(run.run_id, run) is run

    def run_ended(self, run: Run) -> None:
        with self._lock:
            self._runs.pop(run.run_id, None)
        for gap in run.gaps:
            self._ordering.again(self._nodes[gap.node])

    def follows(self, run_id: str) -> bool:
        """Whether a run has a thread of its own here, which fetches what there is of it."""
        with self._lock:
            return run_id in self._runs

    def node_changed(self, update: NodeUpdate) -> None:
        self.tell(update)
        with self._lock:
            self._lock.notify_all()

    def node_connected(self, node: str, facts: NodeFacts) -> None:
        skew = facts.clock_offset_s
        if abs(skew) > _SKEW_S and node not in self._skew_told:
            self._skew_told.add(node)
            self.tell(skew_notice(node, skew))
        self._ordering.contact(self._nodes[node])
        self._to_runs(NodeUp(node))

    def node_lost(self, node: str, since: float) -> None:
        self._ordering.lost(node)
        self._to_runs(NodeDown(node, since))

    def node_said(self, node: str, item: StreamItem) -> None:
        if isinstance(item, SampleData):
            self.tell(item.sample)
            self._to_runs(item)
        elif isinstance(item, NoteData):
            self.tell(NoticeUpdate(level=item.level, text=item.text, node=node))
        else:
            with self._lock:
                run = self._runs.get(item.run_id)
            if run is not None:
                run.put(item)
            else:
                self.fillings.put(node, item)

    def _to_runs(self, message: NodeUp | NodeDown | Heard | SampleData) -> None:
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.put(message)

    def _beat(self) -> None:
        while not self._closed.wait(_BEAT_S):
            for name, node in self._nodes.items():
                node.heartbeat()
                heard = node.update.last_heard
                if node.connected and heard is not None:
                    self._to_runs(Heard(name, heard))

    def _check_free(self) -> None:
        with self._lock:
            busy = next((run for run in self._runs.values() if not run.unwatched), None)
            checking = self._checking
        if checking is not None and not checking.ended.is_set():
            raise ClewError("a check is going on", remedy="Cancel it, or wait for its end.")
        if self._closed.is_set():
            raise ClewError("this session is closed")
        if busy is not None:
            raise ClewError(
                f"run {busy.run_id} has not ended yet", remedy="Stop it, or wait for its end."
            )

    def _start(
        self, picture: RunPicture, opening: Opening, state: RunState = "preparing"
    ) -> RunHandle:
        run = Run(self, picture, opening, state)
        with self._lock:
            self._runs[run.run_id] = run
        self.tell(RunUpdate(run_id=run.run_id, state=run.state))
        run.start()
        return RunHandle(run)

    def _warn(self, text: str) -> None:
        """About a file that all connections read: once is enough."""
        with self._lock:
            known = text in self._warned
            self._warned.add(text)
        if not known:
            self.tell(NoticeUpdate(level="warning", text=text))
