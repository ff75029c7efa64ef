"""Pings an agent, measures its clock, and notices when it answers no more."""

from __future__ import annotations

import threading
import time
from collections import deque

from remote.errors import ClewError, LinkLost
from remote.link.decode import Reader
from remote.link.wires import Wires

INTERVAL_S = 2.0
SILENCE_S = 6.0
"""Not one byte for so long: the link is dead."""
_FIRST_PAUSES_S = (0.0, 0.05, 0.2, 0.5)
_OVERSLEPT_S = 1.0
_SAMPLES = 64
"""About two minutes: clocks drift by microseconds in that time."""


class Heartbeat:
    """One thread per link. ``offset_s``: node clock minus desktop clock, of the quickest pings."""

    def __init__(self, wires: Wires, node: str, offset_s: float) -> None:
        self._wires = wires
        self._node = node
        self._stop = threading.Event()
        self._sent: dict[int, tuple[float, float]] = {}
        self._samples: deque[tuple[float, float]] = deque(maxlen=_SAMPLES)
        self._lock = threading.Lock()
        self.offset_s = offset_s
        self.round_trip_s = 0.0
        """Of the ping that the offset comes from: the offset is known to half of it."""

    def start(self) -> None:
        threading.Thread(target=self._loop, name=f"clew {self._node} heart", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def pong(self, data: Reader) -> None:
        """Take an answer: the node's clock was read between sending and now."""
        received, now = time.monotonic(), time.time()
        with self._lock:
            sent = self._sent.pop(data.whole("pong"), None)
            if sent is None:
                return
            round_trip = received - sent[0]
            # The desktop's clock may be set meanwhile; only `now` is used, and half the way back.
            self._samples.append((round_trip, data.number("t") - (now - round_trip / 2)))
            self.round_trip_s, self.offset_s = min(self._samples)

    def _loop(self) -> None:
        number, awake_since, due = 0, time.monotonic(), time.monotonic()
        while not self._stop.is_set():
            now = time.monotonic()
            if now - due > _OVERSLEPT_S:
                awake_since = now  # this computer slept: the node has not had its time to answer
            silence = now - max(self._wires.heard_at, awake_since)
            if silence > SILENCE_S:
                what = f"the agent has not answered for {silence:.0f} s"
                remedy = "The connection is probably cut; Clew tries to connect again."
                self._wires.close(LinkLost(what, node=self._node, remedy=remedy))
                return
            with self._lock:
                self._sent[number] = (time.monotonic(), time.time())
                self._sent.pop(number - 100, None)
            try:
                self._wires.send({"ping": number})
            except ClewError:
                return
            pause = _FIRST_PAUSES_S[number] if number < len(_FIRST_PAUSES_S) else INTERVAL_S
            number += 1
            due = time.monotonic() + pause
            self._stop.wait(pause)
