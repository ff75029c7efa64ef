"""A profile whose nodes Slurm gives, as the form's plain data. No Qt."""

from __future__ import annotations

import copy
import shlex
from typing import TYPE_CHECKING, Any

from gui.language import tr

if TYPE_CHECKING:
    from remote.profile import Profile

Data = dict[str, Any]
ISSUES = "cluster.slurm"
LOGIN = "login"
NO_ADDING = tr("Slurm gives the nodes of this profile.")
NO_BOARD = tr(
    "Slurm gives the nodes when the job starts: tasks are placed then, by the same "
    "rules, and not by hand. How many nodes and GPUs there will be is on the Cluster "
    "page."
)
_OF_LOGIN = ("host", "name", "port", "user", "identity_file", "jump")


def slurm_of(data: Data) -> Data | None:
    """What is asked of Slurm; None: the profile names its nodes itself."""
    cluster = data.get("cluster")
    found = cluster.get("slurm") if isinstance(cluster, dict) else None
    return copy.deepcopy(found) if isinstance(found, dict) else None


def with_slurm(data: Data, slurm: Data) -> Data:
    """``data`` with these values of Slurm's; nodes and places that it cannot have go."""
    rest = {key: value for key, value in data.items() if key not in ("nodes", "placement")}
    cluster = data.get("cluster")
    return {**rest, "cluster": {**(cluster if isinstance(cluster, dict) else {}), "slurm": slurm}}


def login_row(slurm: Data) -> Data:
    """The login as an entry of ``nodes``."""
    login = slurm.get(LOGIN)
    return dict(login) if isinstance(login, dict) else {"host": "" if login is None else login}


def with_login(slurm: Data, row: Data) -> Data:
    """``slurm`` with another login; one that is just a host is written as that."""
    kept = {key: row[key] for key in _OF_LOGIN if row.get(key) not in (None, "")}
    login: Any = kept if set(kept) - {"host"} else row.get("host", "")
    return {**slurm, LOGIN: login if login != {} else ""}


def value_of(slurm: Data, key: str) -> Any:
    """The value of a field of the form, ``login.host`` or ``partition``; None: not set."""
    group, _, name = key.rpartition(".")
    return login_row(slurm).get(name) if group else slurm.get(key)


def changed(slurm: Data, key: str, text: str | None) -> Data:
    """``slurm`` with one field as typed; None: as the site has it."""
    group, _, name = key.rpartition(".")
    if group:
        return with_login(slurm, {**login_row(slurm), name: text or ""})
    rest = {other: value for other, value in slurm.items() if other != key}
    if text is None:
        return rest
    return {**rest, key: _options(text) if key == "extra" else text}


def field_issues(issues: list[tuple[str, str]]) -> dict[str, str]:
    """What is wrong, by the form's fields: the first of each."""
    found: dict[str, str] = {}
    for key, message in issues:
        name = "login.host" if key == LOGIN else key
        if name.startswith("extra."):
            name = "extra"
        found.setdefault(name, message)
    return found


def entries(profile: Profile | None) -> list[str]:
    """Names of the machines that one logs in to."""
    return [node.name for node in profile.logins] if profile is not None else []


def is_slurm(profile: Profile | None) -> bool:
    """Whether Slurm gives the nodes of ``profile``."""
    return profile is not None and profile.cluster.slurm is not None


def _options(text: str) -> list[str] | str:
    """Options as in a shell; what has an open quote stays as typed, and is told to be wrong."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]
