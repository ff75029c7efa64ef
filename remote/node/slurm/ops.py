"""The agent's operations on a login of Slurm: look, submit, see how the job stands, cancel."""

import importlib
import sys
from typing import TYPE_CHECKING, Any, Dict

from remote.node import layout
from remote.node.slurm import commands, partitions, queue, standing
from remote.node.slurm.submission import Submission

if TYPE_CHECKING:
    from remote.node.agent import Agent


def slurm_look(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """Version, cluster and partitions; ``setup`` of the request may bring the clients."""
    setup = args.get("setup") or []
    version = commands.run(["sinfo", "--version"], setup=setup).split()
    return {
        "version": version[-1] if version else "",
        "cluster": queue.setting("ClusterName", "", setup),
        "accounting": not queue.setting("AccountingStorageType", "", setup).endswith("/none"),
        "partitions": partitions.partitions(setup),
    }


def slurm_submit(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> Dict[str, Any]:
    """Submit the run's job, unless it is submitted already."""
    script = importlib.import_module("remote.node.slurm.script")

    def make(order: Dict[str, Any], folder: str) -> str:
        text: str = script.batch_script(order, folder, sys.executable or "python3")
        return text

    return _submission(agent, args).submit(args["order"], make)


def slurm_job(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """How the run's job stands; see :func:`~remote.node.slurm.standing.empty` for the fields."""
    submission = _submission(agent, args)
    setup = submission.setup()
    known = submission.known()
    if known is None:
        try:
            known = submission.found(setup)
        except commands.Silent as error:
            return dict(standing.empty(words=error.what), state="unknown")
    if known is None:
        return standing.empty(words="no job was submitted for this run")
    return standing.stands(known, setup)


def slurm_cancel(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> Dict[str, Any]:
    """End the run's job, or take it out of the queue; none is submitted any more."""
    _submission(agent, args).cancel()
    return {}


def _submission(agent: "Agent", args: Dict[str, Any]) -> Submission:
    return Submission(layout.Layout(args["root"], agent.node), args["run_id"])
