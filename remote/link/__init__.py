"""The desktop end of an agent's protocol: one agent on one node over one channel."""

from remote.link.bootstrap import COMMAND
from remote.link.environments import KeptOnNode, Made, Order, Packages
from remote.link.items import (
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

__all__ = [
    "COMMAND",
    "AgentLink",
    "FileData",
    "Hello",
    "KeptOnNode",
    "KeptSamples",
    "Made",
    "NoteData",
    "Order",
    "Packages",
    "SampleData",
    "StateData",
    "StreamFile",
    "StreamItem",
    "TaskLaunch",
    "TaskOnNode",
]
