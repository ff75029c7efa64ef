"""What a run asks of its nodes beside its own thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from remote.errors import ClewError

_LOG = logging.getLogger(__name__)


def in_background(run_id: str, action: Callable[[], None]) -> None:
    """A request to a node whose failure shows by itself: the node is lost then."""

    def work() -> None:
        try:
            action()
        except ClewError:
            _LOG.info("run %s: a node did not take a request", run_id, exc_info=True)

    threading.Thread(target=work, name=f"clew-ask-{run_id}", daemon=True).start()
