"""The fields of the form of a Slurm cluster: label, help, and what an empty one means. No Qt."""

from __future__ import annotations

from typing import Any

from gui.fields import FieldInfo

_SITE = "as the site has it"


def _field(
    key: str,
    label: str,
    help: str,
    *,
    default: Any = None,
    empty: str = _SITE,
    unit: str = "",
    choices: tuple[str, ...] = (),
) -> FieldInfo:
    return FieldInfo(
        key=key,
        label=label,
        help=help,
        default=default,
        choices=choices,
        optional=default is None,
        unit=unit,
        is_folder=False,
        is_open=bool(choices),
        empty=empty if default is None else "",
    )


LOGIN_FIELDS = (
    _field(
        "login.host",
        "Login node",
        "Where you log in and sbatch is: a host name or an alias of ~/.ssh/config",
        empty="login1",
    ),
    _field("login.user", "User", "Name to log in with", empty="as ssh would"),
    _field("login.port", "Port", "Of the SSH server there", empty="as ssh would"),
)
SIZE_FIELDS = (
    _field("nodes", "Nodes", "How many the job gets", default=1),
    _field("gpus_per_node", "GPUs per node", "0: none, the CPUs train", default=0),
    _field("gpu_type", "GPU type", "Like a100; needs GPUs per node", empty="any", choices=("",)),
    _field("cpus_per_task", "CPUs per node", "Processors that each node's tasks share"),
    _field("memory", "Memory per node", "64G, 500M; 0: all of the node"),
    _field("time", "Time limit", "Minutes, HH:MM:SS or D-HH:MM:SS; then Slurm ends the job"),
)
QUEUE_FIELDS = (
    _field(
        "partition",
        "Partition",
        "Where the job waits; those of the cluster are listed once you are connected",
        choices=("",),
    ),
    _field("account", "Account", "Whose hours are used"),
    _field("qos", "QOS", "Quality of service, where the site has several"),
    _field("constraint", "Constraint", "Features of nodes, like a100&nvlink"),
    _field("reservation", "Reservation", "Nodes set aside, like for a course"),
    _field(
        "address",
        "Data network",
        "How nodes reach each other: put behind their names, like -ib0, or {host}-ib0",
        empty="the nodes' own names",
    ),
    _field(
        "extra",
        "More options",
        "Of sbatch, as on its command line: --exclusive --mail-type=END",
        empty="none",
    ),
)
CARDS = (
    ("Log in", LOGIN_FIELDS),
    ("Ask for", SIZE_FIELDS),
    ("Queue and site", QUEUE_FIELDS),
)
