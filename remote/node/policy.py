"""When a task's process is started again, and how long that waits. Pure.

    {"max": int, "policy": "never" | "on-failure" | "exit-code", "backoff_s": float,
     "backoff_cap_s": float, "reset_after_s": float}

``exit-code`` is the rule of Kubeflow's TFJob: statuses from 1 to 127 are the program's own and
final, a signal (or what a shell makes of one, from 128 on) came from outside and is tried again.
"""

from typing import Any, Dict, FrozenSet, Iterable, Optional

NEVER, ON_FAILURE, EXIT_CODE = "never", "on-failure", "exit-code"
RESET_AFTER_S = 600.0
"""Where nothing else is said: an attempt that ran so long starts the pauses anew."""


class Restarts:
    """The policy of one task.

    Args:
        final: exit statuses that no restart can mend, whatever the policy.
        retried: exit statuses that ask for a restart, also where the policy goes by their class.
    """

    def __init__(
        self, settings: Dict[str, Any], final: Iterable[int], retried: Iterable[int] = ()
    ) -> None:
        self.most = int(settings["max"])
        self._policy = str(settings.get("policy", ON_FAILURE))
        self._backoff_s = float(settings["backoff_s"])
        self._cap_s = float(settings["backoff_cap_s"])
        self._reset_after_s = float(settings.get("reset_after_s", RESET_AFTER_S))
        self._final: FrozenSet[int] = frozenset(final)
        self._retried: FrozenSet[int] = frozenset(retried)

    def why_final(self, exit_code: Optional[int], signal_number: Optional[int]) -> Optional[str]:
        """Why this end is the last, to be added to its reason; None: another start may help."""
        if exit_code in self._final:
            return ""
        if self._policy == NEVER:
            return "the restart policy is never"
        by_class = self._policy == EXIT_CODE and signal_number is None and exit_code is not None
        if by_class and exit_code not in self._retried and (exit_code or 0) < 128:
            return "the restart policy exit-code takes statuses below 128 for final"
        return None

    def in_a_row(self, earlier: int, ran_s: float) -> int:
        """How many attempts in a row have failed soon, the last one ran ``ran_s``."""
        return 1 if ran_s >= self._reset_after_s else earlier + 1

    def pause_s(self, in_a_row: int) -> float:
        """Seconds before the next start: doubled for each failure in a row, up to the cap."""
        return float(min(self._backoff_s * 2 ** min(max(in_a_row, 1) - 1, 60), self._cap_s))
