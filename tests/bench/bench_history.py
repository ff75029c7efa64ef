"""How long a history of very many runs keeps one waiting: opening it, ``clew runs``, the Runs page.

Every run has tasks, a profile and a result, and some events, as real ones do.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from remote.history import Batch, EventAssembler, FilePart, History, RunRecord, TaskRecord
from remote.history.codec import result_text
from remote.updates import ResultUpdate
from tests.bench.report import Report, Row
from trainer.events import Event, Steps, encode
from trainer.spec import TaskId, TrainingSpec, to_json

ROOT = Path(__file__).parents[2]
MANY, FEW = 20_000, 200
ROUNDS = 3
MOST_MS = 1000.0
LIMIT_S = 120
W0 = TaskId("worker", 0)


def make(folder: Path, count: int) -> History:
    """A history of ``count`` runs; the first is written as a session does it, the rest copied."""
    history = History(folder / "history.db")
    first = "20260101-0000-aaaa"
    record = RunRecord(
        run_id=first,
        name="a run",
        started_at=0.0,
        profile="clew: 1\nnodes: [gpu001]\n" * 20,
        training=json.dumps(to_json(TrainingSpec())),
    )
    history.add_run(record, [TaskRecord(task=W0, node="gpu001", root="/home/ana/.clew")])
    data = b""
    for seq in range(10):
        steps = tuple(range(seq * 20, seq * 20 + 20))
        body = Steps(steps=steps, losses=(0.5,) * 20, times=(1.0,) * 20, examples=9, window_s=1.0)
        data += encode(Event(t=float(seq), seq=seq, attempt=1, body=body))
    events = [(p.event.t, p) for p in EventAssembler().feed(0, data)]
    part = FilePart(task=W0, file="events", generation=0, offset=len(data), events=events)
    history.append(first, Batch(files=[part]))
    history.close()
    copy(folder / "history.db", count)
    return History(folder / "history.db")


def copy(path: Path, count: int) -> None:
    """Copies of the run and its events under other ids, a minute apart, each with a result."""
    with sqlite3.connect(path) as db:
        for key in range(2, count + 1):
            at = 60.0 * key
            run_id = time.strftime("%Y%m%d-%H%M", time.gmtime(1.7e9 + at)) + "-aaaa"
            result = ResultUpdate(
                run_id=run_id,
                state="finished",
                global_step=200,
                final_loss=0.5,
                accuracy=0.9,
                examples=12_800,
                examples_per_second=4100.0,
                time_to_first_step_s=6.0,
            )
            db.execute(
                "INSERT INTO runs SELECT ?, ?, name, profile, profile_path, training, ?, ?, "
                "'finished', ? FROM runs WHERE key=1",
                (key, run_id, 1.7e9 + at, 1.7e9 + at + 50, result_text(result)),
            )
            db.execute(
                "INSERT INTO tasks SELECT ?, ?, task, node, root, address, gpus, 'finished', "
                "detail, attempt FROM tasks WHERE key=1",
                (key, key),
            )
            db.execute(
                "INSERT INTO events SELECT ?, generation, offset, seq, attempt, type, t, step, "
                "body FROM events WHERE task=1",
                (key,),
            )
    db.close()


def timed_ms(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - began)


def open_and_list(folder: Path) -> None:
    history = History(folder / "history.db")
    assert len(history.summaries(200)) == 200
    history.close()


def command(folder: Path) -> None:
    """``clew runs`` from its start to its end."""
    subprocess.run(
        [sys.executable, "-m", "gui.entry", "runs"],
        cwd=ROOT,
        env={**os.environ, "CLEW_DATA_DIR": str(folder), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        timeout=LIMIT_S,
        check=True,
    )


_PAGE = """
import time
from gui.app import make_application
from gui.settings import Settings
from gui.theme import Theme
from gui.window import MainWindow
app = make_application(["clew"])
settings = Settings()
Theme(app, settings.theme)
window = MainWindow(settings)
window.show()
app.processEvents()
began = time.perf_counter()
window.show_page("runs")
page = window.page("runs")
while not page.chosen():
    app.processEvents()
    time.sleep(0.001)
app.processEvents()
print(1000 * (time.perf_counter() - began), flush=True)
import os; os._exit(0)
"""


def page_ms(folder: Path) -> float:
    """From the click on Runs until a run stands there, chosen."""
    done = subprocess.run(
        [sys.executable, "-c", _PAGE],
        cwd=ROOT,
        env={
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "CLEW_DATA_DIR": str(folder),
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=LIMIT_S,
        check=True,
    )
    return float(done.stdout)


def main() -> int:
    report = Report(f"A history of {MANY:,} runs")
    report.begin()
    with tempfile.TemporaryDirectory() as base:
        many, few = Path(base, "many"), Path(base, "few")
        make(many, MANY).close()
        make(few, FEW).close()
        size = (many / "history.db").stat().st_size >> 20
        opened = [timed_ms(lambda: open_and_list(many)) for _ in range(ROUNDS)]
        what = f"open it ({size} MB), list the newest 200"
        report.add(Row(what=what, samples=opened, bound=MOST_MS, unit="ms"))
        pairs = [(timed_ms(lambda: command(many)), timed_ms(lambda: command(few))) for _ in opened]
        ratios = [a / b for a, b in pairs]
        report.add(Row(what=f"clew runs, over that of {FEW} runs", samples=ratios, bound=1.5))
        pages = [page_ms(many) for _ in range(ROUNDS)]
        report.add(
            Row(what="the Runs page, from click to rows", samples=pages, bound=MOST_MS, unit="ms")
        )
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
