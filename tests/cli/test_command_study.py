"""``clew study`` on a practice cluster: real runs of several sizes, broken off and gone on with."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.support.commands import LIMIT_S, clew, objects, start_clew

SMALL = ("--set", "training.steps=30", "--set", "training.batch_size=8")


def test_that_a_study_is_broken_off_gone_on_with_and_shown(
    data: Path, profile: Path, trust: dict[str, str]
) -> None:
    sizes = ("--workers", "1,2", "--repeats", "1")
    begun = start_clew("study", profile, *sizes, *SMALL, "--json", data=data, **trust)
    assert begun.stdout is not None
    for line in begun.stdout:
        if '"study_run"' in line:
            begun.send_signal(signal.SIGINT)
            break
    rest, _ = begun.communicate(timeout=LIMIT_S)
    assert begun.returncode == 130, rest
    done = clew("study", "--resume", "last", "--json", data=data, **trust)
    assert done.returncode == 0, done.stderr
    said = objects(done.stdout)
    made = [o for o in said if o["type"] == "study_run"]
    points = [o for o in said if o["type"] == "study_point"]
    assert [o["state"] for o in made] == ["finished"] * len(made)
    assert len(made) == 2, "the first was done, so the other two are made"
    assert [(p["workers"], p["runs"], p["failed"]) for p in points] == [
        (0, 1, 0),
        (1, 1, 0),
        (2, 1, 0),
    ]
    assert points[0]["speedup"] == 1.0
    assert all(p["examples_per_second"] > 0 for p in points)
    assert said[-1]["type"] == "result"
    assert said[-1]["recommendation"]
    shown = clew("study", "--show", "last", data=data)
    assert shown.returncode == 0
    assert "2 workers, 1 ps" in shown.stdout
    again = clew("study", "--resume", "last", data=data, **trust)
    assert again.returncode == 0, "nothing is left to do"
    assert not [o for o in os.listdir(data / "studies") if o.startswith(".part")]


def test_that_a_size_that_does_not_fit_is_told_before_anything_runs(
    data: Path, profile: Path, trust: dict[str, str]
) -> None:
    alone = ("--set", "training.worker_per=node")  # else workers share a node without GPUs
    done = clew("study", profile, "--workers", "1,50", *alone, *SMALL, data=data, **trust)
    assert done.returncode != 0
    assert "50 workers, 1 ps" in done.stderr
    assert "no run" in clew("runs", data=data).stdout


def test_that_wrong_words_are_one_sentence(data: Path) -> None:
    for words in ((), ("--show", "last"), ("--workers", "a"), ("--target", "2")):
        done = clew("study", *words, data=data)
        assert done.returncode == 2, words
        assert "Traceback" not in done.stderr
