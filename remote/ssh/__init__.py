"""SSH: config files, host keys, authentication, jump hosts, one connection per node."""

from remote.ssh.command_consent import CommandConsent
from remote.ssh.config_hosts import ConfigHost, ConfigHosts, list_hosts
from remote.ssh.connector import SshConnector
from remote.ssh.host_keys import HostKeys
from remote.ssh.keyring_store import KeyringStore
from remote.ssh.pool import SshPool
from remote.ssh.prompts import (
    CommandQuestion,
    HostKeyQuestion,
    NoPrompter,
    Prompter,
    Secret,
    SecretQuestion,
)
from remote.ssh.resolve import ConfigSource, resolve
from remote.ssh.secret_cache import SecretCache
from remote.ssh.target import Fields, SshTarget

__all__ = [
    "CommandConsent",
    "CommandQuestion",
    "ConfigHost",
    "ConfigHosts",
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
    "list_hosts",
    "resolve",
]
