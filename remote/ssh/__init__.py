"""SSH: config files, host keys, authentication, jump hosts, one connection per node."""

from remote.ssh.connector import SshConnector
from remote.ssh.host_keys import HostKeys
from remote.ssh.keyring_store import KeyringStore
from remote.ssh.pool import SshPool
from remote.ssh.prompts import HostKeyQuestion, NoPrompter, Prompter, Secret, SecretQuestion
from remote.ssh.resolve import ConfigSource, resolve
from remote.ssh.secret_cache import SecretCache
from remote.ssh.target import Fields, SshTarget

__all__ = [
    "ConfigSource",
    "Fields",
    "HostKeyQuestion",
    "HostKeys",
    "KeyringStore",
    "NoPrompter",
    "Prompter",
    "Secret",
    "SecretCache",
    "SecretQuestion",
    "SshConnector",
    "SshPool",
    "SshTarget",
    "resolve",
]
