"""What a job runs on every node: starts the supervisors of its tasks, and stays until they end.

``PYTHONPATH=<app> python3 -m remote.node.slurm.keeper ROOT RUN`` is one task of the job's step.
Keepers tell each other over the shared disk what their nodes have; the first makes the plan. From
then on everything is as on any other node: the same supervisors, records and orders.

Signals: SIGURG is Slurm's warning that the time limit is near (``remote.node.slurm.script``): the
run is stopped after a checkpoint. SIGTERM ends the job: cancelled, preempted, or its time is up.
Slurm gives both to all processes of the step, so the order only adds the reason and the patience.
"""

import importlib
import os
import signal
import sys
import threading
import time
from typing import Any, Dict, List, Mapping, Optional

from remote.node import agent, files, launch, layout, orders, procs, record, texts
from remote.node.refused import Refused
from remote.node.slurm import again, lent, lot, places

MEET_S = 180.0
"""So long the nodes of a job wait for each other; a prolog may keep one of them busy."""
CHECKPOINT_S = 150.0
"""Patience for a last checkpoint after the warning; the time limit ends it in any case."""
END_S = 20.0
"""Patience after SIGTERM; Slurm kills after KillWait, 30 s where nobody chose otherwise."""
_TICK_S = 0.3
_LINGER_S = 20.0
"""So long processes of tasks that have ended are waited for."""
FINISHED, FAILED = 0, 1


