"""The variables of a task's process that a plan decides, of a desktop or of a job. Pure."""

import json
from typing import Dict, Mapping, Sequence

NO_GPU = "-1"
"""``CUDA_VISIBLE_DEVICES`` of a task that must not see any."""
OWN_VARIABLES = frozenset((
    "TF_CONFIG", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "PYTHONUNBUFFERED",
    "CLEW_RUN", "CLEW_TASK", "CLEW_NODE", "CLEW_PORTS", "CLEW_ATTEMPT",
))  # fmt: skip
"""Variables that Clew sets itself. ``PYTHONPATH`` is not one: the node puts Clew's before it."""


def task_variables(
    chosen: Mapping[str, str], cluster: str, task: str, gpus: Sequence[str]
) -> Dict[str, str]:
    """The profile's variables, and those that only one task has.

    Args:
        chosen: the profile's; Clew's own names in it are not used.
        cluster: all tasks' addresses as JSON; text, because it is in every task's ``TF_CONFIG``.
        task: like ``worker:0``.
        gpus: what the task may see, in CUDA's words.
    """
    role, _, index = task.partition(":")
    own_task = json.dumps({"type": role, "index": int(index)})
    fixed = {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": ",".join(gpus) or NO_GPU,
        "TF_CONFIG": '{"cluster": %s, "task": %s}' % (cluster, own_task),
    }
    allowed = {name: value for name, value in chosen.items() if name not in OWN_VARIABLES}
    # TensorFlow takes the whole card otherwise; the profile may say so.
    return dict({"TF_FORCE_GPU_ALLOW_GROWTH": "true"}, **dict(allowed, **fixed))
