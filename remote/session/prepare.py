"""Bring the trainer and the data set to the nodes that need them; only what is not there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from remote.bundle import Tree, TreeId, app_tree, folder_tree
from remote.errors import Cancelled, ClewError
from remote.session.dataset import check_local, local_folder, needs_files
from remote.session.node import Node
from remote.session.parallel import on_all, with_node
from remote.updates import NoticeUpdate, Progress
from trainer.spec import DatasetSpec, TrainingSpec

_TELL_S = 0.1
"""Least time between two progress updates of one action on one node."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Where things are on each node, absolute."""

    app: TreeId
    data_dirs: Mapping[str, str]
    """Folder of the data set by node; empty when the data set needs no files."""


@dataclass(slots=True)
class Preparation:
    """One launch's preparation; :meth:`run` blocks.

    Args:
        nodes: the nodes that get tasks, by name.
        workers: names of those that need the data set.
        roots: absolute storage root by node.
        tell: takes progress and what is worth saying about the data set.
        cancelled: whether the user has stopped it.
    """

    nodes: Mapping[str, Node]
    workers: Iterable[str]
    roots: Mapping[str, str]
    training: TrainingSpec
    tell: Callable[[Progress | NoticeUpdate], None]
    cancelled: Callable[[], bool]
    _checked: list[ClewError] = field(default_factory=list)

    def run(self) -> Prepared:
        """Check the data set, and send what is missing to all nodes at the same time.

        Raises:
            DataError: the data set is missing or of another kind.
            ClewError: a node cannot take the files; names it.
            Cancelled: the user stopped it.
        """
        dataset = self.training.dataset
        staged = needs_files(dataset) and dataset.on == "desktop"
        check = threading.Thread(target=self._check, args=(dataset,), daemon=True)
        trees: dict[str, list[Tree]] = {name: [] for name in self.nodes}
        app = app_tree()
        data: Tree | None = None
        if staged:
            folder = local_folder(dataset)
            check.start()  # reading the files through takes as long as sending them
            data = folder_tree(folder, dataset.name)
        for name in self.nodes:
            trees[name] = [app] if data is None or name not in self.workers else [app, data]
        outcome = on_all(self.nodes, lambda name: self._bring(name, trees[name], dataset))
        if staged:
            check.join()
        if self._checked:
            raise self._checked[0]
        outcome.raise_first()
        folders = {name: found for name, found in outcome.succeeded.items() if found is not None}
        return Prepared(app.id, folders)

    def _check(self, dataset: DatasetSpec) -> None:
        try:
            for note in check_local(dataset, self.cancelled):
                self.tell(NoticeUpdate(level="warning", text=note))
        except ClewError as error:
            self._checked.append(error)

    def _bring(self, name: str, trees: list[Tree], dataset: DatasetSpec) -> str | None:
        """Send ``trees`` to one node; returns its folder of the data set, if it needs one."""
        try:
            link = self.nodes[name].link()
            placed = {tree.id.kind: self._put(name, tree) for tree in trees}
            if "data" in placed:
                return placed["data"]
            if needs_files(dataset) and name in self.workers:
                return link.verify_path(dataset.path or "")
        except ClewError as error:
            raise with_node(error, name) from None
        return None

    def _put(self, name: str, tree: Tree) -> str:
        if self.cancelled():
            raise Cancelled("stopped while preparing", node=name)
        action = "trainer" if tree.id.kind == "app" else f"data set {tree.id.name}"
        told = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal told
            now = time.monotonic()
            if done >= total or now - told >= _TELL_S:
                told = now
                self.tell(Progress(node=name, action=action, done=done, total=total))

        link = self.nodes[name].link()
        return link.put_tree(
            tree,
            root=self.roots[name],
            progress=progress,
            cancelled=lambda: self.cancelled() or bool(self._checked),
        )
