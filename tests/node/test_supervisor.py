"""Tasks under supervisors: real processes, started, restarted and killed."""

import dataclasses
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from remote.errors import NodeError
from remote.node import endings, record
from tests.support.local_node import Connected, LocalNode, with_restarts
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_S, until

FIXTURES = Path(__file__).parents[1] / "fixtures"
SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"


def final_state(node: LocalNode) -> dict[str, Any]:
    state: dict[str, Any] = {}

    def ended() -> bool:
        state.update(record.load(str(node.task_dir())) or {})
        return state.get("state") in record.FINAL

    until(ended)
    return state


def log_of(node: LocalNode) -> str:
    path = node.task_dir() / "log.txt"
    return path.read_text() if path.exists() else ""


def ending(exit_code: int | None, signal_number: int | None, **more: object) -> str:
    return endings.describe(
        {"exit_code": exit_code, "signal": signal_number, "last_lines": [], **more}
    )


def started(node: LocalNode) -> Connected:
    found = node.connect()
    node.deploy(found.link)
    return found


def test_that_a_task_finishes_and_its_end_is_recorded(node: LocalNode) -> None:
    link = started(node).link
    first = link.start_task(node.launch("print('last words')"))
    assert first["state"] in ("starting", "running", "finished")
    state = final_state(node)
    assert (state["state"], state["reason"]) == ("finished", "")
    (attempt,) = state["attempts"]
    assert attempt["exit_code"] == 0
    assert attempt["signal"] is None
    assert attempt["last_lines"] == ["last words"]
    assert attempt["ended_at"] >= attempt["started_at"]
    until(lambda: not node.processes())


def test_that_a_port_is_taken_before_its_task_listens_and_given_to_no_other_run(
    node: LocalNode,
) -> None:
    port = free_port()
    link = started(node).link
    link.start_task(dataclasses.replace(node.launch(SLEEP), ports=(port,)))
    facts = link.probe(
        root=node.root,
        python=sys.executable,
        setup=[],
        variables={},
        ports_from=port,
        gpus="none",
    )
    (holder,) = [item for item in facts.ports_in_use if item.port == port]
    assert (holder.run_id, holder.task) == ("r-1", "worker:0")
    other = dataclasses.replace(node.launch(SLEEP, run_id="r-2"), ports=(port,))
    with pytest.raises(NodeError, match=f"port {port} went to worker:0 of run r-1"):
        link.start_task(other)
    assert not link.stop_run(root=node.root, run_id="r-1")
    link.start_task(other)
    assert not link.stop_run(root=node.root, run_id="r-2")