class Keeper:
    """One node's part of one start of the job."""

    def __init__(self, root: str, run_id: str, env: Mapping[str, str]) -> None:
        self._run_id = run_id
        self._env = env
        self._facts: Dict[str, Any] = {}
        self._node = env.get("SLURMD_NODENAME") or os.uname().nodename
        self._paths = layout.Layout(root, self._node)
        folder = lot.of_run(self._paths, run_id)
        self._order = files.document(os.path.join(folder, lot.ORDER), lot.MOST_BYTES)
        self._job = env["SLURM_JOB_ID"]
        restart = env.get("SLURM_RESTART_COUNT") or "0"
        self._lot = lot.at(folder, self._job, int(restart))
        self._mail = os.path.join(folder, "mail", layout.component(self._node))
        self._ordered: Optional[str] = None
        self._wanted: Optional[str] = None
        self._stop = threading.Event()

    def run(self) -> int:
        """See the node's tasks through; the keeper's exit status."""
        self._catch_signals()
        if not self._order:
            raise Refused("the run's order cannot be read", "Launch it again.")
        self._lot.open()
        self._open_mail()
        try:
            return self._keep()
        finally:
            self._stop.set()

    def _keep(self) -> int:
        if self._lot.restart:
            over = again.why_over(self._paths, self._run_id)
            if over:
                _say("nothing to do: %s" % over)
                return FINISHED
            self._end_earlier_processes()
            again.lift_order(self._paths, self._run_id)
        self._facts = lent.facts(self._order, self._env)
        self._lot.tell(self._facts)
        plan = self._plan()
        if plan is None:
            return FINISHED  # it was told to end before anything was started
        own = [task for task in plan["tasks"] if task["node"] == self._node]
        folders = [self._start(plan, task) for task in own]
        return self._see_through(folders)

    def _end_earlier_processes(self) -> None:
        """What the last start has left here has had its order; it must not see this start's files.

        Where Slurm follows processes by their parents, supervisors outlive their job.
        """
        deadline = time.monotonic() + END_S
        while True:
            there = procs.marked(self._run_id, self._node)
            if not there:
                return
            if time.monotonic() > deadline:
                for pid in there:
                    procs.signal_quietly(pid, signal.SIGKILL)
            time.sleep(_TICK_S)

    def _plan(self) -> Optional[Dict[str, Any]]:
        limit_s = float(self._env.get("CLEW_MEET_S") or MEET_S)
        if self._facts["rank"] == 0 and self._lot.plan() is None:
            try:
                if not self._decide(limit_s):
                    return None
            except Refused as error:
                self._lot.decide(lot.FAILED, {"what": error.what, "remedy": error.remedy})
                raise
        return self._lot.decided(2 * limit_s, self._is_told_to_end)

    def _decide(self, limit_s: float) -> bool:
        """Make the plan, as the first node; False: the job was told to end."""
        count = int(self._env.get("SLURM_JOB_NUM_NODES") or self._env.get("SLURM_NNODES") or 1)
        if not self._lot.gathered(count, limit_s, self._is_told_to_end):
            if self._is_told_to_end():
                return False
            there = [node["node"] for node in self._lot.nodes()]
            what = "%d of the job's %d nodes came (%s) within %.0f s" % (
                len(there), count, ", ".join(there), limit_s,
            )  # fmt: skip
            remedy = "Check that storage.root is on a disk that all nodes share."
            raise Refused(what, remedy)
        plan = places.make_plan(self._order, self._lot.nodes(), self._job)
        if self._lot.restart:
            again.take_up(self._paths, self._run_id, plan["tasks"])
        self._lot.decide(lot.PLAN, plan)
        return True

    def _start(self, plan: Mapping[str, Any], task: Mapping[str, Any]) -> str:
        """Start one task's supervisor; the task's folder."""
        order = self._order
        spec = {
            "run_id": self._run_id,
            "task": task["task"],
            "cluster": plan["cluster"],
            "training": order["training"],
            "data_dir": order.get("data_dir"),
            "checkpoint_dir": self._paths.checkpoints(self._run_id),
            "code_dir": order.get("code_dir"),
        }
        args = {
            "root": self._paths.root,
            "app": order["app"],
            "run_id": self._run_id,
            "name": order.get("name", ""),
            "task": task["task"],
            "python": order["python"],
            "argv": order["arguments"],
            "setup": order["setup"],
            "variables": places.environment(order, plan, task),
            "ports": [task["port"]],
            "grace_s": order["grace_s"],
            "restart": order["restart"],
            "final_exits": order["final_exits"],
            "retried_exits": order.get("retried_exits", []),
            "max_s": order.get("max_s"),
        }
        stand_in = agent.Agent(self._node, -1, -1)
        try:
            launch.start_task(stand_in, 0, args, texts.dumps(spec))
        except Refused as error:
            what = "%s on %s: %s" % (task["task"], self._node, error.what)
            self._lot.decide(lot.FAILED, {"what": what, "remedy": error.remedy})
            self._give(orders.NOW, "%s: %s" % (again.BY, what))
            raise
        return self._paths.task(self._run_id, task["task"])

    def _see_through(self, folders: List[str]) -> int:
        """Until all tasks here have ended and nothing of them is left."""
        while True:
            self._pass_on()
            known = [record.load(folder) for folder in folders]
            if all(each is not None and each["state"] in record.FINAL for each in known):
                break
            time.sleep(_TICK_S)
        deadline = time.monotonic() + _LINGER_S
        while procs.marked(self._run_id, self._node) and time.monotonic() < deadline:
            time.sleep(_TICK_S)
        failed = [each for each in known if each is not None and each["state"] == "failed"]
        for each in failed:
            _say("%s failed: %s" % (each.get("task"), each["reason"]))
        return FAILED if failed else FINISHED

    def _pass_on(self) -> None:
        """Turn what Slurm's signals said into an order for all of the run."""
        if self._wanted is None or self._wanted == self._ordered:
            return
        self._ordered = self._wanted
        if self._wanted == orders.CHECKPOINT:
            by = "%s: the time limit of job %s is near" % (again.BY, self._job)
            self._give(orders.CHECKPOINT, by, CHECKPOINT_S)
        else:
            self._give(orders.NOW, "%s, which ends job %s" % (again.BY, self._job), END_S)

    def _give(self, depth: str, by: str, grace_s: Optional[float] = None) -> None:
        folder = self._paths.run(self._run_id)
        known = orders.read(folder)
        if known is not None and not known.by.startswith(again.BY) and known.depth != depth:
            return  # the user's own stop is under way, and is what is true
        try:
            orders.write(folder, depth, by, grace_s)
        except OSError as error:
            _say("no order could be left: %s" % error)

    def _is_told_to_end(self) -> bool:
        return self._wanted is not None or orders.read(self._paths.run(self._run_id)) is not None

    def _catch_signals(self) -> None:
        signal.signal(signal.SIGURG, lambda number, frame: self._want(orders.CHECKPOINT))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: self._want(orders.NOW))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _want(self, depth: str) -> None:
        if self._wanted != orders.NOW:
            self._wanted = depth

    def _open_mail(self) -> None:
        """Serve whoever reaches this node by files, where that part is there."""
        try:
            mailbox = importlib.import_module("remote.node.slurm.mailbox")
        except ImportError:
            return
        os.makedirs(self._mail, mode=0o700, exist_ok=True)
        threading.Thread(target=mailbox.serve, args=(self._mail, self._stop), daemon=True).start()


def _say(text: str) -> None:
    sys.stderr.write("clew: %s\n" % text)
    sys.stderr.flush()


def main(arguments: List[str]) -> int:
    """Keep the calling node; every failure is one line in the job's output."""
    root, run_id = (texts.to_system(text) for text in arguments[:2])
    try:
        return Keeper(root, run_id, os.environ).run()
    except Refused as error:
        _say("%s%s" % (error.what, " " + error.remedy if error.remedy else ""))
    except OSError as error:
        _say("%s: %s" % (error.filename or root, error.strerror or error))
    return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
