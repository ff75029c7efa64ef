"""One trial: nodes, a run, the plan's faults, and a look at what became of it all."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chaos import verdict
from tests.chaos.desktop import Desktop
from tests.chaos.faults import Faults
from tests.chaos.nodes import ChaosNodes
from tests.chaos.plan import Plan
from tests.chaos.report import report
from tests.chaos.sight import Sight
from tests.chaos.verdict import Complaint

LIMIT_S = 900.0
"""For one trial, which takes half a minute where nothing else goes on."""
SILENT_S = 240.0
"""A run of which no task does anything for so long hangs: nothing in it waits for longer."""
GONE_S = 60.0
"""What is to go when a run has ended gets so long on a busy machine."""
PROGRAM = Path(__file__).resolve().parent / "program"
_TICK_S = 0.05


class Trial:
    """Runs a plan once, in a folder of its own.

    Args:
        folder: an empty folder; its path must not contain a blank.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self._folder = folder
        self._until = time.monotonic() + LIMIT_S

    def run(self) -> str:
        """What happened, in words. Raises :class:`Complaint` with all that is known."""
        with ChaosNodes(self._folder / "nodes", count=self.plan.nodes) as nodes:
            self._nodes = nodes
            self._sight = Sight(nodes, self.plan.tasks)
            self._desktop = Desktop(
                str(nodes.desk.namespace),
                nodes.desk_disk / "data",
                self._folder / "desk",
                CLEW_KNOWN_HOSTS=str(nodes.known_hosts),
            )
            self._faults = Faults(self.plan.acts, nodes, self._sight, self._desktop)
            try:
                return self._run()
            except Exception as error:  # whatever it was, what is known of it must not be lost
                words = str(error) if isinstance(error, Complaint) else repr(error)
                text = report(
                    words, self.plan, self._nodes, self._sight, self._desktop, self._faults
                )
                raise Complaint(text) from error
            finally:
                self._desktop.kill()

    def _run(self) -> str:
        began = time.monotonic()
        self._desktop.start("run", self._write_profile())
        self._watch()
        self._faults.undo_all()
        result, status = self._desktop.result, self._desktop.status
        assert result is not None
        assert status is not None
        done = self._faults.done
        verdict.check_end(self.plan, result, status, done, self._faults.stopped)
        self._stop_what_was_left(result["left_behind"])
        self._fetch_what_is_missing()
        self._wait_until_nothing_is_left()
        full = {d.node for d in done if d.act.kind == "fill disk" and d.node is not None}
        verdict.check_source(self._sight, full)
        verdict.check_history(self._desktop.data, self._desktop.run_id, self._sight)
        errors = sorted(self._desktop.stderr.parent.glob("err-*.txt"))
        verdict.check_words(self._sight, errors, self._desktop.data)
        reason = f" ({result['reason']})" if result.get("reason") else ""
        took = time.monotonic() - began
        return f"{result['state']} at step {result['global_step']}{reason} in {took:.0f} s"

    def _watch(self) -> None:
        """Until the desktop has told how the run ended."""
        signs, silent_since = self._sight.signs, time.monotonic()
        while True:
            self._sight.look()
            self._desktop.look()
            if self._sight.signs != signs or self._faults.pending:
                signs, silent_since = self._sight.signs, time.monotonic()
            self._faults.tick()
            desktop = self._desktop
            if not desktop.running and not desktop.killed:
                desktop.look()
                if desktop.result is not None and "global_step" in desktop.result:
                    return
                self._start_again()
            now = time.monotonic()
            if now > min(self._until, silent_since + SILENT_S):
                raise Complaint(f"it hangs: nothing for {now - silent_since:.0f} s")
            time.sleep(_TICK_S)

    def _start_again(self) -> None:
        """A command that could not go on because the desktop's disk is full is called again."""
        desktop, faults = self._desktop, self._faults
        words = f"the desktop ended with {desktop.status} and {desktop.result}"
        if not faults.desktop_was_full or "history" not in str(desktop.result):
            raise Complaint(words)
        faults.note(words)
        while faults.pending:
            faults.tick()
            time.sleep(_TICK_S)
        desktop.start("attach", desktop.run_id)

    def _stop_what_was_left(self, left: list[str]) -> None:
        """As the user does who reads that something was left: once more, now that all is well."""
        deadline = time.monotonic() + GONE_S
        while left:
            self._faults.note(f"left behind: {left}; stopped once more")
            self._desktop.start("stop", self._desktop.run_id)
            self._desktop.wait(GONE_S * 2)
            left = (self._desktop.result or {}).get("left_behind", ["no answer"])
            if left and time.monotonic() > deadline:
                raise Complaint(f"stopping once more leaves {left}")

    def _fetch_what_is_missing(self) -> None:
        """A command ends though a node was away: the next one that reaches it fetches the rest."""
        deadline = time.monotonic() + GONE_S
        while gaps := verdict.gaps_of(self._desktop.data, self._desktop.run_id):
            if time.monotonic() > deadline:
                raise Complaint(f"asking once more leaves gaps: {gaps}")
            self._faults.note(f"to be fetched: {gaps}; asked once more")
            self._desktop.start("status", self._desktop.run_id)
            self._desktop.wait(GONE_S * 2)

    def _wait_until_nothing_is_left(self) -> None:
        deadline = time.monotonic() + GONE_S
        while True:
            left = [w for i in range(self.plan.nodes) for w in verdict.left_on(self._nodes, i)]
            left += verdict.final_records(self._sight)
            if not left:
                return
            if time.monotonic() > deadline:
                raise Complaint("left behind: " + "; ".join(left))
            time.sleep(0.2)

    def _write_profile(self) -> Path:
        plan, nodes = self.plan, self._nodes
        listed = [{"host": n.ip, "name": n.name, "port": n.port} for n in nodes.nodes]
        profile = {
            "clew": 1,
            "name": f"chaos {plan.seed}",
            "ssh": {"user": "root", "identity_file": str(nodes.client_key)},
            "nodes": listed,
            "environment": {
                "python": sys.executable,
                "variables": {"CLEW_PATIENCE_S": f"{plan.patience_s:.0f}", "OMP_NUM_THREADS": "1"},
            },
            "training": {
                **self._what_trains(),
                "workers": plan.workers,
                "ps": plan.ps,
                "ps_placement": plan.placement,
                "restart": {"max": 6},
            },
        }
        path = self._folder / "profile.yaml"
        path.write_text(json.dumps(profile), encoding="utf-8")  # JSON is YAML, too
        return path

    def _what_trains(self) -> dict[str, Any]:
        plan = self.plan
        if plan.program == "script":
            command = ["python", "steps.py", str(plan.steps)]
            return {"code": str(PROGRAM), "command": command}
        return {
            "model": "mlp",
            "dataset": {"name": "synthetic"},
            "update": plan.update,
            "replication": plan.replication,
            "batch_size": 16,
            "steps": plan.steps,
            "checkpoint_every_s": 1.0,
        }


@contextlib.contextmanager
def scratch(keep: Path | None = None) -> Iterator[Path]:
    """A folder for one trial; removed afterwards, unless it is to be kept there."""
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep
        return
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
