"""What waits for a node is done as soon as that is heard again.

That is: stop orders from earlier, and gaps, which are what the history lacks of runs that ended.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Protocol

from remote.errors import ClewError, HistoryError
from remote.history import Gap, History, StopOrder
from remote.session.filling import Fillings
from remote.session.node import Node
from remote.session.shutdown import GRACE_OF, carried_out
from remote.updates import Leftover, NoticeUpdate, Update


class Home(Protocol):
    """What is needed of the session."""

    fillings: Fillings

    @property
    def history(self) -> History: ...
    def tell(self, update: Update) -> None: ...
    def follows(self, run_id: str) -> bool: ...


Job = StopOrder | Gap


class Ordering:
    """What waits for the nodes of one session. Each job is tried once per connection."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Job]] = {}
        self._at_work: dict[tuple[str, str], threading.Thread] = {}

    def busy(self, node: Node) -> bool:
        """Whether something that waits for a connected node is still to be tried, or is."""
        with self._lock:
            at_work = any(name == node.name for _, name in self._at_work)
            return at_work or bool(self._of(node))

    def contact(self, node: Node) -> None:
        """The node is connected: do what waits for it, each on a thread of its own."""
        with self._lock:
            jobs, later = self._of(node), []
            for job in jobs:
                key = job.run_id, node.name
                if key in self._at_work:
                    later.append(job)  # that is under way on a connection which broke
                    continue
                self._at_work[key] = threading.Thread(
                    target=self._do, args=(node, job), name=f"clew-order-{job.run_id}", daemon=True
                )
                self._at_work[key].start()
            self._waiting[node.name] = later

    def again(self, node: Node) -> None:
        """Something new waits for a node that may be connected."""
        with self._lock:
            self._waiting.pop(node.name, None)
        if node.connected:
            self.contact(node)

    def lost(self, node: str) -> None:
        """The node is silent: what is ordered from here on is tried when it comes back."""
        with self._lock:
            self._waiting.pop(node, None)

    def _of(self, node: Node) -> list[Job]:
        """What is to be tried. A name may mean another machine in another profile."""
        if node.name not in self._waiting:
            history = self._home.history
            try:
                orders, gaps = history.stop_orders.waiting(), history.gaps.waiting()
            except HistoryError:
                return []
            mine = [o for o in orders if (o.node, o.place) == (node.name, node.place)]
            ordered = {order.run_id for order in mine}  # what is stopped is fetched after that
            rest = [g for g in gaps if (g.node, g.place) == (node.name, node.place)]
            self._waiting[node.name] = [*mine, *(g for g in rest if g.run_id not in ordered)]
        return self._waiting[node.name]

    def _do(self, node: Node, job: Job) -> None:
        try:
            if not self._still(job):
                pass  # somebody has withdrawn it, or has done it
            elif isinstance(job, StopOrder):
                self._carry_out(node, job)
            else:
                self._fetch(node, job)
        except ClewError:
            pass  # the node is lost again, or cannot say: what waits for it stays
        finally:
            with self._lock:
                self._at_work.pop((job.run_id, node.name), None)
            if node.connected:
                self.contact(node)

    def _still(self, job: Job) -> bool:
        """Whether it waits still. Raises HistoryError."""
        history = self._home.history
        if isinstance(job, StopOrder):
            return any(o.node == job.node for o in history.stop_orders.of_run(job.run_id))
        return any(g.node == job.node for g in history.gaps.of_run(job.run_id))

    def _fetch(self, node: Node, job: Job) -> None:
        """What the run's own thread does as long as there is one. Raises ClewError."""
        if self._home.follows(job.run_id):
            return
        missing = any(g.node == node.name for g in self._home.history.gaps.of_run(job.run_id))
        whole = self._home.fillings.fill(node, job.run_id, job.root)
        if missing and whole:
            self._say(node, job, f"what {node.name} had of run {job.run_id} is recorded here now")

    def _carry_out(self, node: Node, order: StopOrder) -> None:
        """Raises ClewError."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(order.ordered_at))
        self._say(node, order, f"stopping run {order.run_id}, as ordered on {when}")
        left = node.link().stop_run(
            root=order.root,
            run_id=order.run_id,
            grace_s=GRACE_OF[order.depth],
            depth=order.depth,
        )
        if not left:
            carried_out(self._home.history, order.run_id, [node.name])
        self._correct(order, left)
        self._fetch(node, order)
        self._tell(node, order, left)
        node.refresh()  # its GPUs and ports are free now

    def _correct(self, order: StopOrder, left: list[Leftover]) -> None:
        """The run's recorded result names what is really left. Raises HistoryError."""
        record = self._home.history.run(order.run_id)
        if record is None or record.result is None:
            return
        others = [item for item in record.result.left_behind if item.node != order.node]
        result = dataclasses.replace(record.result, left_behind=(*others, *left))
        self._home.history.finish(result, record.ended_at or time.time())

    def _tell(self, node: Node, order: StopOrder, left: list[Leftover]) -> None:
        if left:
            words = "; ".join(item.what for item in left[:4])
            self._say(node, order, f"run {order.run_id} was stopped, but {words}", "warning")
        else:
            self._say(node, order, f"run {order.run_id} is stopped; nothing of it is left")

    def _say(self, node: Node, job: Job, text: str, level: str = "info") -> None:
        self._home.tell(
            NoticeUpdate(
                level="warning" if level == "warning" else "info",
                text=text,
                node=node.name,
                run_id=job.run_id,
            )
        )
