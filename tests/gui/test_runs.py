"""The runs page: past runs open, and what was left going on can be followed again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gui.runs_model import ELAPSED
from gui.runs_page import RunsPage
from gui.tiles import tile_texts
from gui.window import MainWindow
from remote.history import Batch, EventAssembler, FilePart, History, RunRecord, TaskRecord
from trainer.events import Event, Steps, encode
from trainer.spec import TaskId, TrainingSpec, to_json

Wait = Callable[[Callable[[], bool], float], None]
ID = "20261130-1502-k3f9"
W0 = TaskId("worker", 0)
STARTED = 1_700_000_000.0


def record(run_id: str, **more: object) -> RunRecord:
    values: dict[str, object] = {"name": "lab", "started_at": STARTED, "state": "stopped"}
    return RunRecord(run_id=run_id, **(values | more))  # type: ignore[arg-type]


def runs_page(window: MainWindow, wait: Wait) -> RunsPage:
    window.show_page("runs")
    page = window.page("runs")
    assert isinstance(page, RunsPage)
    wait(lambda: page.chosen() == ID, 10)
    return page


def test_that_a_past_run_opens_with_no_profile_open(window: MainWindow, wait: Wait) -> None:
    History().add_run(record(ID, ended_at=time.time()), [])
    runs_page(window, wait).open_button.click()
    wait(lambda: window.current_page == "live", 20)
    assert window.rail.buttons["live"].isEnabled()


def test_that_opening_says_so_at_once(window: MainWindow, wait: Wait) -> None:
    History().add_run(record(ID, ended_at=time.time()), [])
    page = runs_page(window, wait)
    page.open_button.click()
    assert window.controller.busy == f"Opening run {ID} …"
    assert (page.open_button.text(), page.open_button.isEnabled()) == ("Opening …", False)
    wait(lambda: window.current_page == "live", 20)
    assert page.open_button.text() == "Open"
    assert not window.rail.buttons["cluster"].isEnabled()  # there is no profile to show


def going_on(history: History, path: Path, nodes: str = "node1") -> None:
    training = json.dumps(to_json(TrainingSpec(steps=500)))
    text = f"clew: 1\nname: lab\nnodes:\n  - host: 127.0.0.1\n    name: {nodes}\n    port: 9\n"
    history.add_run(
        record(ID, state="training", profile=text, profile_path=str(path), training=training),
        [TaskRecord(task=W0, node="node1", root="/r", state="training", attempt=2)],
    )
    body = Steps(steps=(7, 8), losses=(0.5, 0.25), times=(1.0, 2.0), examples=64, window_s=1.0)
    line = encode(Event(t=2.0, seq=0, attempt=1, body=body))
    events = [(STARTED + 30.0, placed) for placed in EventAssembler().feed(0, line)]
    part = FilePart(task=W0, file="events", generation=0, offset=len(line), events=events)
    history.append(ID, Batch(files=[part]))


def test_that_a_run_going_on_shows_how_far_it_had_come(
    window: MainWindow, wait: Wait, odd_path: Path
) -> None:
    going_on(History(), odd_path / "lab.yaml")
    page = runs_page(window, wait)
    cells = [str(page.model.index(0, column).data()) for column in range(9)]
    assert cells[0] == "training"
    assert cells[5:8] == ["0:30", "8", "0.25"]
    assert page.attach_button.isEnabled()


def test_that_elapsed_is_the_same_in_the_list_and_in_the_run(
    window: MainWindow, wait: Wait, odd_path: Path
) -> None:
    going_on(History(), odd_path / "lab.yaml")
    page = runs_page(window, wait)
    page.open_button.click()
    wait(lambda: window.controller.models.run is not None, 20)
    run = window.controller.models.run
    assert run is not None
    assert tile_texts(run, time.time())["elapsed"] == page.model.index(0, ELAPSED).data() == "0:30"


def test_that_follow_live_says_why_it_cannot_be_used(window: MainWindow, wait: Wait) -> None:
    History().add_run(record(ID, ended_at=time.time()), [])
    page = runs_page(window, wait)
    assert not page.attach_button.isEnabled()
    assert page.attach_button.toolTip() == "This run has ended. Open shows it."


@pytest.mark.parametrize("file", ["there", "gone", "other nodes"])
def test_that_follow_live_opens_the_profile_connects_and_attaches(
    window: MainWindow,
    wait: Wait,
    odd_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
) -> None:
    path = odd_path / "lab.yaml"
    going_on(History(), path)
    if file != "gone":
        name = "node1" if file == "there" else "other"
        path.write_text(
            f"clew: 1\nname: file\nnodes:\n  - host: 127.0.0.1\n    name: {name}\n    port: 9\n",
            encoding="utf-8",
        )
    attached: list[str] = []
    monkeypatch.setattr(window.controller, "attach", attached.append)
    page = runs_page(window, wait)
    page.attach_button.click()
    document = window.controller.document
    assert document.path == (path if file == "there" else None)
    assert document.title == ("file" if file == "there" else "lab")
    wait(lambda: bool(attached), 30)  # nobody listens on its port: that is an answer, too
    assert attached == [ID]
    assert not window.following.waiting


def test_that_the_start_offers_a_run_that_was_left_going_on(
    window: MainWindow, wait: Wait, odd_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.following.offer()
    going_on(History(), odd_path / "lab.yaml")
    window.following.offer()
    wait(lambda: bool(window.controller.notices.open), 10)
    (notice,) = window.controller.notices.open
    assert notice.text == f"Run {ID} (lab) was left going on."
    attached: list[str] = []
    monkeypatch.setattr(window.controller, "attach", attached.append)
    window.controller.notices.act(notice)
    wait(lambda: bool(attached), 30)


def test_that_a_followed_run_keeps_its_state_and_tasks_while_it_catches_up(
    window: MainWindow, wait: Wait, odd_path: Path
) -> None:
    going_on(History(), odd_path / "lab.yaml")
    page = runs_page(window, wait)
    page.attach_button.click()
    controller = window.controller
    wait(lambda: controller.models.run is not None, 30)
    run = controller.models.run
    assert run is not None
    states = [run.state]

    def caught_up() -> bool:
        states.append(run.state)
        return run.step == 8 and bool(run.tasks)

    wait(caught_up, 20)
    assert set(states) == {"training"}
    assert {(t.state, t.attempt) for t in run.tasks.values()} == {("training", 2)}
