"""Runs trials: ``python -m tests.chaos [--trials N] [--seed S] [--keep FOLDER]``.

Prints one line a trial, for one that failed all that is known of it, and the verdict last.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from tests.chaos.plan import Plan, make_plan
from tests.chaos.trial import Trial, scratch
from tests.chaos.verdict import Complaint
from tests.support.sshd import why_no_nodes


def main() -> int:
    parser = argparse.ArgumentParser(description="Break things while a run goes on.")
    parser.add_argument("--trials", type=int, default=6)
    parser.add_argument(
        "--seed", type=int, default=1, help="of the first; the next one has one more"
    )
    parser.add_argument("--keep", type=Path, help="keep what the trials leave, in this folder")
    parser.add_argument("--show", action="store_true", help="only print the plans")
    parser.add_argument("--light", action="store_true", help="train with a small script only")
    arguments = parser.parse_args()
    reason = why_no_nodes()
    if reason is not None:
        print(f"chaos: not possible here: {reason}")
        return 1
    signal.signal(signal.SIGTERM, _end)
    seeds = range(arguments.seed, arguments.seed + arguments.trials)
    if arguments.show:
        print("\n".join(str(make_plan(seed, light=arguments.light)) for seed in seeds))
        return 0
    failed = [
        seed
        for seed in seeds
        if not _passes(make_plan(seed, light=arguments.light), arguments.keep)
    ]
    if failed:
        print(f"chaos: {len(failed)} of {len(seeds)} trials failed: seeds {_listed(failed)}")
        return 1
    print(f"chaos: all {len(seeds)} trials passed")
    return 0


def _end(number: int, frame: object) -> None:
    """Leave by an exception, so that nodes are ended; a second request does not cut that short."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _passes(plan: Plan, keep: Path | None) -> bool:
    seed = plan.seed
    print(plan, flush=True)
    began = time.monotonic()
    try:
        with scratch(None if keep is None else keep / str(seed)) as folder:
            words = Trial(plan, folder).run()
    except Complaint as complaint:
        print(f"seed {seed} FAILED after {time.monotonic() - began:.0f} s: {complaint}", flush=True)
        return False
    print(f"seed {seed} passed: {words}", flush=True)
    return True


def _listed(seeds: list[int]) -> str:
    return ", ".join(map(str, seeds))


if __name__ == "__main__":
    sys.exit(main())
