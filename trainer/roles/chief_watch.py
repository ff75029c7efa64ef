"""How a task that only serves notices that the chief is gone."""

from __future__ import annotations

from trainer.failures import LostPeer
from trainer.net import is_listening
from trainer.runtime import patience_s

PROBE_S = 2.0


class ChiefWatch:
    """Notices that the chief's port has not answered for too long."""

    def __init__(self, address: str, now: float) -> None:
        self._address = address
        self._limit_s = patience_s()
        self._seen_at = self._probed_at = now

    def check(self, now: float) -> None:
        """Raise :class:`LostPeer` when the chief was away too long."""
        if now - self._probed_at < PROBE_S:
            return
        self._probed_at = now
        if is_listening(self._address):
            self._seen_at = now
        elif now - self._seen_at > self._limit_s:
            raise LostPeer(
                f"worker:0 at {self._address} did not answer for {self._limit_s:.0f} s; "
                "see its log and start the run again"
            )
