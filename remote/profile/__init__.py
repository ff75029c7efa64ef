"""The profile: one YAML file with nodes, environment, storage and training; load, check, save.

Values are read as text and converted by what their field needs, every problem is told at once
with line, column and key, and what is saved loads again as the same value.
"""

from remote.profile.model import (
    VERSION,
    Environment,
    NodeConfig,
    Ports,
    Profile,
    SshDefaults,
    Storage,
)
from remote.profile.override import override
from remote.profile.read import Loaded, build, loads
from remote.profile.store import load, save
from remote.profile.write import dumps, to_data

__all__ = [
    "VERSION",
    "Environment",
    "Loaded",
    "NodeConfig",
    "Ports",
    "Profile",
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
