"""The part of an agent's protocol that is about environments which Clew makes."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from remote.errors import Cancelled, ClewError
from remote.link.decode import Reader, nonsense
from remote.link.wires import Wires

Unit = Literal["bytes", "steps"]
Progress = Callable[[str, int, int, Unit], None]
"""What is done, how much of it, of how much, and of what."""
_POLL_S = 0.1
_SHORT_S = 20.0
_END_S = 20.0
_LIST_S = 300.0
"""Adding up the files of large environments on a slow disk."""


class Packages(NamedTuple):
    """What a profile says about its environment; ``digests``: wheels that this computer has."""

    packages: tuple[str, ...] = ()
    wheels: str = "auto"
    digests: tuple[str, ...] = ()


NO_PACKAGES = Packages()


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """An environment to make. ``wheels``: their folder on the node, ``digest``: their tree's."""

    root: str
    python: str | None
    packages: tuple[str, ...]
    setup: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    wheels: str = ""
    digest: str = ""
    give_up: bool = False
    """Be quick to say that no index answers."""


class Made(NamedTuple):
    """``python`` of the environment; empty where ``no_index`` says why no index answers."""

    python: str
    no_index: str


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptOnNode:
    """An environment, or wheels that were sent for one, on a node's disk."""

    node: str
    root: str
    kind: Literal["environment", "wheels"]
    key: str
    packages: tuple[str, ...]
    python_version: str
    digest: str
    size_bytes: int
    used_at: float
    """UTC epoch seconds of the node's clock."""
    in_use: bool
    """A task that goes on runs with it, or it is being made."""
    whole: bool


class Environments:
    """Requests of one link. They block, and raise NodeError and LinkLost as its others do."""

    def __init__(self, wires: Wires, node: str) -> None:
        self._wires = wires
        self._node = node
        self._takers: dict[int, Progress] = {}

    def make(self, order: Order, progress: Progress, cancelled: Callable[[], bool]) -> Made:
        """Make an environment, unless it is there; may take many minutes.

        Raises also :class:`~remote.errors.Cancelled`, once ``cancelled`` says so.
        """
        token = secrets.token_hex(8)
        args: dict[str, Any] = {
            "root": order.root,
            "python": order.python,
            "packages": list(order.packages),
            "setup": list(order.setup),
            "variables": dict(order.variables),
            "wheels": order.wheels,
            "digest": order.digest,
            "give_up": order.give_up,
            "token": token,
        }

        def expect(number: int) -> None:
            self._takers[number] = progress

        number, answer = self._wires.ask("make_environment", args, before=expect)
        try:
            while not answer.done.wait(_POLL_S):
                if cancelled():
                    self._cancel(token)
                    # The next thing that this node is asked must find nothing of it.
                    answer.done.wait(_END_S)
                    raise Cancelled("the environment was cancelled", node=self._node)
            found = Reader(answer.result(), self._node)
        finally:
            self._takers.pop(number, None)
            self._wires.forget(number)
        if found.has("no_index"):
            return Made("", found.text("no_index"))
        return Made(found.text("python"), "")

    def listed(self, root: str) -> list[KeptOnNode]:
        """All that is kept below ``root``."""
        answer = self._wires.call("environments", {"root": root}, timeout_s=_LIST_S)
        found = Reader({"all": answer}, self._node).objects("all")
        return [self._kept(item, root) for item in found]

    def remove(self, root: str, keys: Sequence[str]) -> list[str]:
        """Remove those that nothing uses; the keys of those that were."""
        args = {"root": root, "keys": list(keys)}
        answer = self._wires.call("remove_environments", args, timeout_s=_LIST_S)
        removed = Reader({"all": answer}, self._node).items("all")
        return [key for key in keys if key in removed]

    def took(self, data: Reader) -> None:
        """A ``progress`` frame came; called on the reader thread."""
        taker = self._takers.get(data.whole("progress"))
        unit = data.text("unit")
        if unit not in ("bytes", "steps"):
            raise nonsense(self._node, "an unknown unit")
        if taker is not None:
            done, total = data.whole("done"), data.whole("total")
            taker(data.text("action", 100), done, total, "bytes" if unit == "bytes" else "steps")

    def _cancel(self, token: str) -> None:
        with contextlib.suppress(ClewError):
            self._wires.call("cancel_environment", {"token": token}, timeout_s=_SHORT_S)

    def _kept(self, data: Reader, root: str) -> KeptOnNode:
        kind = data.text("kind")
        return KeptOnNode(
            node=self._node,
            root=root,
            kind="wheels" if kind == "wheels" else "environment",
            key=data.text("key"),
            packages=tuple(data.line(item).decode() for item in data.items("packages", 1000)),
            python_version=data.text("python_version"),
            digest=data.text("digest"),
            size_bytes=data.whole("bytes"),
            used_at=data.number("used_at"),
            in_use=data.flag("in_use"),
            whole=data.flag("whole"),
        )
