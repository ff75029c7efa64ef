"""Configuration of a small Slurm: what a site would set, with what tests change of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_SETTINGS = {
    "ClusterName": "clew",
    "SlurmUser": "root",
    "SlurmdUser": "root",
    "AuthType": "auth/munge",
    "CryptoType": "crypto/munge",
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "JobAcctGatherType": "jobacct_gather/linux",
    "AccountingStorageType": "accounting_storage/none",
    "MpiDefault": "none",
    "ReturnToService": "2",
    "SchedulerType": "sched/backfill",
    "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,bf_interval=1",
    "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_CPU_Memory",
    "SlurmdParameters": "config_overrides",
    "GresTypes": "gpu",
    "MessageTimeout": "60",
    "MinJobAge": "300",
    "KillWait": "2",
    "InactiveLimit": "0",
    "SlurmdTimeout": "60",
}
_SSHD = """\
Port 22
ListenAddress {ip}
HostKey {host_key}
PidFile none
AuthorizedKeysFile {authorized}
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PrintLastLog no
LogLevel VERBOSE
MaxSessions 20
Subsystem sftp internal-sftp
SetEnv "PATH={path}"
AcceptEnv LANG LC_*
"""


@dataclass(frozen=True, kw_only=True)
class SlurmOptions:
    """What is special about a cluster.

    ``names``: of its nodes. ``gpus``: of each node. ``gpu_types``: by node, where they differ from
    ``gpu_type``. ``max_time``: the partition's limit, as slurm.conf has it. ``settings``: lines of
    slurm.conf that are set otherwise, as ``{"KillWait": "30"}``; ``{"MaxStepCount": "1"}`` refuses
    every step of a job after the first. ``partitions``: more lines of partitions. ``nvidia_smi``: a
    program of that name for all nodes.
    """

    names: tuple[str, ...] = ("gpu001", "gpu002")
    gpus: int = 4
    gpu_type: str = "a100"
    gpu_types: Mapping[str, str] = field(default_factory=dict)
    cpus: int = 8
    memory_mb: int = 16000
    max_time: str = "INFINITE"
    default_time: str = "60"
    settings: Mapping[str, str] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()
    nvidia_smi: str | None = None

    def type_of(self, node: str) -> str:
        return self.gpu_types.get(node, self.gpu_type)


def slurm_conf(
    options: SlurmOptions, folder: Path, login: tuple[str, str], addresses: Mapping[str, str]
) -> str:
    """The text of slurm.conf; ``login``: name and address of where the controller runs."""
    settings = {
        **_SETTINGS,
        "SlurmctldHost": f"{login[0]}({login[1]})",
        "AuthInfo": f"socket={folder}/munge/socket",
        "StateSaveLocation": f"{folder}/state",
        "SlurmdSpoolDir": f"{folder}/spool/%n",
        "SlurmctldPidFile": f"{folder}/log/slurmctld.pid",
        "SlurmdPidFile": f"{folder}/log/slurmd-%n.pid",
        "SlurmctldLogFile": f"{folder}/log/slurmctld.log",
        "SlurmdLogFile": f"{folder}/log/slurmd-%n.log",
        **options.settings,
    }
    lines = [f"{key}={value}" for key, value in settings.items()]
    for name, address in addresses.items():
        gres = f" Gres=gpu:{options.type_of(name)}:{options.gpus}" if options.gpus else ""
        lines.append(
            f"NodeName={name} NodeHostname={name} NodeAddr={address} CPUs={options.cpus} "
            f"RealMemory={options.memory_mb}{gres} State=UNKNOWN"
        )
    lines.append(
        f"PartitionName=gpu Nodes=ALL Default=YES MaxTime={options.max_time} "
        f"DefaultTime={options.default_time} State=UP DefMemPerCPU=100"
    )
    return "\n".join([*lines, *options.partitions, ""])


def gres_conf(options: SlurmOptions, devices: Path) -> str:
    """The text of gres.conf."""
    lines = ["AutoDetect=off"]
    if options.gpus:
        last = options.gpus - 1
        lines += [
            f"NodeName={name} Name=gpu Type={options.type_of(name)} File={devices}/nvidia[0-{last}]"
            for name in options.names
        ]
    return "\n".join([*lines, ""])


def sshd_conf(ip: str, host_key: Path, authorized: Path, path: str) -> str:
    """The text of sshd_config of the login node."""
    return _SSHD.format(ip=ip, host_key=host_key, authorized=authorized, path=path)
