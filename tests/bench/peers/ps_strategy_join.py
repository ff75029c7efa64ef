"""TF2's ``ParameterServerStrategy``, waiting for all workers after each round of steps."""

from __future__ import annotations

from tests.bench.peers.common import read_task
from tests.bench.peers.ps_strategy import main

if __name__ == "__main__":
    main(read_task(), join=True)
