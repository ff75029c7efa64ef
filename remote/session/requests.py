"""What a run asks of its nodes beside its own thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from remote.errors import ClewError
from remote.session.parallel import not_connected

if TYPE_CHECKING:
    from remote.session.follow import Follower
    from remote.session.run import Run

_LOG = logging.getLogger(__name__)


def in_background(run_id: str, action: Callable[[], None]) -> None:
    """A request to a node whose failure shows by itself: the node is lost then."""

    def work() -> None:
        try:
            action()
        except ClewError:
            _LOG.info("run %s: a node did not take a request", run_id, exc_info=True)

    threading.Thread(target=work, name=f"clew-ask-{run_id}", daemon=True).start()


def follow(run: Run, follower: Follower, name: str) -> None:
    """Ask a node for what it has of the run beyond what is here. Raises NodeError, LinkLost."""
    node = run.home.nodes.get(name)
    if node is None:  # it was given back meanwhile
        raise not_connected(name)
    root, link = run.roots[name], node.link()
    offsets, before = follower.places(name)
    link.follow(root=root, run_id=run.run_id, offsets=offsets, before=before)
    if not run.unwatched:
        run.control.ask(name)
    after = follower.samples.numbers.get(name, 0)
    for kept in link.kept_samples(root=root, run_id=run.run_id, after=after):
        run.put(kept)
