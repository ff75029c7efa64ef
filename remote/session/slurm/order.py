"""What the job of a run is told to start: the order that lies beside its records."""

from __future__ import annotations

from typing import Any

from remote.profile import Profile
from remote.session.launching import GRACE_S
from remote.session.prepare import Prepared
from trainer.spec import FINAL_EXITS, RETRIED_EXITS, TrainingSpec, to_json

ORDER_VERSION = 1
DEFAULT_PYTHON = "python3"


def order(
    run_id: str, name: str, profile: Profile, training: TrainingSpec, prepared: Prepared, root: str
) -> dict[str, Any]:
    """The document; see :mod:`remote.node.slurm`.

    Args:
        name: what the user calls the run.
        profile: with ``cluster.slurm``.
        training: with the folder of checkpoints, where the run goes on from another.
        prepared: what lies on the shared disk, by the login node's name.
        root: the storage root there.
    """
    slurm = profile.cluster.slurm
    assert slurm is not None
    restart, login = training.restart, slurm.login.name
    environment = profile.environment
    asked = slurm.model_dump(mode="json", exclude={"login", "address"})
    return {
        "v": ORDER_VERSION,
        "run_id": run_id,
        "name": name,
        "app": prepared.app.digest,
        "training": to_json(training),
        "data_dir": prepared.data_dirs.get(login),
        "code_dir": prepared.code_dirs.get(login),
        "python": prepared.pythons.get(login) or environment.python or DEFAULT_PYTHON,
        "setup": list(environment.setup),
        "variables": dict(environment.variables),
        "ports_first": profile.ports.first,
        "grace_s": GRACE_S,
        "arguments": ["-m", "trainer.script" if training.command else "trainer"],
        "restart": {
            "max": restart.max,
            "policy": restart.policy,
            "backoff_s": restart.backoff_s,
            "backoff_cap_s": restart.backoff_cap_s,
            "reset_after_s": restart.reset_after_s,
        },
        "final_exits": sorted(FINAL_EXITS),
        "retried_exits": sorted(RETRIED_EXITS),
        "max_s": None if training.max_hours is None else training.max_hours * 3600.0,
        "root": root,
        "address": slurm.address or "",
        "slurm": asked,
    }
