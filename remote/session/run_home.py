"""What a run needs of the session that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from remote.history import History
from remote.session.node import Node
from remote.updates import Update

if TYPE_CHECKING:
    from remote.session.run import Run


class Home(Protocol):
    """What a run needs of its session."""

    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def history(self) -> History: ...
    def tell(self, update: Update) -> None: ...
    def run_ended(self, run: Run) -> None: ...
