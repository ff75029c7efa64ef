"""A scaling study being made: which run comes next, and when it is over.

Nothing waits here. Whoever makes a study launches what :meth:`Studying.begin_next` asks for,
shows it as it shows any run, and hands its end to :meth:`Studying.ended`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

from remote.errors import PlanError
from remote.history import History, RunRecord, new_run_id
from remote.profile import Profile, dumps
from remote.session.cluster import ClusterSession
from remote.session.gathering import gather
from remote.session.handle import RunHandle
from remote.study import (
    Outcome,
    Point,
    Study,
    StudyPlan,
    StudyStore,
    Turn,
    outcome_of,
    points_of,
    sizes_up_to,
    training_at,
)
from remote.updates import ResultUpdate
from trainer.spec import SpecError, TrainingSpec, from_json

MOST_FAILURES = 2
"""So many runs that fail in a row end a study: the next would fail as well."""
_ON_RECORD = 50
"""So many runs are looked at for rates."""
AUTOMATIC: dict[str, str] = {}
"""Where tasks go: places of the profile's are for one number of them."""
Launch = Callable[[TrainingSpec, str], RunHandle]
Attach = Callable[[str], RunHandle]


def store_of(history: History) -> StudyStore:
    """The studies of this account."""
    return StudyStore(history.folder / "studies")


def plan_of(
    profile: Profile,
    *,
    workers: list[int] | None = None,
    ps: list[int] | None = None,
    repeats: int = 3,
    single: bool = True,
    target: float | None = None,
) -> StudyPlan:
    """What a study of the profile's training compares.

    Args:
        workers: their numbers; default: 1, 2, 4, ... up to one for each node.
        ps: their numbers; default: the profile's.

    Raises:
        PlanError: there is nothing to compare.
    """
    training = profile.training
    if training.command:
        raise PlanError(
            "a study compares models that Clew trains, and this profile has a command of its own",
            remedy="Leave training.command out.",
        )
    sizes = workers or sizes_up_to(len(profile.nodes))
    points = points_of(sizes, ps or [training.ps], single=single)
    return StudyPlan(training=training, points=tuple(points), repeats=repeats, target=target)


def new_study(profile: Profile, plan: StudyPlan, *, path: str = "", name: str = "") -> Study:
    """A study without runs; ``path`` is the profile's file."""
    return Study(
        study_id=new_run_id(),
        name=name or profile.name or Path(path).stem or "study",
        plan=plan,
        profile=dumps(profile),
        profile_path=path,
    )


def outcomes_of(history: History, study: Study) -> list[Outcome]:
    """What the runs of ``study`` gave, as the history has it; only those that have ended."""
    found = []
    for turn, run_id in list(study.runs.items()):
        record = history.run(run_id)
        if record is None or record.result is None:
            continue
        target = study.plan.target
        evals = history.evals(run_id) if target is not None else ()
        started = record.started_at
        found.append(
            outcome_of(turn, record.result, started_at=started, evals=evals, target=target)
        )
    return found


def rates_on_record(history: History, training: TrainingSpec) -> tuple[dict[Point, float], float]:
    """Examples per second of earlier runs of the like, by size, and their mean time to start, s."""
    rates: dict[Point, float] = {}
    starts = []
    for record in history.runs(_ON_RECORD):
        result = record.result
        if result is None or not result.examples_per_second or not _is_like(record, training):
            continue
        roles = [task.task.role for task in history.tasks(record.run_id)]
        ps, workers = roles.count("ps"), roles.count("worker")
        point = Point(workers, ps) if ps else Point(0, 0)
        rates.setdefault(point, result.examples_per_second)
        starts.append(result.time_to_first_step_s or 0.0)
    return rates, sum(starts) / len(starts) if starts else 0.0


def _is_like(record: RunRecord, training: TrainingSpec) -> bool:
    try:
        spec = from_json(TrainingSpec, json.loads(record.training))
    except (ValueError, SpecError):
        return False
    keys = ("model", "dataset", "batch_size", "update")
    return all(getattr(spec, key) == getattr(training, key) for key in keys)


class Studying:
    """The runs of a study that are missing, one after another. Call it from one thread.

    :meth:`look` and :meth:`save` block for as long as disks do, and may be called from others.
    """

    def __init__(self, history: History, study: Study) -> None:
        self._history = history
        self._store = store_of(history)
        self._saving = threading.Lock()
        self._going_on = ""
        """A run of the study that was left going on."""
        self._followed = False
        self._failures = 0
        self.study = study
        self.total = sum(1 for _ in study.plan.turns())
        self.left: list[Turn] = []
        """The run that is on, or comes next, first."""
        self.problem = ""
        """Why it makes no sense to go on."""

    @property
    def number(self) -> int:
        """Which run the first one of :attr:`left` is, counted from 1."""
        return self.total - len(self.left) + 1

    def look(self, session: ClusterSession) -> None:
        """Find out which runs are missing. Blocks; raises HistoryError.

        What became of a run that was left going on is read from its nodes.
        """
        self._going_on = ""
        run_id = self._unfinished()
        if run_id:
            gather(session, run_id)
        found = outcomes_of(self._history, self.study)
        self.left = list(self.study.left({o.run_id for o in found if o.state == "finished"}))
        going_on = self._unfinished()
        turn = next((t for t in self.left if self.study.runs.get(t) == going_on), None)
        if turn is not None:
            self._going_on = going_on
            self.left.remove(turn)
            self.left.insert(0, turn)

    def _unfinished(self) -> str:
        """The newest run that the history knows no end of."""
        for run_id in sorted(self.study.runs.values(), reverse=True):
            record = self._history.run(run_id)
            if record is not None and record.result is None:
                return run_id
        return ""

    def check(self, session: ClusterSession) -> None:
        """See that all missing sizes fit. Raises PlanError, which names the size."""
        for point in sorted({turn.point for turn in self.left}):
            try:
                session.plan(training_at(self.study.plan, point), AUTOMATIC)
            except PlanError as error:
                raise PlanError(f"{point}: {error.what}", remedy=error.remedy) from None

    def save(self) -> None:
        """Keep what there is now. Raises ClewError."""
        with self._saving:
            self._store.save(self.study)

    def training(self) -> TrainingSpec:
        """What the next run trains."""
        return training_at(self.study.plan, self.left[0].point)

    def begin_next(self, launch: Launch, attach: Attach) -> RunHandle:
        """Make the next run with ``launch``, or follow with ``attach`` the one that was left.

        It is not saved yet. Raises what they raise.
        """
        turn = self.left[0]
        run_id, self._going_on = self._going_on, ""
        self._followed = bool(run_id)
        if run_id:
            return attach(run_id)
        handle = launch(self.training(), f"{self.study.name}: {turn.point} #{turn.repeat}")
        self.study.runs[turn] = handle.run_id
        return handle

    def ended(self, result: ResultUpdate) -> None:
        """Take the end of the run that was on. One that was stopped is still to be made.

        So is one that nobody watched and that did not finish: what became of it says little.
        """
        if result.state == "stopped" or (self._followed and result.state != "finished"):
            return
        turn = self.left.pop(0)
        self._failures = 0 if result.state == "finished" else self._failures + 1
        if self._failures >= MOST_FAILURES:
            self.problem = (
                f"{self._failures} runs failed one after another, the last at {turn.point}: "
                f"{result.reason or 'see its log'}"
            )
