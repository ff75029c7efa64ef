"""The desktop end of an agent's protocol: one agent on one node over one channel."""

from remote.link.bootstrap import COMMAND
from remote.link.environments import KeptOnNode, Made, Order, Packages
from remote.link.items import (
    ControlData,
    Desk,
    DrainedData,
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
from remote.link.sweeping import Kind, Leftover, Removed, Seen, State

__all__ = [
    "COMMAND",
    "AgentLink",
    "ControlData",
    "Desk",
    "DrainedData",
    "FileData",
    "Hello",
    "KeptOnNode",
    "KeptSamples",
    "Kind",
    "Leftover",
    "Made",
    "NoteData",
    "Order",
    "Packages",
    "Removed",
    "SampleData",
    "Seen",
    "State",
    "StateData",
    "StreamFile",
    "StreamItem",
    "TaskLaunch",
    "TaskOnNode",
]
