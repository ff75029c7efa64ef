"""A scaling study: the same training over several sizes of a cluster, one run after another."""

from remote.study.outcome import Outcome, Row, outcome_of, recommend, summarize
from remote.study.plan import Point, StudyPlan, Turn, points_of, training_at
from remote.study.store import Study, StudyStore

__all__ = [
    "Outcome",
    "Point",
    "Row",
    "Study",
    "StudyPlan",
    "StudyStore",
    "Turn",
    "outcome_of",
    "points_of",
    "recommend",
    "summarize",
    "training_at",
]
