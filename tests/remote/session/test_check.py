"""A check of real sshd nodes: good ones, and each with something that is in the way."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from remote.checks import CheckEnd, CheckStep, Finding, Pair
from remote.errors import ClewError
from remote.profile import Profile, build
from remote.updates import TaskUpdate
from tests.support.firewall import closed, no_route
from tests.support.sessions import Watched, watched
from tests.support.sshd import NodeOptions, SshdNode, SshdNodes, why_no_nodes
from tests.support.waiting import within

ODD, FULL = 2, 3
"""A node with fish and a noexec home, and one whose disk is full."""
LIMIT_S = 400.0
PORTS = "2220-2300"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    reason = why_no_nodes()
    if reason is not None:
        pytest.skip(reason)
    options = {
        ODD: NodeOptions(
            shell="/usr/bin/fish" if Path("/usr/bin/fish").exists() else None,
            home_tmpfs="2g,noexec",
        ),
        FULL: NodeOptions(home_tmpfs="60k", bashrc="echo 'Wëlcome to $HOSTNAME'\n"),
    }
    with SshdNodes(tmp_path_factory.mktemp("nodes"), count=4, options=options) as found:
        yield found


def profile(
    nodes: SshdNodes,
    *indices: int,
    host: Mapping[int, Mapping[str, object]] | None = None,
    environment: Mapping[str, object] | None = None,
    **other: object,
) -> Profile:
    """A ps and a worker for each of these nodes, with no TensorFlow process of its own."""
    listed = [
        {"host": node.ip, "name": node.name, **(host or {}).get(index, {})}
        for index, node in ((index, nodes.node(index)) for index in indices)
    ]
    return build(
        {
            "name": "check",
            "ssh": {"user": "root", "identity_file": str(nodes.client_key)},
            "nodes": listed,
            "environment": {"python": sys.executable, **(environment or {})},
            "training": {"dataset": {"name": "synthetic"}},
            **other,
        }
    )


def checked(w: Watched) -> CheckEnd:
    end = w.session.check().wait(LIMIT_S)
    assert end is not None
    assert w.drain()[-1] == end or end in w.seen
    return end


def bad(w: Watched) -> list[Finding]:
    return [one for one in w.of(Finding) if one.level != "ok"]


def assert_nothing_left(w: Watched, *homes: SshdNode) -> None:
    for name, node in w.session.nodes.items():
        assert node.refresh().ports_in_use == (), name
    for home in homes:
        assert list(home.home.rglob(".check-*")) == []
        assert list(home.home.rglob(".clew-check*")) == []


def test_that_good_nodes_are_good_and_nothing_is_left(nodes: SshdNodes, tmp_path: Path) -> None:
    names = [nodes.node(index).name for index in (0, 1, ODD)]
    with watched(profile(nodes, 0, 1, ODD), tmp_path, known_hosts=[nodes.known_hosts]) as w:
        end = checked(w)
        assert (end.state, end.problems, bad(w)) == ("good", 0, []), bad(w)
        pairs = {(p.source, p.target, p.task): p for p in w.of(Pair)}
        assert {(source, target) for source, target, _ in pairs} == {
            (names[0], names[0]),
            *((names[0], name) for name in names[1:]),
            *((name, names[0]) for name in names[1:]),
        }
        assert all(pair.open and pair.rtt_s is not None for pair in pairs.values())
        between = [pair for pair in pairs.values() if pair.source != pair.target]
        assert all(pair.bytes_per_second for pair in between)
        told = {(one.node, one.topic): one.what for one in w.of(Finding)}
        odd = [f.what for f in w.of(Finding) if f.node == names[2] and f.topic == "disk"]
        assert any("noexec" in what for what in odd)
        assert "of its own" in told["", "home"]
        steps = {(one.node, one.step) for one in w.of(CheckStep) if one.done >= one.total}
        assert steps == {(name, s) for name in names for s in ("node", "reach", "throughput")}
        assert_nothing_left(w, nodes.node(0), nodes.node(1))


def test_that_a_full_disk_is_found_by_writing(nodes: SshdNodes, tmp_path: Path) -> None:
    with watched(profile(nodes, 0, FULL), tmp_path, known_hosts=[nodes.known_hosts]) as w:
        assert checked(w).state == "problems"
        (one,) = bad(w)
        assert (one.topic, one.node) == ("disk", nodes.node(FULL).name)
        assert "no space left" in one.what
        assert "storage.root" in one.remedy
        (shell,) = [f for f in w.of(Finding) if f.topic == "shell" and f.node == one.node]
        assert "prints text at login" in shell.what


def test_that_a_dropping_firewall_is_found_and_a_launch_says_so_before_tensorflow_starts(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    first, second = nodes.node(0), nodes.node(1)
    with watched(profile(nodes, 0, 1), tmp_path, known_hosts=[nodes.known_hosts]) as w:
        with closed(second, PORTS):
            assert checked(w).state == "problems"
            (one,) = bad(w)
            assert one.topic == "reach"
            assert f"{first.name} gets no answer from port 2220 of {second.name}" in one.what
            assert "only this direction is closed" in one.what
            assert "Open TCP port 2220" in one.remedy
            result = w.session.launch().wait(LIMIT_S)
            assert result is not None
            assert (result.state, result.left_behind) == ("failed", ())
            assert f"no answer from port 2220 of {second.name}" in result.reason
            states = {update.state for update in w.of(TaskUpdate)}
            assert not states & {"starting", "waiting", "training"}
        w.drain()
        w.seen.clear()
        assert checked(w).state == "good"
        assert_nothing_left(w, first, second)


def test_that_a_missing_route_is_told_apart_from_a_firewall(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    first, second = nodes.node(0), nodes.node(1)
    with (
        watched(profile(nodes, 0, 1), tmp_path, known_hosts=[nodes.known_hosts]) as w,
        no_route(first, second.ip),
    ):
        assert checked(w).state == "problems"
        how = {(pair.source, pair.target): pair.how for pair in w.of(Pair)}
        assert how[first.name, second.name] == "unreachable"
        assert how[second.name, first.name] == "silent"  # what it asks cannot be answered
        assert how[first.name, first.name] == "open"


def test_that_an_address_of_another_node_is_found(nodes: SshdNodes, tmp_path: Path) -> None:
    # Another spelling of the third node's address, as a wrong line in /etc/hosts would give.
    wrong = {1: {"address": f"::ffff:{nodes.node(ODD).ip}"}}
    names = [nodes.node(index).name for index in (0, 1, ODD)]
    with watched(
        profile(nodes, 0, 1, ODD, host=wrong),
        tmp_path,
        known_hosts=[nodes.known_hosts],
    ) as w:
        assert checked(w).state == "problems"
        (one,) = bad(w)
        assert f"{names[0]} gets an answer from {names[2]} instead of {names[1]}" in one.what
        assert f"Set address of {names[1]}" in one.remedy


def test_that_a_proxy_of_the_setup_is_found_and_its_remedy_helps(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    setup = ["export https_proxy=http://proxy:3128"]
    with watched(
        profile(nodes, 0, 1, environment={"setup": setup}),
        tmp_path / "1",
        known_hosts=[nodes.known_hosts],
    ) as w:
        end = checked(w)
        assert (end.state, end.problems) == ("problems", 1)
        found = bad(w)
        assert [one.topic for one in found] == ["proxy", "proxy"]
        value = found[0].remedy.partition('no_proxy: "')[2].partition('"')[0]
    assert value == ",".join(nodes.node(index).ip for index in (0, 1))
    environment = {"setup": setup, "variables": {"no_proxy": value}}
    with watched(
        profile(nodes, 0, 1, environment=environment),
        tmp_path / "2",
        known_hosts=[nodes.known_hosts],
    ) as w:
        assert checked(w).state == "good"


def test_that_another_version_of_tensorflow_on_one_node_is_found_through_the_wrapper(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    older = nodes.node(1).home / "older"
    (older / "tensorflow").mkdir(parents=True)
    (older / "tensorflow" / "__init__.py").write_text("")
    info = older / "tensorflow-2.20.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.20.0\n")
    setup = ["[ ! -d ~/older ] || export PYTHONPATH=~/older"]
    with watched(
        profile(nodes, 0, 1, environment={"setup": setup}),
        tmp_path,
        known_hosts=[nodes.known_hosts],
    ) as w:
        assert checked(w).state == "problems"
        (one,) = bad(w)
        assert (one.topic, one.node) == ("tensorflow", "")
        assert f"{nodes.node(1).name}: 2.20.0" in one.what
        # Nothing can be planned, and the ways are tried all the same.
        assert {pair.how for pair in w.of(Pair)} == {"open"}


def test_that_a_shared_folder_and_a_node_that_does_not_answer_are_told(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    root = tmp_path / "sh 'äred'"
    with watched(
        profile(nodes, 0, 1, FULL, host={FULL: {"port": 1}}, storage={"root": str(root)}),
        tmp_path,
        known_hosts=[nodes.known_hosts],
        ready=False,
    ) as w:
        w.session.wait_ready(LIMIT_S)
        assert checked(w).state == "problems"
        (one,) = bad(w)
        assert (one.topic, one.node) == ("login", nodes.node(FULL).name)
        assert "refused" in one.what
        (home,) = [f for f in w.of(Finding) if f.topic == "home"]
        assert f"{nodes.node(0).name} and {nodes.node(1).name} share {root}" in home.what
        assert list(root.glob(".check-*")) == []


def test_that_a_check_can_be_cancelled_and_keeps_others_out(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    with watched(profile(nodes, 0, 1), tmp_path, known_hosts=[nodes.known_hosts]) as w:
        with closed(nodes.node(1), PORTS):  # dialling takes its time
            handle = w.session.check()
            w.wait_for(lambda w: any(one.step == "reach" for one in w.of(CheckStep)))
            for another in (w.session.check, w.session.launch):
                with pytest.raises(ClewError, match="a check is going on"):
                    another()
            with within(3.0):
                handle.cancel()
                end = handle.wait(LIMIT_S)
            assert end is not None
            assert end.state == "stopped"
        assert_nothing_left(w, nodes.node(0))
        assert checked(w).state == "good"
