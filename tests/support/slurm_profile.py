"""Profiles for the Slurm of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

from remote.practice.files import copy_digits
from remote.profile import Profile, build, save
from tests.support.slurm import ACCOUNT, SlurmCluster


def slurm_profile(cluster: SlurmCluster, folder: Path, **asked: object) -> Path:
    """A profile that trains the digits there, in ``folder``; ``asked`` is put in ``slurm``."""
    copy_digits(folder / "digits")
    login = {
        "host": cluster.login.ip,
        "name": "login1",
        "user": ACCOUNT,
        "identity_file": str(cluster.client_key),
    }
    data = {
        "cluster": {"slurm": {"login": login, "nodes": 2, "cpus_per_task": 1, **asked}},
        "environment": {"python": sys.executable},
        "training": {
            "dataset": {"name": "digits", "path": str(folder / "digits")},
            "workers": 2,
            "ps": 1,
            "steps": 300,
        },
    }
    path = folder / "slurm profile.yaml"
    profile = build(data)
    assert isinstance(profile, Profile)
    save(profile, path, None)
    return path


def trust(cluster: SlurmCluster) -> dict[str, str]:
    """What a command's surroundings need so that it knows the login's host key."""
    return {"CLEW_KNOWN_HOSTS": str(cluster.known_hosts)}
