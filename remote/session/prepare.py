"""Bring the trainer and the data set to the nodes that need them; only what is not there."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from remote.bundle import Tree, TreeId, app_tree, code_tree, folder_tree
from remote.errors import Cancelled, ClewError, DataError, NodeError
from remote.hashing import Hashing, KnownDigests
from remote.link import AgentLink
from remote.pace import Pace
from remote.session.code import check_code
from remote.session.cuts import through_cuts
from remote.session.dataset import can_be_checked, check_local, local_folder, needs_files
from remote.session.node import Node
from remote.session.parallel import on_all, with_node
from remote.session.provision import Provision
from remote.updates import NoticeUpdate, Progress
from trainer.spec import DatasetSpec, TrainingSpec, is_own

_ACTIONS = {"app": "trainer", "code": "your code", "data": "data set"}
_TELL_S = 0.1
"""Least time between two progress updates of one action on one node."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Where things are on each node, absolute."""

    app: TreeId
    data_dirs: Mapping[str, str]
    """Folder of the data set by node; empty when the data set needs no files."""
    code_dirs: Mapping[str, str] = field(default_factory=dict)
    """Folder of the user's own code by node; empty when the run has none."""
    pythons: Mapping[str, str] = field(default_factory=dict)
    """Python of the environment that was made, by node; empty when none was asked for."""

    @property
    def names(self) -> dict[str, str]:
        """What went to the nodes, by kind; each name ends in the hash of its content."""
        found = {"app": self.app.digest}
        for kind, places in (("code", self.code_dirs), ("data", self.data_dirs)):
            for place in places.values():
                found[kind] = PurePosixPath(place).name
        return found


def check_files(training: TrainingSpec, cancelled: Callable[[], bool]) -> list[str]:
    """Check what a launch would send from this computer: the user's code and the data set.

    Returns what is worth saying about a data set that can be used.

    Raises:
        DataError: something is missing, damaged or of another kind.
        Cancelled: the user stopped it.
    """
    if training.code:
        check_code(training, code_tree(training.code))
    if not needs_files(training) or training.dataset.on != "desktop":
        return []
    if can_be_checked(training):
        return check_local(training.dataset, cancelled)
    local_folder(training.dataset)
    return []


def _data_there(link: AgentLink, path: str) -> str:
    """Where the data set is on the node. Raises DataError when it is not, and ClewError."""
    try:
        return link.verify_path(path)
    except NodeError as error:
        raise DataError(error.what, node=error.node, remedy=error.remedy) from None


@dataclass(slots=True)
class Preparation:
    """One launch's preparation; :meth:`run` blocks.

    Args:
        nodes: the nodes that get tasks, by name.
        workers: names of those that need the data set.
        roots: absolute storage root by node.
        digests: where it is remembered what files hold.
        tell: takes progress and what is worth saying about the data set.
        cancelled: whether the user has stopped it.
    """

    nodes: Mapping[str, Node]
    workers: Iterable[str]
    roots: Mapping[str, str]
    training: TrainingSpec
    digests: Path
    tell: Callable[[Progress | NoticeUpdate], None]
    cancelled: Callable[[], bool]
    provision: Provision | None = None
    """Makes environments, if the profile has packages."""
    _checked: list[ClewError] = field(default_factory=list)

    def run(self) -> Prepared:
        """Check the data set, and send what is missing to all nodes at the same time.

        Raises:
            DataError: the data set is missing or of another kind.
            ClewError: a node cannot take the files; names it.
            Cancelled: the user stopped it.
        """
        dataset = self.training.dataset
        check = threading.Thread(target=self._check, args=(dataset,), daemon=True)
        checked = self._stages_data() and can_be_checked(self.training)
        if checked:
            local_folder(dataset)
            check.start()  # reading the files through takes as long as sending them
        trees = self._read()
        outcome = on_all(self.nodes, lambda name: self._bring(name, trees))
        if checked:
            check.join()
        if self._checked:
            raise self._checked[0]
        outcome.raise_first()
        places = outcome.succeeded
        return Prepared(
            trees["app"].id,
            {name: found["data"] for name, found in places.items() if "data" in found},
            {name: found["code"] for name, found in places.items() if "code" in found},
            {name: found["python"] for name, found in places.items() if "python" in found},
        )

    def _stages_data(self) -> bool:
        return needs_files(self.training) and self.training.dataset.on == "desktop"

    def _read(self) -> dict[str, Tree]:
        """The trees that the nodes need, by what they are; reads every file that is new."""
        training = self.training
        trees = {"app": app_tree()}
        with contextlib.closing(KnownDigests(self.digests)) as known:
            if training.code:
                telling = self._teller(self.nodes, "reading your code here")
                hashing = Hashing(known, telling, self._given_up)
                trees["code"] = code_tree(training.code, hashing)
                check_code(training, trees["code"])
            if self._stages_data():
                dataset = training.dataset
                telling = self._teller(self.workers, "reading the data set here")
                hashing = Hashing(known, telling, self._given_up)
                name = "data" if is_own(dataset.name) else dataset.name
                trees["data"] = folder_tree(local_folder(dataset), name, hashing)
        return trees

    def _given_up(self) -> bool:
        return self.cancelled() or bool(self._checked)

    def _check(self, dataset: DatasetSpec) -> None:
        try:
            for note in check_local(dataset, self.cancelled):
                self.tell(NoticeUpdate(level="warning", text=note))
        except ClewError as error:
            self._checked.append(error)

    def _bring(self, name: str, trees: Mapping[str, Tree]) -> dict[str, str]:
        """Send to one node what it needs of ``trees``; returns the folder of each there."""
        try:
            placed = {
                purpose: self._put(name, tree)
                for purpose, tree in trees.items()
                if purpose != "data" or self._wants_data(name)
            }
            if "data" not in trees and needs_files(self.training) and self._wants_data(name):
                path = self.training.dataset.path or ""
                node = self.nodes[name]
                placed["data"] = through_cuts(
                    node, self._given_up, lambda link: _data_there(link, path)
                )
            if self.provision is not None and self.provision.wanted:
                placed["python"] = self.provision.bring(name)
        except ClewError as error:
            raise with_node(error, name) from None
        return placed

    def _wants_data(self, name: str) -> bool:
        return name in self.workers or bool(self.training.command)

    def _put(self, name: str, tree: Tree) -> str:
        if self.cancelled():
            raise Cancelled("stopped while preparing", node=name)
        progress = self._teller([name], _ACTIONS.get(tree.id.name, f"data set {tree.id.name}"))

        def put(link: AgentLink) -> str:
            # What the node has of it after a cut is kept there, and only the rest is sent.
            return link.put_tree(
                tree, root=self.roots[name], progress=progress, cancelled=self._given_up
            )

        return through_cuts(self.nodes[name], self._given_up, put)

    def _teller(self, names: Iterable[str], action: str) -> Callable[[int, int], None]:
        """A taker of progress that tells it, not too often, as that of ``names``."""
        names, pace, told, lock = list(names), Pace(), 0.0, threading.Lock()

        def progress(done: int, total: int) -> None:
            nonlocal told
            with lock:
                now = time.monotonic()
                if done < total and now - told < _TELL_S:
                    return
                told, rate = now, pace.rate(done)
            for name in names:
                self.tell(Progress(node=name, action=action, done=done, total=total, rate=rate))

        return progress
