"""Work that may block, off the window's thread; its result comes back through the bridge."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from gui.bridge import Bridge
from gui.language import tr
from remote.errors import ClewError

T = TypeVar("T")


def run_in_background(
    bridge: Bridge,
    work: Callable[[], T],
    done: Callable[[T], None],
    failed: Callable[[ClewError], None],
    *,
    name: str,
) -> None:
    """Run ``work`` in a thread; then ``done`` or ``failed`` on the window's thread.

    The thread does not keep the process alive. What ``work`` raises beyond ClewError and OSError
    is a fault of the program: it is told as one, and goes to ``threading.excepthook`` as well.
    """

    def body() -> None:
        try:
            result = work()
        except ClewError as error:
            reason = error
            bridge.later(lambda: failed(reason))
        except OSError as error:
            told = ClewError(f"{name}: {error.strerror or error}")
            bridge.later(lambda: failed(told))
        except Exception as error:
            fault = ClewError(
                tr(
                    "{name} went wrong ({kind}: {error})",
                    name=name,
                    kind=type(error).__name__,
                    error=error,
                ),
                remedy=tr("Try again; please report it as a fault of Clew if it stays."),
            )
            bridge.later(lambda: failed(fault))
            raise
        else:
            bridge.later(lambda: done(result))

    threading.Thread(target=body, name=f"clew {name}", daemon=True).start()


def let_go() -> None:
    """Call it last: threads that still work are left, and what they raise is not shown.

    The interpreter shuts down under them, so that even an import may fail there.
    """
    threading.excepthook = lambda _: None
