"""A scaling study: the same training over several sizes of a cluster, one run after another."""

from remote.study.estimate import estimate_s
from remote.study.outcome import Outcome, Row, outcome_of, recommend, summarize
from remote.study.plan import (
    Point,
    StudyPlan,
    Turn,
    numbers_in,
    points_of,
    sizes_up_to,
    training_at,
)
from remote.study.store import Study, StudyStore

__all__ = [
    "Outcome",
    "Point",
    "Row",
    "Study",
    "StudyPlan",
    "StudyStore",
    "Turn",
    "estimate_s",
    "numbers_in",
    "outcome_of",
    "points_of",
    "recommend",
    "sizes_up_to",
    "summarize",
    "training_at",
]
