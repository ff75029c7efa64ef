"""The batch script of a run's job: one step with a keeper on every node.

``--signal`` warns the step's processes some time before the time limit. It reaches all of them, so
it is a signal that whoever does not know it ignores; the keepers take it for a word (see
``remote.node.slurm.keeper``). SIGTERM, which a cancelled job gets, goes to the script as well: it
stays until the step has ended, or Slurm would kill what is about to save a checkpoint.
"""

import shlex
from typing import Any, Dict

from remote.node import layout
from remote.node.slurm import times

WARNING = "URG"
_LONGEST_WARNING_S, _SHORTEST_WARNING_S = 180, 10
_BODY = """
cd {folder} || exit 1
export PYTHONPATH={app}
unset PYTHONHOME
python={python}
[ -x "$python" ] || python=python3
trap : TERM INT
srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \\
    ${{SLURM_CPUS_PER_TASK:+--cpus-per-task="$SLURM_CPUS_PER_TASK"}} --kill-on-bad-exit=0 \\
    "$python" -s -B -m remote.node.slurm.keeper {root} {run} < /dev/null &
step=$!
wait "$step"
status=$?
while kill -0 "$step" 2> /dev/null; do  # the wait was cut short by a signal
    wait "$step"
    status=$?
done
exit "$status"
"""


def batch_script(order: Dict[str, Any], folder: str, python: str) -> str:
    """The text of the script.

    Args:
        order: what is in ``order.json``.
        folder: the run's folder on the shared disk that holds it.
        python: runs the keepers, where it is there; else the first ``python3``.
    """
    app = layout.Layout(order["root"], "").tree("app", "app", order["app"])
    body = _BODY.format(
        folder=shlex.quote(folder),
        app=shlex.quote(app),
        python=shlex.quote(python),
        root=shlex.quote(order["root"]),
        run=shlex.quote(order["run_id"]),
    )
    return "#!/bin/bash\n#SBATCH --signal=%s@%d\n%s" % (WARNING, warning_s(order), body)


def warning_s(order: Dict[str, Any]) -> int:
    """Seconds before the time limit: a tenth of it, within bounds."""
    known, limit_s = times.limit(str((order.get("slurm") or {}).get("time") or ""))
    if not known or limit_s is None:
        return _LONGEST_WARNING_S
    return max(_SHORTEST_WARNING_S, min(_LONGEST_WARNING_S, limit_s // 10))
