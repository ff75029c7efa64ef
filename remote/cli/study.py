"""``clew study``: the same training over several sizes of the cluster, and what it gives."""

from __future__ import annotations

from argparse import Namespace

from rich.table import Table
from rich.text import Text

from remote.cli.environment import GOOD, STOPPED, Environment, Watched
from remote.cli.text import number, plain
from remote.cli.view import JsonView, Terminal
from remote.errors import ClewError, PlanError, ProfileError
from remote.history.ids import new_run_id
from remote.profile import Profile, dumps, loads
from remote.session import ClusterSession
from remote.study import (
    Outcome,
    Point,
    Row,
    Study,
    StudyPlan,
    StudyStore,
    Turn,
    outcome_of,
    points_of,
    recommend,
    summarize,
    training_at,
)
from remote.updates import ResultUpdate

MOST_FAILURES = 2
"""So many runs that fail in a row end a study: the next would fail as well."""


def study(env: Environment) -> int:
    """Begin a study, go on with one, or show what one has given so far."""
    given = env.arguments
    store = StudyStore(env.history.path.parent / "studies")
    if given.show is not None:
        found = store.load(given.show)
        _report(env, found, outcomes(env, found))
        return GOOD
    if (given.profile is None) == (given.resume is None):
        raise ProfileError("name a profile, or a study to go on with: clew study PROFILE")
    if given.resume is not None:
        found = store.load(given.resume)
        profile = loads(found.profile, found.name).profile
    else:
        profile = env.profile()
        found = _new_study(env, profile)
    return _Runner(env, store, found, profile).run()


def outcomes(env: Environment, study: Study) -> list[Outcome]:
    """What the runs of ``study`` gave, as the history has it; only those that have ended."""
    found = []
    for turn, run_id in study.runs.items():
        record = env.history.run(run_id)
        if record is None or record.result is None:
            continue
        found.append(
            outcome_of(
                turn,
                record.result,
                started_at=record.started_at,
                evals=env.history.evals(run_id),
                target=study.plan.target,
            )
        )
    return found


def _new_study(env: Environment, profile: Profile) -> Study:
    given: Namespace = env.arguments
    training = profile.training
    if training.command:
        raise PlanError(
            "a study compares models that Clew trains, and this profile has a command of its own",
            remedy="Leave training.command out.",
        )
    workers = given.workers or _doubling(len(profile.nodes))
    plan = StudyPlan(
        training=training,
        points=tuple(points_of(workers, given.ps or [training.ps], single=not given.no_single)),
        repeats=given.repeats,
        target=given.target,
    )
    return Study(
        study_id=new_run_id(),
        name=given.name or profile.name or given.profile.stem,
        plan=plan,
        profile=dumps(profile),
        profile_path=str(given.profile),
    )


def _doubling(most: int) -> list[int]:
    """1, 2, 4, ... up to a worker for each node."""
    sizes = [1]
    while sizes[-1] * 2 < most:
        sizes.append(sizes[-1] * 2)
    return sizes if most <= 1 else [*sizes, most]


