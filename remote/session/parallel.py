"""The same action on many nodes at the same time; partial failure is a value."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from remote.errors import Cancelled, ClewError, NodeError

T = TypeVar("T")
_LOOK_S = 0.05
"""How often a wait that may be cancelled looks whether it is."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What the nodes gave, and which of them could not, in the order they were asked."""

    succeeded: Mapping[str, T]
    failed: Mapping[str, ClewError]

    def raise_first(self) -> None:
        """Raise the first node's error, if any; it says how many other nodes failed too."""
        if not self.failed:
            return
        first, *others = self.failed.values()
        if others:
            names = ", ".join(list(self.failed)[1:4]) + (", …" if len(others) > 3 else "")
            # Named here: among other nodes' names, its own would seem to be there already.
            named = first.node is None or first.what.startswith(f"{first.node}:")
            where = "" if named else f"{first.node}: "
            first.what = f"{where}{first.what} (also failed: {names})"
            first.args = (first.what,)
        raise first


def on_all(
    nodes: Iterable[str],
    action: Callable[[str], T],
    cancelled: Callable[[], bool] | None = None,
) -> Outcome[T]:
    """Run ``action(node)`` for each node on a thread of its own and wait for all of them.

    Only :class:`ClewError` is a failure of a node; any other exception is raised here.

    Raises:
        Cancelled: ``cancelled()`` was true; what is under way ends by itself, at the latest with
            its connection.
    """
    names = list(nodes)
    done: dict[str, T] = {}
    failed: dict[str, ClewError] = {}
    crashed: list[BaseException] = []

    def one(name: str) -> None:
        try:
            done[name] = action(name)
        except ClewError as error:
            failed[name] = error
        except BaseException as error:  # raised again by the caller's thread
            crashed.append(error)

    threads = [
        threading.Thread(target=one, args=(name,), name=f"clew-{name}", daemon=True)
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(None if cancelled is None else _LOOK_S)
            if cancelled is not None and cancelled():
                raise Cancelled("was stopped")
    if crashed:
        raise crashed[0]
    return Outcome(
        {name: done[name] for name in names if name in done},
        {name: failed[name] for name in names if name in failed},
    )


def with_node(error: ClewError, node: str) -> ClewError:
    """The same error, naming ``node`` when it names none."""
    if error.node is None:
        error.node = node
    return error


def not_connected(node: str) -> NodeError:
    return NodeError(
        "is not connected", node=node, remedy="Wait for the node, or press Connect again."
    )
