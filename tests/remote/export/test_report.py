"""A report is one page that stands alone, whatever a run is called and whatever it wrote."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest

from remote.errors import ClewError
from remote.export.curves import running_mean, thinned
from remote.export.details import load_details
from remote.export.report import write_report
from remote.export.svg import Curve, line_chart
from remote.history import History, RunRecord
from remote.updates import ResultUpdate
from tests.remote.export.run_rows import HOSTILE, ID, T0, W0, filled


class Page(HTMLParser):
    """Collects the tags with their attributes, and the words."""

    VOID = frozenset({"meta", "line", "circle", "path", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with closing(filled(tmp_path / "h.db")) as found:
        yield found


def test_that_hostile_names_are_words_only(history: History, tmp_path: Path) -> None:
    text = write_report(history, ID, tmp_path / "r 'é'.html").read_text("utf-8")
    page = Page(text)
    assert page.open == []
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "b100"}
    assert not any(key.startswith("on") or key in ("src", "href") for _, attributes in page.tags
                   for key in attributes)  # fmt: skip
    assert "http:" not in text
    assert "https:" not in text
    assert HOSTILE in page.words
    assert "default-src 'none'" in text


def test_that_it_says_what_there_is(history: History, tmp_path: Path) -> None:
    page = Page(write_report(history, ID, tmp_path / "r.html").read_text("utf-8"))
    for words in ("87.50%", "Elapsed", "1:40", "a note", "best", "cannot read", "slow disk",
                  "start 2", "finished at step 40", "worker:0", "steps", "mlp"):  # fmt: skip
        assert words in page.words, words
    drawn = [attributes["aria-label"] for tag, attributes in page.tags if tag == "svg"]
    assert drawn == ["Loss", "Accuracy", "Throughput", "GPU utilization"]


def test_that_the_first_failure_stands_at_the_top(tmp_path: Path) -> None:
    with closing(History(tmp_path / "h.db")) as history:
        history.add_run(RunRecord(run_id=ID, name="", started_at=T0), [])
        history.finish(
            ResultUpdate(run_id=ID, state="failed", global_step=0, final_loss=None, accuracy=None,
                         examples=0, examples_per_second=None, time_to_first_step_s=None,
                         reason="worker:0 on gpu<1>: no room"), T0 + 5.0)  # fmt: skip
        page = Page(write_report(history, ID, tmp_path / "r.html").read_text("utf-8"))
        assert "What went wrong first" in page.words
        assert "worker:0 on gpu<1>: no room" in page.words
        assert "No step is on record." in page.words


def test_that_a_report_that_cannot_be_written_is_told(history: History, tmp_path: Path) -> None:
    with pytest.raises(ClewError, match="cannot be written"):
        write_report(history, ID, tmp_path / "none" / "r.html")


def test_that_attempts_are_told_in_their_own_words(history: History) -> None:
    details = load_details(history, ID)
    (worker,) = [task for task in details.tasks if task.record.task == W0]
    first, second = worker.attempts
    assert (first.number, second.number) == (1, 2)
    assert first.ending.startswith("failed: cannot read")
    assert second.ending == "finished at step 40"
    assert details.shape == "1 worker, 1 ps"
    own = {s.key: s.value for s in details.settings if s.own}
    assert own == {"model": "mlp", "steps": "40"}


@pytest.mark.parametrize(
    "values",
    [
        [0.0, -1.0, 0.0, 1.0, 10.0, 100.0],
        [math.nan, 2.3, 2.2, math.nan, math.nan, 2.0, 1.9],
        [0.0, 0.0],
        [2.3, math.inf, 2.1, -math.inf, 2.0],
        [2.3],
        [1e30, 1e-30, 2.0],
        [1.7e308, -1.7e308],
        [5e-324, 5e-324],
        [1.0] * 4,
        [2.0, 2.0, 1e9, 2.0],
    ],
)
def test_that_odd_values_are_drawn_within_the_chart(values: list[float]) -> None:
    points = [(float(x), y) for x, y in enumerate(values)]
    for zero in (False, True):
        text = line_chart("c", [Curve("l", points, "main")], from_zero=zero)
        assert not re.search(r"nan|inf", text)
        ys = [float(y) for y in re.findall(r"[ML][\d.]+ ([-\d.]+)", text)]
        assert len(ys) == sum(math.isfinite(v) for v in values)
        assert all(-1 <= y <= 251 for y in ys)


def test_that_nothing_to_draw_is_no_chart() -> None:
    assert line_chart("c", [Curve("l", [], "main")]) == ""
    assert line_chart("c", [Curve("l", [(0.0, math.nan)] * 3, "main")]) == ""


def test_that_thinning_keeps_spikes_and_gaps() -> None:
    points = [(float(i), 1.0) for i in range(100_000)]
    points[31_000] = (31_000.0, 1e9)
    points[52_000] = (52_000.0, math.nan)
    thin = thinned(points)
    assert len(thin) <= 3 * 401
    assert (31_000.0, 1e9) in thin
    assert any(math.isnan(y) for _, y in thin)
    assert [x for x, _ in thin] == sorted(x for x, _ in thin)


def test_that_the_mean_is_that_of_the_live_page() -> None:
    from gui.series import SmoothedSeries

    values = [3.0, 1.0, math.nan, 2.0, *(1.0 / i for i in range(1, 60))]
    series = SmoothedSeries()
    series.extend(range(len(values)), values)
    own = [y for _, y in running_mean([(float(x), y) for x, y in enumerate(values)])]
    assert own == pytest.approx(series.smoothed()[1].tolist(), nan_ok=True)
