"""Memory that runs out and disks that fill up: noticed, and said in one true sentence."""

import dataclasses
import errno
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remote.node import cgroups, files, record
from remote.node.disk_trouble import DiskWatch
from tests.support.local_node import LocalNode
from tests.support.waiting import until

V1 = Path("/sys/fs/cgroup/memory")
SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"
HUNGRY = """
import os, sys, time
open(sys.argv[1], 'w').write(str(os.getpid()))
print('up', flush=True)
time.sleep(1.5)
held = []
while True:
    held.append(bytearray(8 << 20))
"""


@pytest.fixture
def small_group() -> Iterator[Path]:
    """A control group in which little memory is to be had."""
    group = V1 / f"clew-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text("80000000")
    except OSError as error:
        pytest.skip(f"this machine gives no memory group: {error}")
    yield group
    until(lambda: not (group / "cgroup.procs").read_text().split())
    group.rmdir()


def state_of(node: LocalNode) -> dict[str, Any]:
    return record.load(str(node.task_dir())) or {}


def start(node: LocalNode, launch: Any) -> None:
    found = node.connect()
    node.deploy(found.link)
    found.link.start_task(launch)
    log = node.task_dir() / "log.txt"
    until(lambda: log.exists() and "up" in log.read_text())


def ended(node: LocalNode) -> dict[str, Any]:
    until(lambda: state_of(node).get("state") in record.FINAL, what=lambda: state_of(node))
    return state_of(node)


def test_that_a_kill_for_memory_is_said_with_its_evidence(
    node: LocalNode, small_group: Path
) -> None:
    launch = node.launch(HUNGRY)
    arguments = (*launch.arguments, str(small_group / "cgroup.procs"))
    start(node, dataclasses.replace(launch, arguments=arguments))
    state = ended(node)
    (attempt,) = state["attempts"]
    assert (attempt["exit_code"], attempt["signal"]) == (None, signal.SIGKILL)
    found = re.fullmatch(
        r"killed by the node \(signal 9\), (probably )?out of memory: the kernel.*; "
        r"it had used up to 0\.\d GiB",
        state["reason"],
    )
    assert found, state["reason"]
    assert attempt["host"] == os.uname().nodename
    assert attempt["last_lines"] == ["up"]


def test_that_a_kill_by_somebody_is_not_put_down_to_memory_for_sure(node: LocalNode) -> None:
    start(node, node.launch(SLEEP))
    until(lambda: state_of(node)["attempts"])
    os.kill(state_of(node)["attempts"][0]["pid"], signal.SIGKILL)
    state = ended(node)
    assert state["attempts"][0]["oom"] is False
    assert state["reason"].startswith("killed by the node (signal 9)")


def test_that_a_task_has_a_control_group_of_its_own_where_it_may(node: LocalNode) -> None:
    probe = cgroups.make(f"clew-test-{os.getpid()}")
    if probe is None:
        pytest.skip("this account may make no control group here")
    probe.remove()
    start(node, node.launch("import os\nif os.fork() == 0:\n    os.setsid()\n" + SLEEP))
    until(lambda: state_of(node)["attempts"])
    group = cgroups.recorded(state_of(node)["attempts"][0]["cgroup"])
    assert group is not None
    until(lambda: len(group.pids()) == 2)
    pids = group.pids()
    assert node.connected[0].link.stop_run(root=node.root, run_id="r-1", grace_s=3) == []
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}/cwd")]
    assert not os.path.exists(group.path)


def test_that_empty_groups_of_tasks_that_were_killed_are_removed_by_the_next() -> None:
    old = cgroups.make(f"clew-test-old-{os.getpid()}")
    if old is None:
        pytest.skip("this account may make no control group here")
    os.utime(old.path, (0, 0))
    new = cgroups.make(f"clew-test-new-{os.getpid()}")
    assert new is not None
    try:
        assert os.path.exists(new.path)
        assert not os.path.exists(old.path)
    finally:
        new.remove()


def test_that_a_record_without_a_control_group_says_so(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a login session: the hierarchy is there, and nothing may be made in it."""
    monkeypatch.setattr(cgroups, "_MOUNTS", "/dev/null")
    assert cgroups.make("clew-test") is None
    assert cgroups.recorded(None) is None
    assert cgroups.memory_events("/nowhere") is None


ON_A_SMALL_DISK = (
    'cd / && mount -t tmpfs -o size=2m tmpfs "$HOME" && cd "$HOME" && exec /bin/sh "$@"'
)
FILL = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
fd = os.open('fill', os.O_WRONLY | os.O_CREAT)
size = 65536
while size:
    try:
        os.write(fd, b'x' * size)
    except OSError:
        size //= 2
signal.sigwait([signal.SIGUSR1])
os._exit(3)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")
def test_that_a_full_disk_is_in_the_record_while_the_task_runs_and_in_its_reason(
    node: LocalNode,
) -> None:
    launch = node.launch(FILL)
    elsewhere = node.tools / "fill.py"
    Path(launch.arguments[0]).rename(elsewhere)
    node.shell = ["unshare", "--mount", "/bin/sh", "-c", ON_A_SMALL_DISK, "x"]
    found = node.connect()
    node.deploy(found.link)
    found.link.start_task(dataclasses.replace(launch, arguments=(str(elsewhere),)))
    root = node.root

    def disk() -> str:
        (task,) = found.link.runs(root=root)
        return str(task.state.get("disk") or "")

    until(lambda: "no space left in" in disk())
    (task,) = found.link.runs(root=root)
    os.kill(task.state["attempts"][0]["pid"], signal.SIGUSR1)
    until(lambda: not node.processes())
    (task,) = found.link.runs(root=root)
    assert task.state["state"] == "failed"
    assert task.state["reason"].startswith("ended with exit status 3; no space left in ")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_that_what_is_wrong_with_a_disk_is_said_and_its_end_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    watch = DiskWatch(str(tmp_path))
    assert not watch.look_now()

    def refuse(path: str, data: bytes, mode: int = 0o600) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(files, "write_new", refuse)
        assert watch.look_now()
        assert watch.trouble
        assert str(tmp_path) in watch.trouble
    assert watch.look_now()
    assert watch.trouble is None
    assert list(tmp_path.iterdir()) == []
