"""Starts a task under a supervisor that outlives every connection."""

import fcntl
import os
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

from remote.node import (
    endings,
    files,
    layout,
    ports,
    procs,
    reach,
    record,
    supervisor,
    texts,
    wrapper,
)
from remote.node.refused import Refused, from_os_error

if TYPE_CHECKING:
    from remote.node.agent import Agent

_START_LIMIT_S = 20.0
_LOOK_S = 0.05


def start_task(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> record.Record:
    """Write the task's files and start its supervisor; ``payload`` is its spec.json.

    A task that runs, or has ended, is not started again: its record is returned. One that was
    cut off by a reboot is.
    """
    paths = layout.Layout(args["root"], agent.node)
    task_dir = paths.task(args["run_id"], args["task"])
    app = paths.tree("app", "app", args["app"])
    if not os.path.isdir(app):
        raise Refused("the trainer is not on this node", "Send it again.")
    wrapper.check_variables(args["variables"])
    wrapper.wrap([], args["setup"], {})
    try:
        os.makedirs(task_dir, mode=0o700, exist_ok=True)
        os.makedirs(paths.checkpoints(args["run_id"]), mode=0o700, exist_ok=True)
        with _locked(_ports_lock(paths)), _locked(os.path.join(task_dir, layout.START_LOCK)):
            known = _begun(task_dir, agent.node, args)
            if known is not None:
                return known
            if os.path.exists(os.path.join(task_dir, layout.STOP_ORDER)):
                raise Refused("the run was stopped", "Launch a new one.")
            _check_ports(args)
            files.publish(os.path.join(task_dir, layout.SPEC), payload)
            _write_launch(task_dir, app, agent.node, args)
            return _start_supervisor(task_dir, app, agent, args)
    except OSError as error:
        raise from_os_error(error, agent.node, task_dir)


def _begun(task_dir: str, node: str, args: Dict[str, Any]) -> Optional[record.Record]:
    """The record of a task that runs, or has ended; None: it is to be started.

    An agent that was killed may have started a supervisor whose record is yet to come: it is waited
    for, so that the task does not get two.
    """
    deadline = time.monotonic() + _START_LIMIT_S
    while True:
        known = record.load(task_dir)
        if known and (known["state"] in record.FINAL or record.alive(known)):
            return known
        starting = procs.marked(args["run_id"], node, args["task"])
        if not starting or time.monotonic() > deadline:
            return None
        time.sleep(_LOOK_S)


def _check_ports(args: Dict[str, Any]) -> None:
    """Another launch may have planned with the same ports, and have been faster."""
    for port in args["ports"]:
        for holder in ports.promised(port, port):
            if holder.run_id != args["run_id"]:
                what = "port %d went to %s of run %s" % (port, holder.task, holder.run_id)
                raise Refused(what + " a moment ago", "Launch again: it will get other ports.")


def _ports_lock(paths: layout.Layout) -> str:
    return os.path.join(paths.root, "start-%s.lock" % layout.component(paths.node))


def _ports(args: Dict[str, Any]) -> str:
    return ",".join(map(str, args["ports"]))


def _write_launch(task_dir: str, app: str, node: str, args: Dict[str, Any]) -> None:
    document = {
        "v": 1,
        "run_id": args["run_id"],
        "task": args["task"],
        "node": node,
        "argv": [os.path.expanduser(args["python"])] + args["argv"] + [task_dir],
        "setup": args["setup"],
        "env": _environment(app, node, args),
        "restart": args["restart"],
        "final_exits": args["final_exits"],
        "retried_exits": args.get("retried_exits", []),
        "max_s": args.get("max_s"),
        "grace_s": args["grace_s"],
        "ports": args["ports"],
    }
    files.publish(os.path.join(task_dir, layout.LAUNCH), texts.dumps(document))


def _environment(app: str, node: str, args: Dict[str, Any]) -> Dict[str, str]:
    variables: Dict[str, str] = args["variables"]
    given = variables.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    search = [app] + ([given] if given else [])
    fixed = {
        "CLEW_RUN": args["run_id"],
        "CLEW_TASK": args["task"],
        "CLEW_NODE": node,
        ports.VARIABLE: _ports(args),
        "PYTHONPATH": os.pathsep.join(search),
        "PYTHONUNBUFFERED": "1",
    }
    # Keras writes its settings, and what it downloads, into the home otherwise.
    own = {"KERAS_HOME": os.path.join(args["root"], "keras")}
    return dict(own, **dict(variables, **fixed))


def _start_supervisor(
    task_dir: str, app: str, agent: "Agent", args: Dict[str, Any]
) -> record.Record:
    environment = dict(os.environ, PYTHONPATH=app)
    # A PYTHONHOME that belongs to another Python would keep this one from starting.
    environment.pop("PYTHONHOME", None)
    environment.update(CLEW_RUN=args["run_id"], CLEW_TASK=args["task"], CLEW_NODE=agent.node)
    environment[ports.VARIABLE] = _ports(args)
    ready, told = os.pipe()
    log_path = os.path.join(task_dir, layout.SUPERVISOR_LOG)
    try:
        environment[supervisor.READY_FD_VARIABLE] = str(told)
        with open(log_path, "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-s", "-S", "-B", "-m", "remote.node.supervisor", task_dir],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=task_dir,
                env=environment,
                pass_fds=(told,),
            )
        os.close(told)
        told = -1
        # Promised to its processes from here on, and held for them until now.
        reach.let_go(agent, args["ports"])
        process.wait(_START_LIMIT_S)
        if _is_ready(ready):
            known = record.load(task_dir)
            if known is not None:
                return known
        raise Refused("the supervisor did not start" + _last_words(log_path), "See its log there.")
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise Refused("the supervisor did not start in %d s" % _START_LIMIT_S, "Try again.")
    finally:
        os.close(ready)
        if told >= 0:
            os.close(told)


def _is_ready(fd: int) -> bool:
    """Whether the supervisor said so; it closes the pipe when it dies."""
    readable, _, _ = select.select([fd], [], [], _START_LIMIT_S)
    return bool(readable) and os.read(fd, 16) == b"ok\n"


def _last_words(log_path: str) -> str:
    lines: List[str] = endings.tail_lines(log_path, 0)
    return ": " + lines[-1] if lines else ""


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Keep other agents, and other threads of this one, from starting the same, or on its ports."""
    fd = _lock(path)
    try:
        yield
    finally:
        os.close(fd)


def _lock(path: str) -> int:
    """The open file with its lock; another one where a sweep has removed the file meanwhile."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if os.fstat(fd).st_ino == os.stat(path).st_ino:
                return fd
        except FileNotFoundError:
            pass
        except OSError:
            return fd  # a file system without locks: the first record decides
        os.close(fd)
