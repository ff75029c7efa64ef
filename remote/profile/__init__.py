"""The profile: one YAML file with nodes, environment, storage and training; load, check, save.

Values are read as text and converted by what their field needs, every problem is told at once
with line, column and key, and what is saved loads again as the same value.
"""

from remote.profile.cluster import Cluster, SlurmCluster
from remote.profile.model import (
    VERSION,
    Environment,
    Ports,
    Profile,
    SshDefaults,
    Storage,
)
from remote.profile.override import override
from remote.profile.parts import NodeConfig
from remote.profile.read import Loaded, build, loads
from remote.profile.store import load, save
from remote.profile.write import dumps, to_data

__all__ = [
    "VERSION",
    "Cluster",
    "Environment",
    "Loaded",
    "NodeConfig",
    "Ports",
    "Profile",
    "SlurmCluster",
    "SshDefaults",
    "Storage",
    "build",
    "dumps",
    "load",
    "loads",
    "override",
    "save",
    "to_data",
]
