"""``clew demo``: the whole way, on a practice cluster on this computer."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from remote.cli.commands import launch
from remote.cli.display import has_display
from remote.cli.environment import GOOD, STOPPED, Environment
from remote.cli.export import render
from remote.cli.view import JsonView
from remote.history.database import default_path
from remote.practice import PracticeCluster
from remote.profile import Profile, load, override, save
from remote.session.connections import KNOWN_HOSTS_VARIABLE

_POLL_S = 0.1
_LEAVE_S = 8.0
"""How long a task of a demo that was left may take for its last checkpoint."""
_KILL_S = 10.0
"""How long a killed task may take to be gone: on a busy machine its memory is freed slowly."""


def demo(env: Environment) -> int:
    """Open the window on a practice cluster; or, without a display, make a run there."""
    folder = default_path().parent / "practice"
    with PracticeCluster(folder, nodes=env.arguments.nodes) as cluster:
        before = {process.pid for process in cluster.left_running()}
        try:
            if env.arguments.headless or env.json or not has_display():
                return _headless(env, cluster)
            return _window(env, cluster)
        finally:
            env.close_session()
            _end_tasks(cluster, before)


def _end_tasks(cluster: PracticeCluster, before: set[int]) -> None:
    """End what this demo left on its nodes: nobody can reach them any more."""
    for number, limit_s in ((signal.SIGTERM, _LEAVE_S), (signal.SIGKILL, _KILL_S)):
        deadline = time.monotonic() + limit_s
        told: set[int] = set()
        while time.monotonic() < deadline:
            left = {p.pid for p in cluster.left_running()} - before
            if not left:
                return
            for pid in left - told:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            told |= left
            time.sleep(_POLL_S)


def _window(env: Environment, cluster: PracticeCluster) -> int:
    """The window in a process of its own, as long as the nodes live in this one."""
    variables = {**os.environ, KNOWN_HOSTS_VARIABLE: str(cluster.known_hosts)}
    profile = cluster.folder / "demo.yaml"
    save(_profile(env, cluster), profile)
    command = [sys.executable, "-m", "gui.entry", str(profile), "--launch"]
    env.view.say(f"{len(cluster.nodes)} practice nodes are ready until the window is closed.")
    with subprocess.Popen(command, env=variables) as window:
        while window.poll() is None:
            if env.interrupts.count:
                window.terminate()
                window.wait()
                return STOPPED
            time.sleep(_POLL_S)
        return window.returncode


def _headless(env: Environment, cluster: PracticeCluster) -> int:
    profile = _profile(env, cluster)
    env.show_for(profile.training)
    session = env.session(profile, str(cluster.profile), [cluster.known_hosts])
    status = launch(env, session, profile.training)
    if status != GOOD:
        return status
    run_id = env.history.find("last").run_id
    target = env.arguments.png or Path(f"clew-demo-{run_id}.png")
    path = render(run_id, target)
    if not isinstance(env.view, JsonView):
        print(f"charts              {path}")
    return status


def _profile(env: Environment, cluster: PracticeCluster) -> Profile:
    profile = load(cluster.profile).profile
    if env.arguments.steps is not None:
        return override(profile, [f"training.steps={env.arguments.steps}"])
    return profile
