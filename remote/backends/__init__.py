"""Where nodes come from: the user's own, by SSH, or those that a scheduler gives for a time.

Above this nothing needs to know which it is: a node is a name and a way to an agent on it.
"""

from remote.backends.base import Backend
from remote.backends.slurm import SlurmBackend, SlurmConnector
from remote.backends.ssh import SshBackend

__all__ = ["Backend", "SlurmBackend", "SlurmConnector", "SshBackend"]
