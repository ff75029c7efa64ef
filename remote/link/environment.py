"""The variables that a task's process is given, beyond those that its node adds."""

from __future__ import annotations

import json

from remote.link.items import TaskLaunch


def of_task(launch: TaskLaunch) -> dict[str, str]:
    """Profile, then what TensorFlow must be told, then the plan; later ones win.

    Without a GPU from the plan a task sees none: TensorFlow would take the memory of all.
    The node adds ``PYTHONPATH`` and the run's token (``remote.node.launch``).
    """
    spec = launch.spec
    cluster = {
        "cluster": spec.cluster.as_dict(),
        "task": {"type": spec.task.role, "index": spec.task.index},
    }
    fixed = {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CONFIG": json.dumps(cluster),
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    }
    return {**launch.variables, **fixed, **launch.environment}
