"""The thread of a ps that averages gradients, as the chief's last orders say."""

from __future__ import annotations

import threading
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.averaging import Averaging
from trainer.engine.orders import Orders
from trainer.roles.context import Context
from trainer.runtime import open_session


class Averager:
    """Follows one :class:`Orders` at a time, in a session of its own. Close it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._session: Any = None
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()
        self._failure: BaseException | None = None
        self.mark = ""
        """Of the orders that are followed; empty before the first."""

    def follow(self, orders: Orders) -> None:
        """Drop what was under way and begin with ``orders``."""
        self.close()
        averaging = Averaging(self._context.spec, orders)
        self._session = open_session(
            self._context.server, self._context.spec, graph=averaging.graph
        )
        averaging.reset(self._session)
        self.mark = orders.mark
        if averaging.idle:
            return
        self._ending = threading.Event()
        self._thread = threading.Thread(
            target=self._average, args=(averaging, self._session, self._ending), daemon=True
        )
        self._thread.start()

    def check(self) -> None:
        """Raise what ended the thread, if anything went wrong there."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """End the thread; a wait for gradients is broken off."""
        self._ending.set()
        if self._session is not None:
            self._session.close()
            self._session = None
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _average(self, averaging: Averaging, session: Any, ending: threading.Event) -> None:
        done, step = 0, averaging.stepper(session)
        while done < averaging.steps and not ending.is_set():
            try:
                done = int(step())
            except tf.errors.DeadlineExceededError:
                continue  # no worker came for long: that is for the workers to say
            except (tf.errors.OpError, RuntimeError) as error:
                if not ending.is_set():
                    self._failure = error
                return
