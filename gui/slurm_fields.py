"""The fields of the form of a Slurm cluster: label, help, and what an empty one means. No Qt."""

from __future__ import annotations

from typing import Any

from gui.fields import FieldInfo
from gui.language import tr

_SITE = tr("as the site has it")


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
        tr("Login node"),
        tr("Where you log in and sbatch is: a host name or an alias of ~/.ssh/config"),
        empty="login1",
    ),
    _field("login.user", tr("User"), tr("Name to log in with"), empty=tr("as ssh would")),
    _field("login.port", tr("Port"), tr("Of the SSH server there"), empty=tr("as ssh would")),
)
SIZE_FIELDS = (
    _field("nodes", tr("Nodes"), tr("How many the job gets"), default=1),
    _field("gpus_per_node", tr("GPUs per node"), tr("0: none, the CPUs train"), default=0),
    _field(
        "gpu_type", tr("GPU type"), tr("Like a100; needs GPUs per node"), empty="any", choices=("",)
    ),
    _field("cpus_per_task", tr("CPUs per node"), tr("Processors that each node's tasks share")),
    _field("memory", tr("Memory per node"), tr("64G, 500M; 0: all of the node")),
    _field(
        "time", tr("Time limit"), tr("Minutes, HH:MM:SS or D-HH:MM:SS; then Slurm ends the job")
    ),
)
QUEUE_FIELDS = (
    _field(
        "partition",
        tr("Partition"),
        tr("Where the job waits; those of the cluster are listed once you are connected"),
        choices=("",),
    ),
    _field("account", tr("Account"), tr("Whose hours are used")),
    _field("qos", tr("QOS"), tr("Quality of service, where the site has several")),
    _field("constraint", tr("Constraint"), tr("Features of nodes, like a100&nvlink")),
    _field("reservation", tr("Reservation"), tr("Nodes set aside, like for a course")),
    _field(
        "address",
        tr("Data network"),
        tr("How nodes reach each other: put behind their names, like -ib0, or {host}-ib0"),
        empty=tr("the nodes' own names"),
    ),
    _field(
        "extra",
        tr("More options"),
        tr("Of sbatch, as on its command line: --exclusive --mail-type=END"),
        empty="none",
    ),
)
CARDS = (
    (tr("Log in"), LOGIN_FIELDS),
    (tr("Ask for"), SIZE_FIELDS),
    (tr("Queue and site"), QUEUE_FIELDS),
)
