"""What each field of a profile accepts: values that are safe to hand to ``ssh`` and to paths.

Each function takes the field's value as read and raises :class:`ValueError` with one sentence.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Union, get_args

from pydantic import BeforeValidator, PlainValidator

from remote.profile.convert import choice, text, whole
from remote.profile.requirement import requirement
from remote.profile.secret import VARIABLES_LIVE_ON_NODES, is_secret
from remote.profile.words import show

MAX_PORT = 65535
MAX_FIRST_PORT = 65000
"""Leaves ports above it for the tasks of one node."""
_HOST_CHARACTERS = re.compile(r"[\w.:%+-]+")
_MARKS_IN_HOSTS = re.compile(r"[\u0300-\u036f]")
# What OpenSSH itself refuses in a user name, because ProxyCommand and Match exec see a shell.
_NOT_IN_USERS = re.compile(r"[\s'\"`$;&<>|(){}]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_NAME_BYTES = 200
"""A node's name is a folder's name on the nodes; 255 bytes are the limit there."""


def host(value: object) -> str:
    """A host name, an alias of ``~/.ssh/config``, or an address; IPv6 without brackets."""
    found = text(value, "gpu001")
    bare = found.strip()
    if bare.startswith("["):
        raise ValueError(f"must be written without brackets, like 2001:db8::5, not {show(found)}")
    if "@" in bare:
        raise ValueError(
            f"must be a host alone, like gpu001, not {show(found)}; user has its own key"
        )
    if bare.startswith("-"):
        raise ValueError(f"must not begin with a dash: {show(found)}; write a host like gpu001")
    if not _HOST_CHARACTERS.fullmatch(_MARKS_IN_HOSTS.sub("", found)):
        message = (
            "must be one host name or address, like gpu001, without blanks or special characters"
        )
        raise ValueError(f"{message}, not {show(found)}")
    if ":" in bare and not _is_ipv6(bare):
        raise ValueError(
            f"must be a host alone, like gpu001, not {show(found)}; port has its own key"
        )
    return found


def user(value: object) -> str:
    """A login name that ``ssh`` would take on its command line."""
    found = text(value, "ana")
    if found.startswith("-") or found.endswith("\\") or _NOT_IN_USERS.search(found):
        raise ValueError(f"must be a login name like ana, not {show(found)}")
    return found


def jump(value: object) -> str:
    """``[user@]host[:port]``, several with commas, as ``ProxyJump`` has it."""
    found = text(value, "bastion")
    for hop in found.split(","):
        account, _, place = hop.strip().rpartition("@")
        if ":" in account:
            raise ValueError("must not hold a password; write for example ana@bastion:22")
        try:
            if account:
                user(account)
            _host_and_port(place)
        except ValueError:
            message = f"must be hosts like bastion or ana@bastion:22, not {show(found)}"
            raise ValueError(message) from None
    return found


def port(value: object) -> int:
    """A TCP port."""
    return _within(whole(value, 2222), 1, MAX_PORT, 2222)


def first_port(value: object) -> int:
    """The first TCP port that tasks may listen on."""
    return _within(whole(value, 2220), 1, MAX_FIRST_PORT, 2220)


def gpus(value: object) -> Gpus:
    """``all``, ``none``, or ``nvidia-smi``'s numbers: ``[0, 1]``, ``0``, ``"0,1"``."""
    if isinstance(value, str):
        word = value.strip()
        if word == "all":
            return "all"
        if word == "none":
            return "none"
        items: Sequence[object] = word.split(",")
    else:
        items = value if isinstance(value, Sequence) else [value]
    try:
        numbers = tuple(whole(item, 0) for item in items)
    except ValueError:
        raise ValueError(
            f"must be all, none, or GPU numbers like [0, 1], not {_list(value)}"
        ) from None
    if any(index < 0 or index > 1023 for index in numbers):
        raise ValueError(f"must be GPU numbers from 0 on, like [0, 1], not {_list(value)}")
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"must name each GPU once, like [0, 1], not {_list(value)}")
    return numbers or "none"


def name(value: object) -> str:
    """A profile's name: any text in one line; empty where it has none."""
    return value if value == "" else text(value, "lab")


