"""``python -m tests.bench [NAME]``: run the benches whose file name contains NAME, or all.

Each bench is a program of its own (``tests/bench/bench_*.py``): a fresh process, so that one
cannot warm up another.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(name: str) -> int:
    """Its exit status. Whoever ends us ends the bench, which sees to what it started."""
    command = [sys.executable, "-m", f"tests.bench.{name}"]
    with subprocess.Popen(command, cwd=HERE.parents[1]) as bench:
        try:
            return bench.wait()
        finally:
            bench.terminate()


def main(arguments: list[str]) -> int:
    wanted = arguments[0] if arguments else ""
    benches = sorted(path.stem for path in HERE.glob("bench_*.py") if wanted in path.stem)
    if not benches:
        print(f"bench: there is no bench named like {wanted!r}")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    missed = [name for name in benches if run(name)]
    print(f"bench: {'missed: ' + ', '.join(missed) if missed else 'passed'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
