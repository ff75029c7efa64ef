"""Studies as files, so that one that was broken off goes on where it was."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from remote.errors import ClewError, UnknownRun
from remote.study.plan import Point, StudyPlan, Turn
from trainer.spec import SpecError, TrainingSpec, from_json, to_json

VERSION = 1
_ID = re.compile(r"[0-9]{8}-[0-9]{4}-[0-9a-z]{4}")


@dataclass(kw_only=True, slots=True)
class Study:
    """A plan, the profile it belongs to, and the runs that were made of it so far."""

    study_id: str
    """Of the form of a run's id."""
    name: str
    plan: StudyPlan
    profile: str
    """YAML, as it was when the study began."""
    profile_path: str
    runs: dict[Turn, str] = field(default_factory=dict)
    """The run of each turn; a turn that is made again has its newest."""

    def left(self, done: set[str]) -> Iterator[Turn]:
        """The turns that have no run among ``done``, in their order."""
        return (turn for turn in self.plan.turns() if self.runs.get(turn) not in done)


class StudyStore:
    """The studies in a folder, one file each, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ids(self) -> list[str]:
        """Newest first."""
        if not self.folder.is_dir():
            return []
        names = [path.stem for path in self.folder.glob("*.json") if _ID.fullmatch(path.stem)]
        return sorted(names, reverse=True)

    def save(self, study: Study) -> None:
        """Raises ClewError when the disk does not take it."""
        path = self.folder / f"{study.study_id}.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".part-", dir=self.folder)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(_to_data(study), file, allow_nan=False)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise ClewError(
                f"the study cannot be kept in {path}: {error.strerror}",
                remedy="Make room there, or let XDG_DATA_HOME name another folder.",
            ) from None

    def load(self, text: str) -> Study:
        """The study that a user means by ``text``: an id, a part at its end, or ``last``.

        Raises:
            UnknownRun: there is none, or there are several.
            ClewError: its file cannot be read.
        """
        known = self.ids()
        found = known[:1] if text == "last" else [i for i in known if text and i.endswith(text)]
        found = [text] if text in known else found
        if len(found) != 1:
            what = "there are several studies" if found else "there is no study"
            raise UnknownRun(f"{what} {text!r}", remedy="Begin one: clew study PROFILE.")
        path = self.folder / f"{found[0]}.json"
        try:
            return _from_data(found[0], json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError, SpecError) as error:
            raise ClewError(
                f"{path} cannot be read as a study: {error}",
                remedy="Move it away and begin the study again.",
            ) from None


def _to_data(study: Study) -> dict[str, Any]:
    plan = study.plan
    return {
        "version": VERSION,
        "name": study.name,
        "profile": study.profile,
        "profile_path": study.profile_path,
        "training": to_json(plan.training),
        "points": [list(point) for point in plan.points],
        "repeats": plan.repeats,
        "target": plan.target,
        "runs": [[*turn.point, turn.repeat, run_id] for turn, run_id in study.runs.items()],
    }


def _from_data(study_id: str, data: Any) -> Study:
    if data["version"] != VERSION:
        raise ValueError(f"version {data['version']} is not known here")
    target = data["target"]
    return Study(
        study_id=study_id,
        name=str(data["name"]),
        profile=str(data["profile"]),
        profile_path=str(data["profile_path"]),
        plan=StudyPlan(
            training=from_json(TrainingSpec, data["training"]),
            points=tuple(Point(int(w), int(p)) for w, p in data["points"]),
            repeats=int(data["repeats"]),
            target=None if target is None else float(target),
        ),
        runs={Turn(Point(int(w), int(p)), int(n)): str(run) for w, p, n, run in data["runs"]},
    )
