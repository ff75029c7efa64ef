"""``clew export`` and ``clew import``: files out of the history, and a run back into one."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from remote.cli import main
from remote.history import History
from tests.remote.export.run_rows import HOSTILE, ID, all_rows, fill
from tests.support.commands import clew


@pytest.fixture
def history(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose history has a run; commands use it."""
    monkeypatch.setenv("CLEW_DATA_DIR", str(data))
    found = History(data / "history.db")
    fill(found)
    found.close()
    return data


def test_that_a_bundle_goes_out_and_comes_in(
    history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = history / "a b.clewrun"
    assert main(["export", "last", "--bundle", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    assert main(["import", str(file)]) == 0
    assert "is in the history already: nothing has changed." in capsys.readouterr().out
    monkeypatch.setenv("CLEW_DATA_DIR", str(history / "other"))
    assert main(["import", "--json", str(file)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {"type": "result", "run": ID, "state": "ok", "added": True}
    one, other = History(history / "history.db"), History(history / "other" / "history.db")
    assert all_rows(one) == all_rows(other)
    one.close()
    other.close()
    assert main(["runs", "--json"]) == 0
    run = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (run["tags"], run["imported"], run["elapsed_s"]) == (["best", "läb"], True, 100.0)


def test_that_what_is_no_bundle_is_one_sentence(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = history / "x.clewrun"
    file.write_text("no zip")
    assert main(["import", str(file)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "x.clewrun is no run bundle, or only a part of one. "
        "Get the file once more from whoever has the run."
    ]


def test_that_a_report_is_written(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = history / "r.html"
    assert main(["export", "last", "--report", str(file), "--json"]) == 0
    first, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first == {"type": "file", "run": ID, "path": str(file)}
    assert last["state"] == "ok"
    assert "<script>alert" not in file.read_text("utf-8")


def test_that_tables_hold_no_formulas(history: Path) -> None:
    found = History(history / "history.db")
    found.close()
    assert main(["export", "last", "--csv", str(history / "t")]) == 0
    assert {p.name for p in (history / "t").iterdir()} == {
        *("steps.csv", "rates.csv", "evals.csv", "marks.csv", "nodes.csv", "gpus.csv")
    }
    assert HOSTILE.split()[0] in (history / "t" / "marks.csv").read_text("utf-8")


def test_that_one_chart_is_drawn_as_svg(history: Path) -> None:
    file = history / "loss.svg"
    done = clew("export", "last", "--svg", file, "--chart", "loss", data=history)
    assert done.returncode == 0, done.stderr
    words = " ".join(ElementTree.parse(file).getroot().itertext())
    assert "running mean" in words
    assert "Throughput" not in words


def test_that_it_says_what_can_be_written(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "last"]) == 2
    assert "--report FILE or --bundle FILE" in capsys.readouterr().err
