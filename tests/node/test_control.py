"""One desktop controls a run; one that is dead or away keeps nobody from it."""

import json
import os
import time
from pathlib import Path

from remote.link import ControlData, Desk
from remote.node import control
from remote.node.layout import Layout
from tests.support.local_node import Connected, LocalNode
from tests.support.waiting import until

RUN = "r-1"
ANA, BEN = (Desk(id=f"id-{name}", name=f"{name}@läptop", pid=1) for name in ("ana", "ben"))


def tasks(node: LocalNode) -> Path:
    return Path(Layout(str(node.root), node.name).tasks(RUN))


def ask(found: Connected, node: LocalNode, desk: Desk, *, take: bool = False) -> str:
    folder = tasks(node)
    folder.mkdir(parents=True, exist_ok=True)
    return found.link.control(root=node.root, run_id=RUN, desk=desk, take=take).name


def told(found: Connected) -> list[str]:
    return [item.name for item in found.items if isinstance(item, ControlData)]


def lease(node: LocalNode) -> Path:
    (path,) = Path(node.root, "runs", RUN).glob("*/control.json")
    return path


def age(path: Path, seconds: float) -> None:
    """As if nobody had renewed it for a while."""
    data = json.loads(path.read_bytes())
    data["tick"] -= seconds
    path.write_text(json.dumps(data))


def test_that_the_first_controls_and_another_may_take_it(node: LocalNode) -> None:
    first, second = node.connect(), node.connect()
    assert ask(first, node, ANA) == ANA.name
    assert ask(second, node, BEN) == ANA.name
    assert ask(second, node, BEN, take=True) == BEN.name
    until(lambda: told(first) == [BEN.name])
    assert ask(first, node, ANA) == BEN.name
    second.link.release_control(RUN)
    until(lambda: told(first)[-1] == ANA.name)
    assert ask(second, node, BEN) == ANA.name


def test_that_a_desktop_that_goes_gives_the_control_back_at_once(node: LocalNode) -> None:
    first, second = node.connect(), node.connect()
    assert ask(first, node, ANA) == ANA.name
    first.link.close()
    until(lambda: ask(second, node, BEN) == BEN.name)


def test_that_a_desktop_that_is_dead_keeps_nobody_from_the_run(node: LocalNode) -> None:
    first, second = node.connect(), node.connect()
    assert ask(first, node, ANA) == ANA.name
    os.kill(first.link.hello.pid, 9)
    first.closed.wait(10)
    assert ask(second, node, BEN) == ANA.name, "it may only be away for a moment"
    age(lease(node), control.STALE_S)
    until(lambda: told(second) == [BEN.name])


def test_that_programs_of_one_desktop_share_its_control(node: LocalNode) -> None:
    window, command = node.connect(), node.connect()
    assert ask(window, node, ANA) == ANA.name
    assert ask(command, node, Desk(id=ANA.id, name="other name", pid=2)) == "other name"


def test_that_a_damaged_lease_or_one_of_an_earlier_boot_is_nobodys(node: LocalNode) -> None:
    first, second = node.connect(), node.connect()
    assert ask(first, node, ANA) == ANA.name
    first.link.release_control(RUN)
    path = tasks(node) / "control.json"
    until(lambda: not path.exists())
    for content in ("", "{", "[1]", '{"tick": 1e99}', '{"desk": "x", "tick": "y"}'):
        path.write_text(content)
        assert control.load(str(path)) is None
    words = {"desk": "x", "name": "x", "token": "x", "boot": "another boot"}
    path.write_text(json.dumps({**words, "tick": time.time()}))
    found = control.load(str(path))
    assert found is not None
    assert not control.is_fresh(found)
    assert ask(second, node, BEN) == BEN.name