def test_that_a_task_gets_its_environment_folder_and_files(node: LocalNode) -> None:
    program = "import os, json, sys\nprint(json.dumps([dict(os.environ), os.getcwd(), sys.argv]))"
    launch = dataclasses.replace(
        node.launch(program),
        variables={"MINE": 'it\'s "$HOME" `ü`\nnext', "PYTHONPATH": "/x y"},
        environment={"CUDA_VISIBLE_DEVICES": "GPU-1"},
    )
    started(node).link.start_task(launch)
    state = final_state(node)
    assert state["state"] == "finished", state["reason"]
    folder = node.task_dir()
    env, cwd, argv = json.loads((folder / "log.txt").read_text())
    assert cwd == argv[-1] == str(folder)
    assert env["MINE"] == launch.variables["MINE"]
    assert env["CLEW_RUN"] == "r-1"
    assert env["CLEW_TASK"] == "worker:0"
    assert env["CLEW_NODE"] == node.name
    assert env["CLEW_ATTEMPT"] == "1"
    assert env["CUDA_VISIBLE_DEVICES"] == "GPU-1"
    assert env["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert env["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"
    assert json.loads(env["TF_CONFIG"])["task"] == {"type": "worker", "index": 0}
    app, rest = env["PYTHONPATH"].split(":")
    assert Path(app, "trainer", "spec.py").is_file()
    assert rest == "/x y"
    assert env["KERAS_HOME"] == node.root + "/keras", "nothing is written outside the root"
    spec = json.loads((folder / "spec.json").read_text())
    assert spec["task"] == "worker:0"
    assert os.stat(folder).st_mode & 0o777 == 0o700


def test_that_a_keras_home_of_the_profile_is_kept(node: LocalNode) -> None:
    launch = node.launch("import os\nprint(os.environ['KERAS_HOME'])")
    launch = dataclasses.replace(launch, variables={"KERAS_HOME": "/mine"})
    started(node).link.start_task(launch)
    assert final_state(node)["attempts"][0]["last_lines"] == ["/mine"]


def test_that_a_task_without_gpus_sees_none_even_if_the_profile_names_one(node: LocalNode) -> None:
    program = "import os\nprint(os.environ['CUDA_VISIBLE_DEVICES'])"
    launch = node.launch(program, task="ps:0")
    launch = dataclasses.replace(launch, variables={"CUDA_VISIBLE_DEVICES": "0"})
    started(node).link.start_task(launch)
    log = node.task_dir(task="ps-0") / "log.txt"
    until(lambda: log.exists() and log.read_text() == "-1\n")


def test_that_setup_lines_run_first_and_cannot_undo_the_variables(node: LocalNode) -> None:
    program = (
        "import os\nprint(os.environ['FROM_SETUP'], os.environ['A'], os.environ['PYTHONPATH'])"
    )
    lines = ('export FROM_SETUP="it\'s here"', "export A=lost PYTHONPATH=/module; set -- x y")
    launch = dataclasses.replace(node.launch(program), setup=lines, variables={"A": "kept $A"})
    started(node).link.start_task(launch)
    state = final_state(node)
    assert state["state"] == "finished", state["reason"]
    (line,) = state["attempts"][0]["last_lines"]
    assert line.startswith("it's here kept $A /")
    assert line.endswith(":/module")


def test_that_a_failing_setup_line_ends_the_task_without_restarts(node: LocalNode) -> None:
    launch = dataclasses.replace(node.launch("pass"), setup=("module load nothing",))
    started(node).link.start_task(with_restarts(launch, 3))
    state = final_state(node)
    assert state["state"] == "failed"
    assert len(state["attempts"]) == 1
    assert "module load nothing" in state["reason"]


def test_that_a_crash_is_restarted_and_each_attempt_is_recorded(node: LocalNode) -> None:
    program = (
        "import os, sys\nn = int(os.environ['CLEW_ATTEMPT'])\nprint('try', n)\nsys.exit(n < 3)"
    )
    started(node).link.start_task(with_restarts(node.launch(program), 5))
    state = final_state(node)
    assert state["state"] == "finished"
    assert [a["exit_code"] for a in state["attempts"]] == [1, 1, 0]
    assert [a["attempt"] for a in state["attempts"]] == [1, 2, 3]
    assert [a["last_lines"] for a in state["attempts"]] == [["try 1"], ["try 2"], ["try 3"]]


def test_that_restarts_end_at_the_limit_with_the_reason(node: LocalNode) -> None:
    program = "import sys\nprint('no such thing')\nsys.exit(3)"
    started(node).link.start_task(with_restarts(node.launch(program), 1))
    state = final_state(node)
    assert state["state"] == "failed"
    assert len(state["attempts"]) == 2
    assert "exit status 3: no such thing" in state["reason"]


def test_that_a_final_exit_is_not_restarted(node: LocalNode) -> None:
    started(node).link.start_task(with_restarts(node.launch("import sys; sys.exit(65)"), 5))
    state = final_state(node)
    assert (state["state"], len(state["attempts"])) == ("failed", 1)


def test_that_a_python_that_is_not_there_is_said(node: LocalNode) -> None:
    launch = dataclasses.replace(node.launch("pass"), python="/no/such python")
    started(node).link.start_task(with_restarts(launch, 3))
    state = final_state(node)
    assert state["state"] == "failed"
    assert "/no/such python" in state["reason"]


def test_that_a_killed_task_is_said_to_be_killed_and_comes_back(node: LocalNode) -> None:
    tail = (FIXTURES / "killed-worker.log").read_bytes().rpartition(b"Killed")[0]
    program = (
        "import os, sys, time\n"
        f"sys.stdout.buffer.write({tail!r}); sys.stdout.flush()\n"
        "if os.environ['CLEW_ATTEMPT'] == '1': time.sleep(3600)\n"
    )
    link = started(node).link
    state = link.start_task(with_restarts(node.launch(program), 1))
    until(lambda: (record.load(str(node.task_dir())) or {}).get("attempts"))
    state = record.load(str(node.task_dir())) or {}
    log = node.task_dir() / "log.txt"
    until(lambda: log.read_bytes() == tail)
    os.kill(state["attempts"][0]["pid"], signal.SIGKILL)
    state = final_state(node)
    assert state["state"] == "finished"
    first = state["attempts"][0]
    assert (first["exit_code"], first["signal"]) == (None, 9)
    assert first["last_lines"][-1].startswith("Filling up shuffle buffer")


def test_that_the_reason_of_a_kill_comes_from_the_status_not_from_words() -> None:
    by_signal = ending(None, 9)
    by_shell = ending(137, None, last_lines=["Getötet"])
    assert by_signal == by_shell == "killed by the node (signal 9), probably out of memory"
    sure = ending(None, 9, oom=True, oom_evidence="its cgroup counted the kill", peak_bytes=3 << 30)
    assert sure == (
        "killed by the node (signal 9), out of memory: its cgroup counted the kill; "
        "it had used up to 3.0 GiB"
    )
    near = ending(None, 9, oom_evidence="the kernel counted such a kill")
    assert near.endswith("probably out of memory: the kernel counted such a kill")
    assert "somebody, or a watchdog" in ending(None, 9, oom_counted=True)
    assert ending(1, None, last_lines=["Killed"]) == "ended with exit status 1: Killed"
    assert ending(None, 11) == "killed by signal 11 (SIGSEGV)"


def test_that_last_lines_are_readable_whatever_was_written() -> None:
    lines = endings.tail_lines(str(FIXTURES / "log-raw.bin"), 0)
    assert lines
    assert all(line.isprintable() and len(line) <= 500 for line in lines)


def test_that_a_second_start_of_a_living_task_starts_nothing(node: LocalNode) -> None:
    link = started(node).link
    launch = node.launch(SLEEP)
    first = link.start_task(launch)
    again = link.start_task(launch)
    assert again["supervisor"] == first["supervisor"]
    other = node.connect().link.start_task(launch)
    assert other["supervisor"] == first["supervisor"]
    until(lambda: len(node.processes()) == 3)  # guard, supervisor and task


def test_that_an_ended_task_is_not_run_a_second_time(node: LocalNode) -> None:
    link = started(node).link
    launch = node.launch("print('once')")
    link.start_task(launch)
    final_state(node)
    assert link.start_task(launch)["state"] == "finished"
    until(lambda: not node.processes())
    assert (node.task_dir() / "log.txt").read_text() == "once\n"


def test_that_a_task_cut_off_by_a_reboot_is_started_again(node: LocalNode) -> None:
    link = started(node).link
    launch = node.launch("import os\nprint(os.environ['CLEW_ATTEMPT'])")
    link.start_task(launch)
    state = final_state(node)
    until(lambda: not node.processes())
    state.update(state="running", boot_id="an earlier boot")
    state["attempts"][0].update(boot_id="an earlier boot", ended_at=None)
    (node.task_dir() / "state.json").write_text(json.dumps(state))
    link.start_task(launch)
    state = final_state(node)
    assert [a["attempt"] for a in state["attempts"]] == [1, 2]
    assert (node.task_dir() / "log.txt").read_text() == "1\n2\n"


def test_that_tasks_outlive_the_agent_that_started_them(node: LocalNode) -> None:
    first = started(node)
    first.link.start_task(node.launch(SLEEP))
    until(lambda: first.link.runs(root=node.root)[0].task_alive)
    os.kill(first.link.hello.pid, signal.SIGKILL)
    assert first.closed.wait(PATIENCE_S)
    assert len(first.ends) == 1
    assert first.ends[0] is not None
    (task,) = node.connect().link.runs(root=node.root)
    assert (task.alive, task.task_alive, task.supervisor_alive) == (True, True, True)


def test_that_a_supervisor_without_its_files_says_why(node: LocalNode) -> None:
    link = started(node).link
    launch = node.launch("pass")
    app = Path(node.root, "app", launch.app.digest)
    (app / "remote" / "node" / "supervisor.py").write_text("raise SystemExit('broken on purpose')")
    with pytest.raises(NodeError, match="the supervisor did not start: broken on purpose"):
        link.start_task(launch)


def test_that_what_a_finished_task_leaves_running_is_ended(node: LocalNode) -> None:
    program = "import subprocess\nsubprocess.Popen(['sleep', '3600'])\nprint('done')"
    started(node).link.start_task(node.launch(program))
    assert final_state(node)["state"] == "finished"
    until(lambda: not node.processes())


FILL = """
import os, sys
fd = os.open('fill', os.O_WRONLY | os.O_CREAT)
size = 65536
while size:
    try:
        os.write(fd, b'x' * size)
    except OSError:
        size //= 2
sys.exit(3)
"""


def test_that_runs_are_found_below_every_root_that_may_have_been_theirs(node: LocalNode) -> None:
    run_id = "20261130-1502-" + node.name[-4:]
    session = node.home / "session's ü"
    session.mkdir()
    node.env["XDG_RUNTIME_DIR"] = str(session)
    link = started(node).link
    link.start_task(dataclasses.replace(node.launch(SLEEP, run_id=run_id), name="Größe 7"))
    instead = str(session / "clew")
    assert [task.run_id for task in link.runs(root=instead)] == []
    (task,) = link.runs(root=instead, wanted=node.root)
    assert (task.run_id, task.root, task.alive) == (run_id, node.root, True)
    assert task.name == "Größe 7"
    assert task.training == node.launch(SLEEP, run_id=run_id).spec.training

    Path(instead).mkdir()
    Path(node.root, "runs").rename(Path(instead, "runs"))  # as of a run from when the disk was full
    (task,) = link.runs(root=node.root)
    assert task.root == instead
    Path(instead).rename(session / "elsewhere")
    Path(instead).symlink_to(session / "elsewhere")
    assert link.runs(root=node.root) == [], "never through a link that somebody made"


@pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")
def test_that_the_end_is_recorded_although_the_task_filled_the_disk(node: LocalNode) -> None:
    mount = 'cd / && mount -t tmpfs -o size=2m tmpfs "$HOME" && cd "$HOME" && exec /bin/sh "$@"'
    launch = node.launch(FILL)
    program = Path(launch.arguments[0])
    elsewhere = node.tools / "fill.py"
    program.rename(elsewhere)
    node.shell = ["unshare", "--mount", "/bin/sh", "-c", mount, "x"]
    link = started(node).link
    link.start_task(dataclasses.replace(launch, arguments=(str(elsewhere),)))
    until(lambda: not node.processes())
    (task,) = link.runs(root=node.root)
    assert task.state["state"] == "failed"
    assert task.state["attempts"][0]["exit_code"] == 3


def test_that_a_record_that_cannot_be_written_keeps_the_last_good_one(tmp_path: Path) -> None:
    folder = tmp_path / "it's gone"
    folder.mkdir()
    state_file = record.StateFile(str(folder))
    assert state_file.write({"attempts": [], "reason": "", "state": "running"})
    folder.rename(tmp_path / "away")
    assert not state_file.write({"attempts": [], "reason": "", "state": "finished"})
    (tmp_path / "away").rename(folder)
    assert (record.load(str(folder)) or {})["state"] == "running"
    assert state_file.retry()
    assert (record.load(str(folder)) or {})["state"] == "finished"
