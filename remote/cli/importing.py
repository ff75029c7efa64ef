"""``clew import``: a run bundle of anybody into this computer's history."""

from __future__ import annotations

from remote.cli.environment import GOOD, Environment
from remote.cli.longwork import LongWork
from remote.cli.text import plain
from remote.cli.view import JsonView
from remote.export.importing import import_bundle


def import_run(env: Environment) -> int:
    """Take the run of a ``.clewrun`` file in."""
    path = env.arguments.file
    with LongWork(env, f"importing {path.name}") as work:
        found = import_bundle(
            env.history, path, progress=work.progress, cancelled=lambda: env.interrupts.count > 0
        )
    if isinstance(env.view, JsonView):
        env.view.write({"type": "result", "run": found.run_id, "state": "ok", "added": found.added})
        return GOOD
    name = f" ({found.name})" if found.name else ""
    if found.added:
        print(plain(f"Run {found.run_id}{name} is in the history now."))
        env.view.say("Look at it in the window, on the Runs page.")
    else:
        print(plain(f"Run {found.run_id}{name} is in the history already: nothing has changed."))
    return GOOD
