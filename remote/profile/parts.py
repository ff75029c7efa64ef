"""What every part of a profile is, and one machine as ``nodes`` and a login have it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from remote.profile.fields import FilePath, GpuChoice, Host, Jump, NodeName, Port, User


class Part(BaseModel):
    """A mapping with the keys of its fields and no others; equal when all values are."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class NodeConfig(Part):
    """One machine. ``host`` is how SSH reaches it, ``address`` how the other nodes do."""

    host: Host
    name: NodeName = Field(default_factory=lambda data: str(data["host"]))
    port: Port | None = None
    user: User | None = None
    identity_file: FilePath | None = None
    jump: Jump | None = None
    address: Host | None = None
    """None: what ``host`` resolves to."""
    gpus: GpuChoice = "all"
    """``all``, ``none``, or a tuple of ``nvidia-smi``'s numbers."""

    @model_validator(mode="before")
    @classmethod
    def _a_text_is_a_host(cls, data: Any) -> Any:
        return {"host": data} if isinstance(data, str) else data