def node_name(value: object) -> str:
    """A node's name: it is shown, typed in commands, and a folder on the nodes."""
    found = text(value, "gpu001")
    if "/" in found or found in (".", "..") or found.startswith("-") or found != found.strip():
        message = "must not contain a slash, begin with a dash, or begin or end with a blank"
        raise ValueError(f"{message}: {show(found)}; write for example gpu001")
    if len(found.encode("utf-8", "replace")) > _MAX_NAME_BYTES:
        raise ValueError(f"must be shorter than {_MAX_NAME_BYTES} bytes, like gpu001")
    return found


def file_path(value: object) -> str:
    """A path on this computer, as written; ``~`` is expanded by who uses it."""
    return text(value, "~/.ssh/id_ed25519")


def program(value: object) -> str:
    """A Python on the nodes: a path, or a name to be looked up there."""
    found = text(value, "~/venvs/tf/bin/python")
    if found.startswith("-"):
        raise ValueError(f"must be a path like ~/venvs/tf/bin/python, not {show(found)}")
    return found


def root(value: object) -> str:
    """The folder on each node that everything of Clew's is under."""
    found = text(value, "~/.clew")
    if not found.startswith(("/", "~")):
        raise ValueError(
            f"must be an absolute path, or begin with ~, like ~/.clew, not {show(found)}"
        )
    if ".." in found.split("/"):
        raise ValueError(f"must not contain .., like ~/.clew, not {show(found)}")
    return found


def setup_line(value: object) -> str:
    """One line of shell, run before a task's Python."""
    return text(value, '"module load cuda/12.4"', allowed="\t")


def variable(value: object) -> str:
    """Name of an environment variable."""
    if isinstance(value, str) and _VARIABLE.fullmatch(value):
        if is_secret(value):
            raise ValueError(VARIABLES_LIVE_ON_NODES)
        return value
    raise ValueError(f"must be a variable's name like OMP_NUM_THREADS, not {show(value)}")


def variable_value(value: object) -> str:
    """Any text without a zero byte, the empty one too."""
    if not isinstance(value, str):
        raise ValueError(f'must be a text like "4" ("" for an empty one), not {show(value)}')
    if re.search("[\0\ud800-\udfff]", value):
        raise ValueError(f"must not contain a zero byte or half a character: {show(value)}")
    return value


def wheel_source(value: object) -> str:
    """Where a node gets the packages of its environment from."""
    return choice(value, get_args(Wheels))


Gpus = Union[Literal["all", "none"], tuple[int, ...]]
Wheels = Literal["auto", "index", "desktop"]
Host = Annotated[str, BeforeValidator(host)]
User = Annotated[str, BeforeValidator(user)]
Jump = Annotated[str, BeforeValidator(jump)]
Port = Annotated[int, BeforeValidator(port)]
FirstPort = Annotated[int, BeforeValidator(first_port)]
GpuChoice = Annotated[Gpus, PlainValidator(gpus)]
Name = Annotated[str, BeforeValidator(name)]
NodeName = Annotated[str, BeforeValidator(node_name)]
FilePath = Annotated[str, BeforeValidator(file_path)]
Program = Annotated[str, BeforeValidator(program)]
Root = Annotated[str, BeforeValidator(root)]
SetupLine = Annotated[str, BeforeValidator(setup_line)]
Variable = Annotated[str, BeforeValidator(variable)]
VariableValue = Annotated[str, BeforeValidator(variable_value)]
Requirement = Annotated[str, BeforeValidator(requirement)]
WheelSource = Annotated[Wheels, BeforeValidator(wheel_source)]


def _within(found: int, low: int, high: int, example: int) -> int:
    if low <= found <= high:
        return found
    raise ValueError(f"must be between {low} and {high}, like {example}, not {show(found)}")


def _is_ipv6(found: str) -> bool:
    try:
        ipaddress.IPv6Address(found)
    except ValueError:
        return False
    return True


def _host_and_port(place: str) -> None:
    bracketed = re.fullmatch(r"\[(?P<host>[^]]+)\](?::(?P<port>[0-9]+))?", place)
    plain = re.fullmatch(r"(?P<host>[^:]+):(?P<port>[0-9]+)", place)
    match = bracketed or plain
    host(match["host"] if match else place)
    if match and match["port"]:
        port(match["port"])


def _list(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        inside = ", ".join(str(item)[:10] for item in value[:4])
        return show(f"[{inside}{', …' if len(value) > 4 else ''}]")
    if isinstance(value, Mapping):
        return "a mapping"
    return show(value)
