"""``clew sweep``: what runs have left on a profile's nodes, and the end of what is confirmed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from remote.cli.environment import FAILED, GOOD, STOPPED, Environment
from remote.cli.text import error_text, plain, seconds, size
from remote.cli.view import JsonView
from remote.cli.work import Work
from remote.errors import ClewError
from remote.session.sweep import Found, Look, Swept, look, remove
from remote.wording import LEFTOVER_KINDS

Numbered = list[tuple[int, Found]]


def sweep(env: Environment) -> int:
    """List the leftovers; remove those that the user confirms, or all that are marked."""
    profile = env.profile()
    session = env.session(profile, str(env.arguments.profile))
    if not env.connect(session):
        return STOPPED
    looking = Work(lambda stop: look(session))
    if not env.pump(lambda: looking.ended):
        return STOPPED
    seen = looking.result()
    env.view.close()
    numbered = list(enumerate(seen.found, start=1))
    _show(env, seen, numbered)
    chosen = _chosen(env, numbered)
    if not chosen:
        return _end(env, seen, [])
    removing = Work(lambda stop: remove(session, seen, chosen))
    if not env.pump(lambda: removing.ended):
        env.view.say("What was begun is finished on the nodes; clew sweep once more says how.")
        return STOPPED
    swept = removing.result()
    env.view.close()
    return _end(env, seen, swept)


def _show(env: Environment, seen: Look, numbered: Numbered) -> None:
    for error in seen.failed.values():
        env.view.say(f"Not looked at: {error_text(error)}")
    if isinstance(env.view, JsonView):
        for number, found in numbered:
            env.view.write(_object(number, found))
        return
    node = ""
    for number, found in numbered:
        where = ", ".join(found.nodes)
        if where != node:
            node = where
            print(plain(node))
        print(_line(number, found))
    if not numbered:
        print("Nothing is left on the nodes.")


def _line(number: int, found: Found) -> str:
    """`` 3 [x] process   20261130-1502-k3f9 worker:0  pid 4242, port 2221  2 h 10 min  why``."""
    box = "[x]" if found.is_suggested else "[ ]" if found.may_go else "   "
    item = found.item
    words = [LEFTOVER_KINDS[item.kind], found.title, _age(item.age_s)]
    if item.size_bytes or item.kind in ("run", "tree", "part"):
        words.append(size(item.size_bytes))
    # A name may have a line break: it is shown on one line all the same.
    text = "  ".join([*words, found.why]).replace("\n", " ")
    return f"  {number:3d} {box} {plain(text)}"


def _age(age_s: float) -> str:
    return seconds(age_s) if age_s < 2 * 86400 else f"{age_s / 86400:.0f} days"


def _chosen(env: Environment, numbered: Numbered) -> list[Found]:
    suggested = [found for _, found in numbered if found.is_suggested]
    if env.arguments.yes:
        return suggested
    if env.json or not sys.stdin.isatty() or not any(found.may_go for _, found in numbered):
        return []
    while True:
        try:
            answer = input(
                f"Remove the {len(suggested)} marked [x]? [y/N, or numbers like 1,3-5] "
            ).strip()
        except EOFError:
            return []
        if answer.casefold() in ("", "n", "no"):
            return []
        if answer.casefold() in ("y", "yes"):
            return suggested
        try:
            wanted = numbers(answer)
        except ValueError:
            print("That is no list of numbers.")
            continue
        stays = [n for n, found in numbered if n in wanted and not found.may_go]
        if stays:
            print(f"In use, so it stays: {', '.join(map(str, stays))}.")
        return [found for n, found in numbered if n in wanted and found.may_go]


def numbers(text: str) -> set[int]:
    """``1,3-5`` as a set. Raises ValueError."""
    found: set[int] = set()
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if dash and int(last) - int(first) > 100_000:
            raise ValueError(part)
        found |= set(range(int(first), int(last) + 1)) if dash else {int(first)}
    return found


def _end(env: Environment, seen: Look, swept: Sequence[Swept]) -> int:
    left = [done for done in swept if not done.gone]
    for done in swept:
        data = {"type": "swept", "nodes": list(done.found.nodes), "name": done.found.item.name}
        if isinstance(env.view, JsonView):
            env.view.write(data | {"gone": done.gone, "why": done.why})
        elif not done.gone:
            env.view.say(f"{done.found.nodes[0]}: {done.found.title} is still there: {done.why}")
    if isinstance(env.view, JsonView):
        state = "failed" if left or seen.failed else "finished"
        counts = {"found": len(seen.found), "removed": len(swept) - len(left), "left": len(left)}
        reason = {"reason": _reason(seen, left)} if state == "failed" else {}
        env.view.write({"type": "result", "state": state, **counts, **reason})
    elif swept:
        freed = sum(done.found.item.size_bytes for done in swept if done.gone)
        print(f"Removed {len(swept) - len(left)} of {len(swept)} ({size(freed)}).")
    elif seen.found:
        print(_nothing_removed(seen, asked=env.arguments.yes))
    return FAILED if left or seen.failed else GOOD


def _nothing_removed(seen: Look, *, asked: bool) -> str:
    if any(found.is_suggested for found in seen.found):
        return "Nothing was removed. --yes removes what is marked [x]."
    more = " Whoever sweeps in a terminal may choose what is marked [ ]." if asked else ""
    return f"Nothing was removed: somebody may still need each of these.{more}"


def _reason(seen: Look, left: Sequence[Swept]) -> str:
    errors: list[ClewError] = list(seen.failed.values())
    words = [error_text(error) for error in errors]
    return "; ".join(words + [f"{done.found.nodes[0]}: {done.why}" for done in left])


def _object(number: int, found: Found) -> dict[str, object]:
    item = found.item
    return {
        "type": "leftover",
        "number": number,
        "nodes": list(found.nodes),
        "kind": item.kind,
        "name": item.name,
        "root": found.root,
        "run": item.run_id,
        "task": item.task,
        "command": item.what,
        "pids": list(item.pids),
        "ports": list(item.ports),
        "age_s": item.age_s,
        "bytes": item.size_bytes,
        "known_here": found.known,
        "suggested": found.is_suggested,
        "removable": found.may_go,
        "why": found.why,
    }
