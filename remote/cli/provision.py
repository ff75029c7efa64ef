"""``clew provision``: make the nodes' environments ahead of a launch, or remove old ones."""

from __future__ import annotations

import sys
import time

from remote.cli.environment import FAILED, GOOD, STOPPED, Environment
from remote.cli.text import error_text, moment, plain, size
from remote.cli.view import JsonView
from remote.cli.work import Work
from remote.errors import ClewError
from remote.session import ClusterSession, Unneeded, provision_all, remove, unneeded

_END_S = 30.0


def provision(env: Environment) -> int:
    """Make all environments; or, with ``--prune``, remove those that nobody needs."""
    profile = env.profile()
    session = env.session(profile, str(env.arguments.profile))
    if not env.connect(session):
        return STOPPED
    bad = env.tell_bad_nodes(session)
    if env.arguments.prune:
        return _prune(env, session)
    began = time.monotonic()
    work = Work(lambda stop: provision_all(session, stop))
    if not env.pump(lambda: work.ended):
        work.cancel()
        work.join(_END_S)
        return STOPPED
    outcome = work.result()
    env.view.close()
    for name, python in outcome.succeeded.items():
        _tell(env, {"type": "environment", "node": name, "python": python}, f"{name}  {python}")
    for error in outcome.failed.values():
        env.view.say(f"Problem: {error_text(error)}")
    failed = len(outcome.failed) + len(bad)
    if not env.json:
        count = len(outcome.succeeded)
        print(f"{count} of {count + failed} environments are ready "
              f"({time.monotonic() - began:.0f} s).")  # fmt: skip
    elif failed:
        reasons = [error_text(e) for e in outcome.failed.values()]
        reasons += [f"{node.node}: {node.detail or node.state}" for node in bad]
        raise ClewError("; ".join(reasons))
    return FAILED if failed else GOOD


def _prune(env: Environment, session: ClusterSession) -> int:
    silent = [n for n in session.node_updates().values() if n.state not in ("ready", "unusable")]
    if silent:
        names = ", ".join(node.node for node in silent)
        unknown = f"what {names} needs is not known, so nothing is removed"
        raise ClewError(
            unknown, remedy="Bring all nodes of the profile up, or take them out of it."
        )
    listing = Work(lambda stop: unneeded(session))
    if not env.pump(lambda: listing.ended):
        return STOPPED
    items = listing.result()
    env.view.close()
    for item in items:
        what = item.what
        data = {
            "type": "unneeded",
            "nodes": list(item.nodes),
            "kind": what.kind,
            "key": what.key,
            "packages": list(what.packages),
            "bytes": what.size_bytes,
            "used_at": what.used_at,
        }
        _tell(env, data, _line(item))
    if not items:
        env.view.say("There is nothing to remove.")
        return GOOD
    total = size(sum(item.what.size_bytes for item in items))
    if not env.arguments.yes and not _agreed(env, f"Remove these {len(items)} ({total})?"):
        env.view.say("Nothing was removed. To remove them: add --yes.")
        return GOOD
    removing = Work(lambda stop: remove(session, items))
    if not env.pump(lambda: removing.ended):
        return STOPPED
    gone = removing.result()
    env.view.close()
    env.view.say(f"Removed {len(gone)} of {len(items)}.")
    return GOOD if len(gone) == len(items) else FAILED


def _line(item: Unneeded) -> str:
    """``gpu001  environment 0123abcd  1.2 GB  last used 2025-01-02 03:04  tensorflow==2.21.*``."""
    what = item.what
    packages = ", ".join(what.packages) or ("unfinished" if not what.whole else "")
    words = [
        ", ".join(item.nodes),
        f"{what.kind} {what.key.removeprefix('wheels-')[:8]}",
        size(what.size_bytes),
        f"last used {moment(what.used_at)}",
        packages,
    ]
    return "  ".join(word for word in words if word)


def _agreed(env: Environment, question: str) -> bool:
    """Ask at the terminal; without one, nobody has agreed."""
    if env.json or not sys.stdin.isatty():
        return False
    try:
        return input(f"{question} [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        return False


def _tell(env: Environment, data: dict[str, object], line: str) -> None:
    if isinstance(env.view, JsonView):
        env.view.write(data)
    else:
        print(plain(line))
