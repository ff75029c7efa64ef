"""In which order a worker sees the examples: shuffled from a seed, each once by one worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 8
"""Shards that are open at a time: about 10,000 images in the usual layout."""


def every_nth(count: int, *, seed: int, epoch: int, index: int, workers: int) -> NDArray[np.int64]:
    """All workers shuffle ``count`` examples alike and take every ``workers``-th.

    All epochs are one stream: worker ``index`` has the positions that leave that remainder, so an
    epoch begins in the middle of a round unless all rounds before it were full, and a worker's
    share of an epoch is empty now and then when there are more workers than examples.
    """
    import numpy as np

    order = np.random.default_rng([seed, epoch]).permutation(count)
    return order[(index - epoch * count) % workers :: workers]


def taken_before(position: int, index: int, workers: int) -> int:
    """How many examples before ``position`` of the stream are worker ``index``'s."""
    return -((index - position) // workers)


def by_shards(
    shards: list[NDArray[np.int64]], *, seed: int, epoch: int, index: int, workers: int
) -> NDArray[np.int64]:
    """Whole shards for one worker, so that it reads only these; ``shards`` lists their examples.

    All workers shuffle the shards alike and take every ``workers``-th; the examples of ``WINDOW``
    shards at a time are mixed. With fewer shards than workers, examples are dealt out instead.
    """
    import numpy as np

    random = np.random.default_rng([seed, epoch])
    dealt = [shards[k] for k in random.permutation(len(shards)) if len(shards[k])]
    if len(dealt) < workers:
        together = np.concatenate(dealt)
        chosen = every_nth(len(together), seed=seed, epoch=epoch, index=index, workers=workers)
        return together[chosen]
    mine = dealt[index::workers]
    windows = [np.concatenate(mine[k : k + WINDOW]) for k in range(0, len(mine), WINDOW)]
    return np.concatenate([random.permutation(window) for window in windows])
