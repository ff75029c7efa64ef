"""The desktop end of an agent's protocol: one agent on one node over one channel."""

from remote.link.bootstrap import COMMAND
from remote.link.environments import KeptOnNode, Made, Order, Packages
from remote.link.items import (
    ControlData,
    Desk,
    FileData,
    Hello,
    KeptSamples,
    NoteData,
    SampleData,
    StateData,
    StreamFile,
    StreamItem,
    TaskLaunch,
    TaskOnNode,
)
from remote.link.link import AgentLink
from remote.link.relay import Behind, How, RelayChannel
from remote.link.slurm import (
    Allocation,
    LentNode,
    LentTask,
    Partition,
    SlurmClient,
    SlurmJob,
    SlurmLook,
    SlurmRun,
    Submitted,
)
from remote.link.sweeping import Kind, Leftover, Removed, Seen, State

__all__ = [
    "COMMAND",
    "AgentLink",
    "Allocation",
    "Behind",
    "ControlData",
    "Desk",
    "FileData",
    "Hello",
    "How",
    "KeptOnNode",
    "KeptSamples",
    "Kind",
    "Leftover",
    "LentNode",
    "LentTask",
    "Made",
    "NoteData",
    "Order",
    "Packages",
    "Partition",
    "RelayChannel",
    "Removed",
    "SampleData",
    "Seen",
    "SlurmClient",
    "SlurmJob",
    "SlurmLook",
    "SlurmRun",
    "State",
    "StateData",
    "StreamFile",
    "StreamItem",
    "Submitted",
    "TaskLaunch",
    "TaskOnNode",
]