class _Runner:
    """Makes the runs that are still missing, one after another."""

    def __init__(self, env: Environment, store: StudyStore, study: Study, profile: Profile) -> None:
        self._env = env
        self._store = store
        self._study = study
        self._profile = profile

    def run(self) -> int:
        env = self._env
        done = {o.run_id for o in outcomes(env, self._study) if o.state == "finished"}
        left = list(self._study.left(done))
        total = len(list(self._study.plan.turns()))
        if left:
            env.hidden = (ResultUpdate,)  # of a run; the study's own comes last
            session = env.session(self._profile, self._study.profile_path)
            if not env.connect(session):
                return STOPPED
            if bad := env.tell_bad_nodes(session):
                raise ClewError(f"{len(bad)} nodes cannot train", remedy="Nothing was started.")
            self._check_plans(session, {turn.point for turn in left})
            self._store.save(self._study)
            self._say(f"Study {self._study.study_id}: {len(left)} of {total} runs to make.")
            status = self._make(session, left, total)
            if status != GOOD:
                return status
        _report(env, self._study, outcomes(env, self._study))
        return GOOD

    def _check_plans(self, session: ClusterSession, points: set[Point]) -> None:
        """All sizes fit, before the first run is made."""
        for point in sorted(points):
            try:
                session.plan(training_at(self._study.plan, point))
            except PlanError as error:
                raise PlanError(f"{point}: {error.what}", remedy=error.remedy) from None

    def _make(self, session: ClusterSession, left: list[Turn], total: int) -> int:
        failures = 0
        for turn in left:
            result = self._one(session, turn)
            if result is None or result.state == "stopped":
                self._leave()
                return STOPPED
            number_ = total - len(left) + left.index(turn) + 1
            self._tell(turn, result, f"{number_} of {total}")
            failures = 0 if result.state == "finished" else failures + 1
            if failures >= MOST_FAILURES:
                raise ClewError(
                    f"{failures} runs failed one after another, the last at {turn.point}: "
                    f"{result.reason or 'see its log'}",
                    remedy=f"Go on later: clew study --resume {self._study.study_id}",
                )
        return GOOD

    def _one(self, session: ClusterSession, turn: Turn) -> ResultUpdate | None:
        """One run to its end; None: it was left while it was being stopped."""
        env, study = self._env, self._study
        training = training_at(study.plan, turn.point)
        env.show_for(training)
        name = f"{study.name}: {turn.point} #{turn.repeat}"
        handle = session.launch(training, name=name)
        study.runs[turn] = handle.run_id
        self._store.save(study)
        env.watched = watched = Watched(handle)
        if not env.pump(lambda: handle.result is not None):
            env.interrupts.count = 0
            handle.stop()
            watched.stop_asked = True
            env.view.say("stopping this run… (Ctrl-C again does not wait for the end of it)")
            env.pump(lambda: handle.result is not None)
        return handle.result

    def _leave(self) -> None:
        env = self._env
        if env.watched is not None and env.watched.run.result is None:
            env.view.say(env.watched.left_text())
        env.view.close()
        self._say(f"Go on with what is left: clew study --resume {self._study.study_id}")

    def _tell(self, turn: Turn, result: ResultUpdate, count: str) -> None:
        env = self._env
        if isinstance(env.view, JsonView):
            env.view.write(
                {
                    "type": "study_run",
                    "study": self._study.study_id,
                    "run": result.run_id,
                    "workers": turn.point.workers,
                    "ps": turn.point.ps,
                    "repeat": turn.repeat,
                    "state": result.state,
                    "examples_per_second": result.examples_per_second,
                    "accuracy": result.accuracy,
                    "reason": result.reason,
                }
            )
            return
        what = (
            f"{number(result.examples_per_second)} examples/s"
            if result.state == "finished"
            else f"{result.state}: {result.reason or 'see its log'}"
        )
        env.view.say(f"{count}: {turn.point} #{turn.repeat}: {what}")

    def _say(self, text: str) -> None:
        if not self._env.json:
            self._env.view.say(text)


def _report(env: Environment, study: Study, found: list[Outcome]) -> None:
    rows = summarize(study.plan.points, found)
    advice = recommend(rows)
    if isinstance(env.view, JsonView):
        for row in rows:
            env.view.write(_object(study, row))
        env.view.write(
            {
                "type": "result",
                "state": "ok",
                "study": study.study_id,
                "runs": len(found),
                "recommendation": advice,
            }
        )
        return
    env.view.close()
    _print_table(study, rows)
    if advice:
        print(plain(advice))


def _object(study: Study, row: Row) -> dict[str, object]:
    return {
        "type": "study_point",
        "study": study.study_id,
        "workers": row.point.workers,
        "ps": row.point.ps,
        "runs": row.runs,
        "failed": row.failed,
        "examples_per_second": row.rate,
        "lowest": row.low,
        "highest": row.high,
        "speedup": row.speedup,
        "efficiency": row.efficiency,
        "to_target_s": row.to_target_s,
    }


def _print_table(study: Study, rows: list[Row]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    titles = ["size", "runs", "examples/s", "lowest", "highest", "speedup", "of ideal"]
    if study.plan.target is not None:
        titles.append(f"to {study.plan.target:.1%}")
    for index, title in enumerate(titles):
        table.add_column(title, no_wrap=True, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in _cells(row)[: len(titles)]))
    Terminal(highlight=False).print(table)


def _cells(row: Row) -> tuple[str, ...]:
    failed = f" ({row.failed} failed)" if row.failed else ""
    return (
        str(row.point),
        f"{row.runs}{failed}",
        number(row.rate),
        number(row.low),
        number(row.high),
        "–" if row.speedup is None else f"{row.speedup:.2f}x",
        "–" if row.efficiency is None or row.point.is_single else f"{row.efficiency:.0%}",
        "–" if row.to_target_s is None else f"{row.to_target_s:.1f} s",
    )
