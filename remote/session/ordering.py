"""Stop orders from earlier are carried out as soon as their node is heard again."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Protocol

from remote.errors import ClewError, HistoryError
from remote.history import History, StopOrder
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
    def give_back(self, run_id: str) -> list[Leftover]: ...


class Ordering:
    """The orders that wait for nodes of one session. Each is tried once per connection."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._waiting: dict[str, list[StopOrder]] | None = None
        self._at_work: dict[tuple[str, str], threading.Thread] = {}

    def busy(self, node: Node) -> bool:
        """Whether something that was ordered for a connected node is still to be tried, or is."""
        with self._lock:
            at_work = any(name == node.name for _, name in self._at_work)
            return at_work or bool(self._of(node))

    def contact(self, node: Node) -> None:
        """The node is connected: carry out what was ordered, on a thread of its own."""
        with self._lock:
            orders = self._of(node)
            if self._waiting is not None:
                self._waiting[node.name] = []
            for order in orders:
                key = order.run_id, node.name
                if key not in self._at_work:
                    self._at_work[key] = threading.Thread(
                        target=self._carry_out,
                        args=(node, order),
                        name=f"clew-order-{order.run_id}",
                        daemon=True,
                    )
                    self._at_work[key].start()

    def lost(self, node: str) -> None:
        """The node is silent: what is ordered from here on is tried when it comes back."""
        with self._lock:
            if self._waiting is not None:
                self._waiting.pop(node, None)

    def _of(self, node: Node) -> list[StopOrder]:
        """Orders that are to be tried. A name may mean another machine in another profile."""
        if self._waiting is None:
            self._waiting = {}
        if node.name not in self._waiting:
            try:
                waiting = self._home.history.stop_orders.waiting()
            except HistoryError:
                return []
            mine = [o for o in waiting if (o.node, o.place) == (node.name, node.place)]
            self._waiting[node.name] = mine
        return self._waiting[node.name]

    def _carry_out(self, node: Node, order: StopOrder) -> None:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(order.ordered_at))
        self._say(node, order, f"stopping run {order.run_id}, as ordered on {when}")
        try:
            left = node.link().stop_run(
                root=order.root,
                run_id=order.run_id,
                grace_s=GRACE_OF[order.depth],
                depth=order.depth,
            )
            left += self._home.give_back(order.run_id)
            if not left:
                carried_out(self._home.history, order.run_id, [node.name])
            self._correct(order, left)
            self._home.fillings.fill(node, order.run_id, order.root)
            self._tell(node, order, left)
            node.refresh()  # its GPUs and ports are free now
        except ClewError:
            pass  # the node is lost again, or cannot say: the order stays
        finally:
            with self._lock:
                self._at_work.pop((order.run_id, node.name), None)

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

    def _say(self, node: Node, order: StopOrder, text: str, level: str = "info") -> None:
        self._home.tell(
            NoticeUpdate(
                level="warning" if level == "warning" else "info",
                text=text,
                node=node.name,
                run_id=order.run_id,
            )
        )
