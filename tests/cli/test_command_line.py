"""What every command owes its caller: sentences, exit statuses, strict JSON, and no Qt."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from remote.cli.main import main, tell_unexpected
from remote.history import History, RunRecord, TaskRecord
from remote.profile import loads
from remote.updates import ResultUpdate
from tests.support.commands import LIMIT_S, ROOT, clew, command, objects, surroundings
from tests.support.ports import free_port
from trainer.spec import TaskId

PROFILE = """\
clew: 1
nodes:
  - {host: 127.0.0.1, name: gone, port: %d, user: nobody}
training: {dataset: {name: synthetic}, steps: 10}
"""


def a_result(run_id: str, loss: float | None = float("nan")) -> ResultUpdate:
    return ResultUpdate(
        run_id=run_id,
        state="finished",
        global_step=7,
        final_loss=loss,
        accuracy=0.5,
        examples=448,
        examples_per_second=10.0,
        time_to_first_step_s=1.5,
    )


@pytest.fixture
def two_runs(data: Path) -> Path:
    history = History(data / "history.db")
    for run_id, at in (("20261130-1502-aaaa", 1.0), ("20261130-1503-bbbb", 2.0)):
        task = TaskRecord(task=TaskId("worker", 0), node="n\x1b[31m", root="/r")
        history.add_run(RunRecord(run_id=run_id, name="läb\x1b[2J", started_at=at), [task])
    history.finish(a_result("20261130-1502-aaaa"), 9.0)
    history.close()
    return data


def test_that_help_names_every_command(data: Path) -> None:
    done = clew("--help", data=data)
    assert done.returncode == 0
    for name in (
        "check",
        "run",
        "status",
        "attach",
        "stop",
        "runs",
        "export",
        "import",
        "scaling",
        "demo",
    ):
        assert name in done.stdout


def test_that_commands_load_no_qt_and_no_tensorflow(data: Path) -> None:
    code = (
        "import sys; from gui.entry import main\n"
        "assert main(['runs', '--json']) == 0\n"
        "bad = [m for m in sys.modules if m.partition('.')[0] in "
        "('PySide6', 'shiboken6', 'pyqtgraph', 'tensorflow', 'keras', 'numpy')]\n"
        "assert not bad, bad\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=surroundings(data),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_that_help_does_not_even_load_ssh(data: Path) -> None:
    code = (
        "import sys; from gui.entry import main\n"
        "main(['--help']); assert 'paramiko' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=surroundings(data), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [("frobnicate",), ("run",), ("demo", "--nodes", "0"), ("--odd",)])
def test_that_wrong_arguments_are_status_2(words: tuple[str, ...], data: Path) -> None:
    done = clew(*words, "x", data=data) if words == ("frobnicate",) else clew(*words, data=data)
    assert done.returncode == 2
    assert "usage: clew" in done.stderr
    assert "Traceback" not in done.stderr


def test_that_a_wrong_profile_is_status_2_with_every_line(data: Path) -> None:
    path = data / "läb 'x'.yaml"
    path.write_text("clew: 1\nnodes: [{host: a, prt: 2222}]\ntraining: {stepz: 5}\n", "utf-8")
    done = clew("run", path, data=data)
    assert done.returncode == 2
    assert ":2" in done.stderr
    assert ":3" in done.stderr
    assert "port" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_that_a_missing_profile_is_status_2(data: Path) -> None:
    done = clew("check", data / "none.yaml", data=data)
    assert done.returncode == 2
    assert "none.yaml" in done.stderr


def test_that_a_value_that_cannot_be_set_is_status_2(data: Path) -> None:
    path = data / "p.yaml"
    path.write_text(PROFILE % 22)
    for change in ("training.steps=lots", "training.nonsense=1", "no-equals-sign"):
        done = clew("run", path, "--set", change, data=data)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr


def test_that_an_unreachable_node_is_one_sentence_with_a_remedy(data: Path) -> None:
    path = data / "p.yaml"
    path.write_text(PROFILE % free_port())
    done = clew("run", path, data=data)
    assert done.returncode == 1
    assert "gone: 127.0.0.1 port" in done.stderr
    assert "refused" in done.stderr
    assert "Check the host and the port" in done.stderr
    assert "Traceback" not in done.stderr


def test_that_a_node_that_is_its_address_is_named_once(data: Path) -> None:
    path = data / "p.yaml"
    path.write_text(f"clew: 1\nnodes: [{{host: '::1', port: {free_port()}}}]\n")
    done = clew("check", path, data=data)
    assert "Problem: ::1 port" in done.stderr
    assert "Checked at" in done.stdout
    assert "in 0.0 s" not in done.stdout
    assert "\n::1 port" in "\n" + clew("run", path, data=data).stderr


def test_that_an_unreachable_node_is_told_in_json_too(data: Path) -> None:
    path = data / "p.yaml"
    path.write_text(PROFILE % free_port())
    for name in ("check", "run"):
        done = clew(name, path, "--json", data=data)
        assert done.returncode == 1
        items = objects(done.stdout)
        states = [item["state"] for item in items if item["type"] == "node"]
        assert states[-1] == "unreachable"
        assert items[-1]["type"] == "result"
        assert items[-1]["state"] == "failed"
        assert "gone" in items[-1]["reason"]


def test_that_runs_are_listed_newest_first(two_runs: Path) -> None:
    done = clew("runs", data=two_runs)
    assert done.returncode == 0
    assert done.stdout.index("bbbb") < done.stdout.index("aaaa")
    assert "\x1b" not in done.stdout
    assert "preparing when last seen" in done.stdout
    *items, end = objects(clew("runs", "--json", data=two_runs).stdout)
    assert end == {"type": "result", "state": "ok", "runs": 2}
    assert [item["run"] for item in items] == ["20261130-1503-bbbb", "20261130-1502-aaaa"]
    assert items[1]["final_loss"] is None


def test_that_no_runs_are_a_hint(data: Path) -> None:
    done = clew("runs", data=data)
    assert (done.returncode, done.stderr) == (0, "")
    assert "clew run PROFILE" in done.stdout


def test_that_an_ended_run_needs_no_node(two_runs: Path) -> None:
    done = clew("status", "aaaa", "--json", data=two_runs)
    assert done.returncode == 0
    result = objects(done.stdout)[-1]
    assert list(result) == [
        "type",
        "run",
        "state",
        "global_step",
        "final_loss",
        "accuracy",
        "examples",
        "examples_per_second",
        "time_to_first_step_s",
        "left_behind",
    ]
    assert result["final_loss"] is None
    assert clew("stop", "aaaa", data=two_runs).returncode == 0


@pytest.mark.parametrize("text", ["zzzz", "2026", "../../etc"])
def test_that_a_run_that_is_not_one_is_a_sentence(text: str, two_runs: Path) -> None:
    done = clew("status", text, data=two_runs)
    assert done.returncode == 2
    assert text in done.stderr
    assert len(done.stderr.splitlines()) == 1
    told = clew("attach", text, "--json", data=two_runs)
    assert objects(told.stdout)[-1]["type"] == "result"


@pytest.mark.parametrize("words", [("attach",), ("stop",), ("export", "--csv", "x")])
def test_that_an_unknown_run_is_status_2(words: tuple[str, ...], two_runs: Path) -> None:
    done = clew(words[0], "nope", *words[1:], data=two_runs)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nope" in done.stderr


def test_that_a_profile_that_is_not_there_is_never_ignored(two_runs: Path) -> None:
    done = clew("status", "aaaa", "--profile", "/nonexist", data=two_runs)
    assert done.returncode == 2
    assert "/nonexist" in done.stderr


def test_that_no_nodes_are_status_2_with_a_remedy(data: Path) -> None:
    path = data / "p.yaml"
    path.write_text("clew: 1\nnodes: []\n")
    for name in ("check", "run"):
        done = clew(name, path, data=data)
        assert done.returncode == 2
        assert "there are no nodes. Add at least one" in done.stderr


def test_that_an_empty_profile_says_what_a_small_one_is(data: Path) -> None:
    path = data / "p.yaml"
    path.write_text("# nothing yet\n")
    done = clew("check", path, data=data)
    assert done.returncode == 2
    small = done.stderr.partition("looks like this:\n")[2]
    assert loads(small).profile.nodes[0].host == "gpu001"


def test_that_of_many_problems_twenty_are_told(data: Path) -> None:
    path = data / "p.yaml"
    nodes = "".join(f"  - {{host: n{i}, prt: 1}}\n" for i in range(70))
    path.write_text(f"clew: 1\nnodes:\n{nodes}")
    done = clew("check", path, data=data)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 21
    assert lines[-1].startswith("and 50 more")


def test_that_check_finds_a_data_set_that_is_not_there(data: Path) -> None:
    path = data / "p.yaml"
    text = PROFILE.replace("{name: synthetic}", "{name: mnist, path: /no/such folder}")
    path.write_text(text % free_port())
    done = clew("check", path, data=data)
    assert done.returncode == 1
    assert "data set mnist: /no/such folder: there is no such folder here" in done.stderr
    told = objects(clew("check", path, "--json", data=data).stdout)
    assert "there is no such folder here" in told[-1]["reason"]


@pytest.mark.parametrize(
    ("word", "hint"), [("frobnicate", "clew --help"), ("stauts", "did you mean status?")]
)
def test_that_a_word_that_is_neither_command_nor_file_is_said(
    word: str, hint: str, data: Path
) -> None:
    done = clew(word, data=data)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"no such command or profile: {word}")
    assert hint in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="there is always a display")
def test_that_no_display_is_a_sentence_that_names_the_way_without(data: Path) -> None:
    path = data / "t.yaml"
    path.write_text(PROFILE % 22)
    bare = {k: v for k, v in surroundings(data).items() if k != "QT_QPA_PLATFORM"}
    for words in ((), (path,), (path, "--launch")):
        done = subprocess.run(
            command(*words), env=bare, capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "clew run PROFILE, or clew demo --headless" in done.stderr


def test_that_a_run_that_never_started_is_listed_and_shown_with_its_reason(data: Path) -> None:
    history = History(data / "history.db")
    run_id = "20261130-1502-aaaa"
    task = TaskRecord(task=TaskId("worker", 0), node="n", root="/r")
    history.add_run(RunRecord(run_id=run_id, name="lab", started_at=1.0), [task])
    blank = dataclasses.replace(a_result(run_id, None), state="failed", reason="no such folder")
    blank = dataclasses.replace(blank, global_step=0, examples=0, time_to_first_step_s=None)
    history.finish(blank, 2.0)
    history.close()
    assert "no such folder" in clew("runs", data=data).stdout
    shown = clew("status", "aaaa", data=data)
    assert shown.returncode == 1
    labels = [line.split("  ")[0] for line in shown.stdout.splitlines()]
    assert labels == ["run", "state", "reason", "left behind"]


def test_that_a_run_started_elsewhere_asks_for_its_profile(two_runs: Path) -> None:
    done = clew("attach", "bbbb", data=two_runs)
    assert done.returncode == 2
    assert "--profile FILE" in done.stderr


def test_that_a_closed_pipe_is_quiet(two_runs: Path) -> None:
    with subprocess.Popen(
        command("runs"),
        env=surroundings(two_runs),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        words = process.stderr.read()
    assert words == b""


def test_that_a_history_that_cannot_be_opened_is_one_sentence(data: Path) -> None:
    (data / "history.db").mkdir()  # not a file at all
    done = clew("runs", data=data)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "history" in done.stderr


def test_that_export_writes_tables(two_runs: Path) -> None:
    done = clew("export", "aaaa", "--csv", two_runs / "täbles", data=two_runs)
    assert done.returncode == 0, done.stderr
    names = {Path(line).name for line in done.stdout.splitlines()}
    assert names == {f"{n}.csv" for n in ("steps", "rates", "evals", "marks", "nodes", "gpus")}
    assert (two_runs / "täbles" / "steps.csv").read_text().startswith("task,step,loss,t")
    told = objects(clew("export", "aaaa", "--csv", "x", "--json", data=two_runs).stdout)
    assert (told[-1]["type"], told[-1]["state"]) == ("result", "ok")
    nothing = clew("export", "aaaa", data=two_runs)
    assert nothing.returncode == 2
    assert "--csv" in nothing.stderr


def test_that_an_unexpected_error_is_one_sentence_and_a_file(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_DATA_DIR", str(data))
    try:
        raise RuntimeError("odd \x1b[2J thing")
    except RuntimeError:
        assert tell_unexpected() == 1
    words = capsys.readouterr().err
    assert len(words.splitlines()) == 1
    assert "\x1b" not in words
    kept = next(data.glob("error-*.log"))
    assert str(kept) in words
    assert "Traceback" in kept.read_text()


@pytest.mark.parametrize(
    ("error", "loaded", "status", "state"),
    [
        (KeyboardInterrupt(), False, 130, "stopped"),
        (ImportError("half an update"), False, 1, "failed"),
        (RuntimeError("odd"), True, 1, "failed"),
    ],
)
def test_that_the_last_object_is_a_result_however_a_command_ends(
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    loaded: bool,
    status: int,
    state: str,
) -> None:
    def fail(*words: object) -> int:
        raise error

    monkeypatch.setenv("CLEW_DATA_DIR", str(data))
    module = sys.modules["remote.cli.main"]
    load = (lambda name: SimpleNamespace(hosts=fail)) if loaded else fail
    monkeypatch.setattr(module, "import_module", load)
    monkeypatch.setattr(module, "_log_to_file", lambda: None)
    assert main(["hosts", "--json"]) == status
    assert objects(capsys.readouterr().out) == [{"type": "result", "state": state}]
