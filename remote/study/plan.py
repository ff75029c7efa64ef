"""Which runs a study is made of, and what each of them trains. Pure."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from remote.errors import PlanError
from trainer.spec import DEFAULT_STEPS, TrainingSpec

EVALUATIONS = 20
"""In a run of a study with a target that does not say how often it evaluates."""


class Point(NamedTuple):
    """One size of the cluster; without workers it is the baseline, a single process."""

    workers: int
    ps: int

    @property
    def is_single(self) -> bool:
        return self.workers == 0

    def __str__(self) -> str:
        if self.is_single:
            return "one process"
        return f"{self.workers} worker{'s' * (self.workers > 1)}, {self.ps} ps"


SINGLE = Point(0, 0)


class Turn(NamedTuple):
    """One run of a study; ``repeat`` counts from 1."""

    point: Point
    repeat: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StudyPlan:
    """What a study compares. ``target`` is an accuracy, 0 to 1, whose time is compared too."""

    training: TrainingSpec
    points: tuple[Point, ...]
    repeats: int = 3
    target: float | None = None

    def turns(self) -> Iterator[Turn]:
        """All runs in order. Each size comes once before any comes again: what else happens on
        the cluster meanwhile meets all alike."""
        for repeat in range(1, self.repeats + 1):
            for point in self.points:
                yield Turn(point, repeat)


def points_of(workers: Sequence[int], ps: Sequence[int], *, single: bool = True) -> list[Point]:
    """Every number of workers with every number of ps, small ones first, each once.

    Raises:
        PlanError: there is nothing to compare.
    """
    points = sorted({Point(w, p) for w in workers for p in ps})
    if any(point.workers < 1 or point.ps < 1 for point in points):
        raise PlanError("a study's workers and ps are numbers above 0")
    found = [SINGLE, *points] if single else points
    if len(found) < 2:
        raise PlanError(
            "a study compares at least two sizes",
            remedy="Name more numbers of workers, like 1,2,4.",
        )
    return found


def numbers_in(text: str, what: str) -> list[int]:
    """The numbers of a text like ``1, 2, 4``; ``what`` is counted by them.

    Raises:
        PlanError: it is no such list, in one sentence.
    """
    parts = text.replace(",", " ").split()
    found = [int(part) for part in parts if part.isdecimal() and part.isascii() and len(part) < 6]
    if not parts or len(found) < len(parts) or min(found) < 1:
        wrong = f"{text.strip()!r} is no list of numbers of {what}" if parts else f"no {what}"
        raise PlanError(wrong, remedy="Write numbers above 0, like 1, 2, 4.")
    return sorted(set(found))


def sizes_up_to(most: int) -> list[int]:
    """1, 2, 4, ... and ``most``."""
    sizes = [1]
    while sizes[-1] * 2 < most:
        sizes.append(sizes[-1] * 2)
    return sizes if most <= 1 else [*sizes, most]


def training_at(plan: StudyPlan, point: Point) -> TrainingSpec:
    """What the run at ``point`` trains: as many examples as every other run of the study.

    A sync step takes a batch of each worker, so it takes fewer of them; evaluations move along.
    """
    training = plan.training
    if plan.target is not None and training.evaluate_every is None:
        every = max(1, (training.steps or DEFAULT_STEPS) // EVALUATIONS)
        training = dataclasses.replace(training, evaluate_every=every)
    if point.is_single:
        return dataclasses.replace(training, baseline="single", workers=None)
    sized = dataclasses.replace(
        training, baseline="none", workers=point.workers, ps=point.ps, calls_in_flight=1
    )
    if not sized.is_sync:
        return dataclasses.replace(sized, calls_in_flight=training.calls_in_flight)
    counted = max(1, point.workers - sized.backup_workers)
    steps, every_ = sized.steps, sized.evaluate_every
    if sized.epochs is None:
        steps = math.ceil((steps or DEFAULT_STEPS) / counted)
    if every_ is not None:
        every_ = math.ceil(every_ / counted)
    return dataclasses.replace(sized, steps=steps, evaluate_every=every_)
