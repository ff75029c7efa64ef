"""A command of the user's own as a task: what it is given, what it reports, how it ends."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE_S, SLACK
from tests.trainer.cluster import REPOSITORY
from trainer.events import (
    Event,
    Failed,
    Finished,
    Notice,
    PhaseChanged,
    Started,
    Steps,
    decode,
)
from trainer.script import resolved
from trainer.spec import (
    EXIT_BAD_SPEC,
    EXIT_UNAVAILABLE,
    ClusterSpec,
    TaskId,
    TaskSpec,
    TrainingSpec,
    to_json,
)

REPORTING = """
import json, os, sys, threading
import helper
import trainer
print("hello from", helper.NAME)
for step in range(1, 301):
    trainer.report(step=step, loss=1 / step, examples=8)
thread = threading.Thread(target=lambda: trainer.report(step=301, examples=8))
thread.start(); thread.join()
if os.fork() == 0:
    trainer.report(step=302, loss=float("nan"), examples=8)
    os._exit(0)
os.wait()
seen = {name: os.environ.get(name) for name in sys.argv[2:]}
open("seen.json", "w").write(json.dumps([os.getcwd(), sys.argv[1], seen]))
"""


class Task:
    """One task that runs ``command``, in a folder with an awkward path."""

    def __init__(self, folder: Path, *command: str, role: str = "worker:0") -> None:
        self.folder = folder / role.replace(":", "-")
        self.code = folder / "my code's"
        self.folder.mkdir(parents=True)
        self.code.mkdir()
        spec = TaskSpec(
            run_id="r-1",
            task=TaskId.parse(role),
            cluster=ClusterSpec(ps=("127.0.0.1:2220",), worker=("127.0.0.1:2221",)),
            training=TrainingSpec(command=command),
            data_dir=None,
            checkpoint_dir=str(folder / "checkpoints"),
            code_dir=str(self.code),
        )
        (self.folder / "spec.json").write_text(json.dumps(to_json(spec)), "utf-8")

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "trainer.script", str(self.folder)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "CLEW_ATTEMPT": "2"},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self) -> tuple[int, str]:
        process = self.start()
        output = process.communicate(timeout=PATIENCE_S)[0].decode()
        return process.returncode, output

    def events(self) -> list[Event]:
        path = self.folder / "events.jsonl"
        return [decode(line) for line in path.read_bytes().splitlines(keepends=True)]


def test_that_reports_become_the_events_of_any_task(weird_path: Path) -> None:
    task = Task(weird_path, "python", "train.py", "a 'b' $c", "CLEW_CHECKPOINTS", "TF_CONFIG")
    (task.code / "train.py").write_text(REPORTING)
    (task.code / "helper.py").write_text("NAME = 'hélper'")
    status, output = task.run()
    assert (status, output) == (0, "hello from hélper\n")
    events = task.events()
    assert [e.seq for e in events] == list(range(len(events)))
    assert {e.attempt for e in events} == {2}
    bodies = [e.body for e in events]
    assert isinstance(bodies[0], Started)
    phases = [b.phase for b in bodies if isinstance(b, PhaseChanged)]
    assert phases == ["starting", "training", "finished"]
    windows = [b for b in bodies if isinstance(b, Steps)]
    assert [s for w in windows for s in w.steps] == list(range(1, 303))
    assert [loss for w in windows for loss in w.losses][:2] == [1.0, 0.5]
    assert all(w.examples == 8 * len(w.steps) and w.window_s > 0 for w in windows)
    last = bodies[-1]
    assert isinstance(last, Finished)
    assert (last.step, last.examples) == (302, 302 * 8)
    assert last.first_step_seconds is not None
    cwd, argument, seen = json.loads((task.folder / "seen.json").read_text())
    assert (cwd, argument) == (str(task.folder), "a 'b' $c")
    assert seen["CLEW_CHECKPOINTS"] == str(weird_path / "checkpoints")
    assert json.loads(seen["TF_CONFIG"])["task"] == {"type": "worker", "index": 0}
    assert sorted(p.name for p in task.folder.iterdir()) == [
        "events.jsonl",
        "seen.json",
        "spec.json",
    ]
    assert sorted(p.name for p in task.code.iterdir()) == ["helper.py", "train.py"]


def test_that_an_exit_status_is_passed_on_and_told(weird_path: Path) -> None:
    task = Task(weird_path, "python", "-c", "import sys; sys.exit(7)", role="ps:0")
    assert task.run()[0] == 7
    last = task.events()[-1].body
    assert isinstance(last, Failed)
    assert "ended with exit status 7" in last.reason


def test_that_a_command_killed_by_a_signal_ends_the_task_by_it(weird_path: Path) -> None:
    task = Task(weird_path, "python", "-c", "import os; os.kill(os.getpid(), 9)")
    assert task.run()[0] == -signal.SIGKILL
    last = task.events()[-1].body
    assert isinstance(last, Failed)
    assert "was killed by SIGKILL" in last.reason


def test_that_a_program_that_is_not_there_is_named(weird_path: Path) -> None:
    task = Task(weird_path, "no-such-program", "x")
    assert task.run()[0] == EXIT_UNAVAILABLE
    last = task.events()[-1].body
    assert isinstance(last, Failed)
    assert "there is no program no-such-program" in last.reason


def test_that_a_script_that_came_without_its_permission_runs(weird_path: Path) -> None:
    task = Task(weird_path, "run.sh", "it's")
    (task.code / "run.sh").write_text('echo "got $1"')
    assert task.run() == (0, "got it's\n")


def test_that_a_spec_without_a_command_is_refused(weird_path: Path) -> None:
    assert Task(weird_path).run()[0] == EXIT_BAD_SPEC


def test_that_a_stop_reaches_the_command_once(weird_path: Path) -> None:
    program = (
        "import signal, sys, time\n"
        "def stop(number, frame):\n"
        "    print('stopping', flush=True); time.sleep(0.5); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        "print('up', flush=True)\n"
        "while True: time.sleep(0.1)\n"
    )
    task = Task(weird_path, "python", "-c", program)
    process = task.start()
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    # As somebody else than the process that started it: it is passed on.
    subprocess.run(["kill", str(process.pid)], check=True, timeout=PATIENCE_S)
    assert process.communicate(timeout=PATIENCE_S)[0] == b"stopping\n"
    assert process.returncode == 0
    bodies = [e.body for e in task.events()]
    running = PhaseChanged(phase="training", detail=shlex.join(["python", "-c", program]))
    assert running in bodies, "it runs, though it never reports"
    assert bodies[-1] == Notice(level="info", text="stopped on request")


def test_that_reports_cost_little_and_nothing_without_clew(weird_path: Path) -> None:
    program = (
        "import time, trainer\n"
        "t = time.perf_counter()\n"
        "for i in range(20000): trainer.report(step=i, loss=0.5, examples=1)\n"
        "print((time.perf_counter() - t) / 20000)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    alone = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, timeout=PATIENCE_S
    )
    assert float(alone.stdout) < 2e-5 * SLACK
    task = Task(weird_path, "python", "-c", program)
    status, output = task.run()
    assert status == 0
    assert float(output) < 2e-4 * SLACK
    steps = [s for e in task.events() if isinstance(e.body, Steps) for s in e.body.steps]
    assert steps == list(range(20000))


def test_that_files_of_the_code_are_found_and_other_words_stay(weird_path: Path) -> None:
    (weird_path / "train.py").touch()
    command = ("python", "train.py", "/train.py", "", "other.py", "--x=train.py")
    assert resolved(command, str(weird_path)) == [
        "python",
        str(weird_path / "train.py"),
        *command[2:],
    ]
    assert resolved(command, None) == list(command)


@pytest.mark.parametrize("bad", ["step='1'", "step=-1", "step=1, examples=-2", "step=1.5"])
def test_that_what_is_no_report_is_an_error_of_the_script(weird_path: Path, bad: str) -> None:
    task = Task(weird_path, "python", "-c", f"import trainer; trainer.report({bad})")
    status, output = task.run()
    assert status == 1
    assert "Error" in output
