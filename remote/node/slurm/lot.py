"""One start of a run's job, as its folder on the shared disk has it.

<root>/runs/<run>/slurm/<job>.<restarts>/
    <node>.node.json   what a node has, told by its keeper
    plan.json          where the tasks go; written once, by the first keeper
    failed.json        why they go nowhere
    <node>.log         what the keeper of a node said
"""

import os
import re
import time
from typing import Any, Callable, Dict, List, Optional

from remote.node import files, layout, texts
from remote.node.refused import Refused

ORDER, JOB = "order.json", "job.json"
NODE, PLAN, FAILED = ".node.json", "plan.json", "failed.json"
FOLDER = "slurm"
_START = re.compile(r"([0-9]{1,20})\.([0-9]{1,6})", re.ASCII)
MOST_BYTES = 16 << 20
_LOOK_S = 0.2


class Lot:
    """The folder of one start of a job."""

    def __init__(self, folder: str, job: str, restart: int) -> None:
        self.folder = folder
        self.job = job
        self.restart = restart

    def open(self) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)

    def log(self, node: str) -> str:
        return os.path.join(self.folder, layout.component(node) + ".log")

    def tell(self, facts: Dict[str, Any]) -> None:
        """Let the other keepers know what a node has."""
        name = layout.component(facts["node"]) + NODE
        files.publish(os.path.join(self.folder, name), texts.dumps(facts))

    def nodes(self) -> List[Dict[str, Any]]:
        """What the nodes have that have told so far, in Slurm's order of them."""
        names = [name for name in layout.listing(self.folder) if name.endswith(NODE)]
        found = [self._read(name) for name in names]
        return sorted((f for f in found if f.get("node")), key=lambda f: int(f.get("rank") or 0))

    def decide(self, name: str, document: Dict[str, Any]) -> None:
        """Publish the plan, or why there is none."""
        files.publish(os.path.join(self.folder, name), texts.dumps(document))

    def plan(self) -> Optional[Dict[str, Any]]:
        return self._read(PLAN) or None

    def failed(self) -> Optional[Dict[str, Any]]:
        return self._read(FAILED) or None

    def gathered(self, count: int, limit_s: float, ended: Callable[[], bool]) -> bool:
        """Whether ``count`` nodes have told what they have, within the time."""
        deadline = time.monotonic() + limit_s
        while len(self.nodes()) < count:
            if ended() or time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_S)
        return True

    def decided(self, limit_s: float, ended: Callable[[], bool]) -> Optional[Dict[str, Any]]:
        """The plan, when it is there; None: the job was told to end.

        Raises:
            Refused: there is none, and there will be none.
        """
        deadline = time.monotonic() + limit_s
        while not ended():
            failed = self.failed()
            if failed is not None:
                raise Refused(failed.get("what") or "no plan", failed.get("remedy") or "")
            plan = self.plan()
            if plan is not None:
                return plan
            if time.monotonic() > deadline:
                raise Refused("the first node of the job made no plan in %.0f s" % limit_s)
            time.sleep(_LOOK_S)
        return None

    def _read(self, name: str) -> Dict[str, Any]:
        return files.document(os.path.join(self.folder, name), MOST_BYTES)


def of_run(paths: layout.Layout, run_id: str) -> str:
    """The folder of a run's job."""
    return os.path.join(paths.run(run_id), FOLDER)


def at(folder: str, job: str, restart: int) -> Lot:
    return Lot(os.path.join(folder, "%s.%d" % (job, restart)), job, restart)


def newest(folder: str) -> Optional[Lot]:
    """The last start of the job; None: it has not begun."""
    found = [match for match in map(_START.fullmatch, layout.listing(folder)) if match]
    if not found:
        return None
    last = max(found, key=lambda match: (int(match.group(1)), int(match.group(2))))
    return at(folder, last.group(1), int(last.group(2)))
