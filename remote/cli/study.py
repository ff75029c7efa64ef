"""``clew study``: the same training over several sizes of the cluster, and what it gives."""

from __future__ import annotations

from argparse import Namespace

from rich.table import Table
from rich.text import Text

from remote.cli.environment import GOOD, STOPPED, Environment, Watched
from remote.cli.text import number, plain
from remote.cli.view import JsonView, Terminal
from remote.errors import ClewError, ProfileError
from remote.profile import Profile, loads
from remote.session import ClusterSession
from remote.session.studying import AUTOMATIC, Studying, new_study, outcomes_of, plan_of, store_of
from remote.study import Outcome, Row, Study, Turn, recommend, summarize
from remote.study.tables import cells, heads
from remote.updates import ResultUpdate

NODES_LIMIT_S = 120.0
"""So long the next run waits for nodes that were lost during the last one."""


def study(env: Environment) -> int:
    """Begin a study, go on with one, or show what one has given so far."""
    given = env.arguments
    store = store_of(env.history)
    if given.show is not None:
        found = store.load(given.show)
        _report(env, found, outcomes_of(env.history, found))
        return GOOD
    if (given.profile is None) == (given.resume is None):
        raise ProfileError("name a profile, or a study to go on with: clew study PROFILE")
    if given.resume is not None:
        found = store.load(given.resume)
        profile = loads(found.profile, found.name).profile
    else:
        profile = env.profile()
        found = _new_study(env, profile)
    return _Runner(env, found, profile).run()


def _new_study(env: Environment, profile: Profile) -> Study:
    given: Namespace = env.arguments
    plan = plan_of(
        profile,
        workers=given.workers,
        ps=given.ps,
        repeats=given.repeats,
        single=not given.no_single,
        target=given.target,
    )
    return new_study(profile, plan, path=str(given.profile), name=given.name)


class _Runner:
    """Makes the runs that are still missing, one after another."""

    def __init__(self, env: Environment, study: Study, profile: Profile) -> None:
        self._env = env
        self._study = study
        self._studying = Studying(env.history, study)
        self._profile = profile

    def run(self) -> int:
        env, studying = self._env, self._studying
        done = {o.run_id for o in outcomes_of(env.history, self._study) if o.state == "finished"}
        if any(True for _ in self._study.left(done)):
            env.hidden = (ResultUpdate,)  # of a run; the study's own comes last
            session = env.session(self._profile, self._study.profile_path)
            if not env.connect(session):
                return STOPPED
            if bad := env.tell_bad_nodes(session):
                raise ClewError(f"{len(bad)} nodes cannot train", remedy="Nothing was started.")
            studying.look(session)
            studying.check(session)  # before the first run is made
            studying.save()
            left = len(studying.left)
            self._say(f"Study {self._study.study_id}: {left} of {studying.total} runs to make.")
            status = self._make(session)
            if status != GOOD:
                return status
        _report(env, self._study, outcomes_of(env.history, self._study))
        return GOOD

    def _make(self, session: ClusterSession) -> int:
        studying = self._studying
        while studying.left:
            turn, number_ = studying.left[0], studying.number
            result = self._one(session)
            if result is None or result.state == "stopped":
                self._leave()
                return STOPPED
            self._tell(turn, result, f"{number_} of {studying.total}")
            studying.ended(result)
            if studying.problem:
                remedy = f"Go on later: clew study --resume {self._study.study_id}"
                raise ClewError(studying.problem, remedy=remedy)
        return GOOD

    def _one(self, session: ClusterSession) -> ResultUpdate | None:
        """One run to its end; None: it was left while it was being stopped."""
        env, studying = self._env, self._studying
        env.show_for(studying.training())
        env.pump(lambda: _all_ready(session), NODES_LIMIT_S)  # a link may have dropped
        handle = studying.begin_next(
            lambda t, name: session.launch(t, name=name, placement=AUTOMATIC), session.attach
        )
        studying.save()
        env.watched = watched = Watched(handle)

        def over() -> bool:  # and the session is free for the next one
            return handle.result is not None and handle.run_id not in session.active_runs()

        if not env.pump(over):
            env.interrupts.count = 0
            handle.stop()
            watched.stop_asked = True
            env.view.say("stopping this run… (Ctrl-C again does not wait for the end of it)")
            env.pump(over)
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


def _all_ready(session: ClusterSession) -> bool:
    return all(node.state == "ready" for node in session.node_updates().values())


def _print_table(study: Study, rows: list[Row]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for index, title in enumerate(heads(study.plan)):
        table.add_column(title, no_wrap=True, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in cells(row, study.plan)))
    Terminal(highlight=False).print(table)
