"""Which ways a run needs, and what dialling along them means."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.checks import Finding, Pair
from remote.plan import PlannedTask
from remote.preflight import (
    Listening,
    Route,
    any_routes,
    home_findings,
    pair,
    planned_routes,
    port_findings,
    reach_findings,
    rounds,
    together_findings,
)
from remote.survey import Dialled, How, NodeSurvey, PortRefused
from remote.wording import HOW_WORDS, cell, few, grouped
from tests.support.facts import node_facts
from trainer.spec import TaskId, TrainingSpec

SURVEY = NodeSurvey(shell="sh", prints=False, threads=1)


def task(name: str, node: str, port: int) -> PlannedTask:
    return PlannedTask(
        task=TaskId.parse(name),
        node=node,
        address=f"{node}-ib",
        port=port,
        gpus=(),
        environment={},
        moved_from_port=None,
    )


def workers(count: int) -> list[PlannedTask]:
    found = [task("ps:0", "n0", 2220)]
    return found + [task(f"worker:{i}", f"n{i}", 2221 if i == 0 else 2220) for i in range(count)]


def ways(tasks: list[PlannedTask], **training: object) -> set[tuple[str, str]]:
    spec = dataclasses.replace(TrainingSpec(), **training)  # type: ignore[arg-type]
    return {(route.source, route.to.task) for route in planned_routes(tasks, spec)}


def test_that_workers_and_ps_dial_each_other_and_workers_do_not() -> None:
    assert ways(workers(3)) == {
        ("n0", "worker:0"),
        ("n0", "worker:1"),
        ("n0", "worker:2"),
        ("n0", "ps:0"),
        ("n1", "ps:0"),
        ("n2", "ps:0"),
    }


def test_that_in_graph_the_chief_and_the_workers_dial_each_other_too() -> None:
    more = ways(workers(3), replication="in-graph") - ways(workers(3))
    assert more == {("n1", "worker:0"), ("n2", "worker:0")}


def test_that_a_command_may_need_every_way_and_a_single_process_none() -> None:
    found = ways(workers(3), command=("python", "x.py"))
    assert ("n1", "worker:2") in found
    assert ways(workers(1), baseline="single") == set()


def test_that_sixty_four_nodes_need_few_ways() -> None:
    routes = planned_routes(workers(64), TrainingSpec())
    between = {(r.source, r.to.node) for r in routes if r.source != r.to.node}
    assert len(between) == 2 * 63
    assert len(rounds(routes)) == 2 * 63  # each of them has the one ps at an end


def test_that_without_a_plan_each_node_gets_a_free_port_of_its_own() -> None:
    one = node_facts("a", ())
    twin = dataclasses.replace(node_facts("b", ()), boot_id="a")
    routes = any_routes({"a": one, "b": twin}, {"a": "10.0.0.1"}, 2220)
    assert [(r.source, r.to.node, r.to.address, r.to.port) for r in routes] == [
        ("a", "b", "b", 2221),
        ("b", "a", "10.0.0.1", 2220),
    ]
    many = {f"n{i}": node_facts(f"n{i}", ()) for i in range(40)}
    assert len(any_routes(many, {}, 2220)) == 2 * 39


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_that_in_a_round_no_node_takes_part_twice(ends: list[tuple[int, int]]) -> None:
    routes = [Route(f"n{a}", Listening("", f"n{b}", "x", 1)) for a, b in ends]
    found = rounds(routes)
    for one in found:
        names = [name for route in one for name in (route.source, route.to.node)]
        assert len(names) == len(set(names))
    told = [(route.source, route.to.node) for one in found for route in one]
    assert sorted(told) == sorted({(f"n{a}", f"n{b}") for a, b in ends if a != b})


def at(node: str, port: int = 2220) -> Listening:
    return Listening(f"worker:{port}", node, f"{node}-ib", port)


def judge(dialled: dict[Route, Dialled], *names: str) -> list[Finding]:
    pairs = [pair(route, one, names) for route, one in dialled.items()]
    return reach_findings(dialled, names, pairs)


@pytest.mark.parametrize("how", [how for how in HOW_WORDS if how != "open"])
def test_that_each_way_to_fail_is_a_sentence_with_both_ends_and_a_remedy(how: How) -> None:
    route = Route("gpu001", at("gpu002"))
    one = Dialled(how=how, detail="No route to host", addresses=("10.0.0.2",), met=2)
    names = ("gpu001", "gpu002", "gpu003")
    (found,) = judge({route: one}, *names)
    assert found.level == "problem"
    assert "gpu001 " in found.what
    assert "gpu002" in found.what
    assert "gpu002" in found.remedy
    assert found.remedy.endswith(".")
    told = pair(route, one, names)
    assert not told.open
    assert ("gpu003" in told.text) == (how == "other")
    assert cell([told]).words == HOW_WORDS[how]
    assert cell([told]).good is False


def test_that_one_cause_is_one_finding_however_many_meet_it() -> None:
    names = [f"n{i}" for i in range(20)]
    silent = Dialled(how="silent", addresses=("10.0.0.9",))
    dialled = {Route(name, at("n0", port)): silent for name in names[1:] for port in (2220, 2221)}
    (found,) = judge(dialled, *names)
    assert found.what.startswith("n1, n2, n3 and 16 more get no answer from ports 2220 and 2221")
    assert "(10.0.0.9)" in found.what


def test_that_a_way_that_is_closed_in_one_direction_is_told_as_such() -> None:
    there, back = Route("a", at("b")), Route("b", at("a"))
    good = Dialled(how="open", addresses=("10.0.0.1",), met=0, rtt_s=0.001)
    found = judge({there: Dialled(how="silent"), back: good}, "a", "b")
    assert len(found) == 1
    assert "from b the way is open, so only this direction is closed" in found[0].what
    both = judge({there: Dialled(how="silent"), back: Dialled(how="silent")}, "a", "b")
    assert len(both) == 2
    assert not any("only this direction" in one.what for one in both)


def test_that_a_name_with_two_meanings_is_told_although_both_work() -> None:
    first = Dialled(how="open", addresses=("10.0.0.3",), met=2, rtt_s=0.001)
    other = Dialled(how="open", addresses=("10.1.0.3",), met=2, rtt_s=0.001)
    found = judge({Route("a", at("c")): first, Route("b", at("c")): other}, "a", "b", "c")
    (one,) = [item for item in found if item.level == "warning"]
    assert "c-ib stands for 10.0.0.3 on a, 10.1.0.3 on b" in one.what


def test_that_open_ways_tell_how_fast_the_slowest_is() -> None:
    names = ("a", "b")
    there, back = Route("a", at("b")), Route("b", at("a"))
    one = Dialled(how="open", met=1, rtt_s=0.0002)
    dialled = {there: one, back: dataclasses.replace(one, met=0, rtt_s=0.0004)}
    pairs = [pair(there, one, names, 1e9), pair(back, dialled[back], names, 2e9)]
    (found,) = reach_findings(dialled, names, pairs)
    assert found.level == "ok"
    assert "all 2 ways that the run needs are open" in found.what
    assert "longest round trip 0.40 ms (b to a)" in found.what
    assert "least throughput 953.7 MiB/s (a to b)" in found.what
    slow = [pairs[0], dataclasses.replace(pairs[1], bytes_per_second=1e6)]
    levels = [item.level for item in reach_findings(dialled, names, slow)]
    assert levels == ["ok", "warning"]
    assert cell(pairs[:1]).words == "0.20 ms, 953.7 MiB/s"
    assert cell([]).good is None


def test_that_a_port_that_cannot_be_had_names_its_holder() -> None:
    listening = [Listening("ps:0", "a", "a-ib", 2220), Listening("worker:0", "b", "b-ib", 2220)]
    refused = {"a": [PortRefused(2220, "it is in use", "pid 7 (nginx)")]}
    (one,) = port_findings(refused, listening)
    assert one.what == "port 2220 of ps:0 cannot be had: it is in use by pid 7 (nginx)"
    assert "ports.first" in one.remedy
    (good,) = port_findings({}, listening)
    assert good.level == "ok"


def test_that_versions_of_tensorflow_must_agree_to_the_minor_one() -> None:
    def told(*versions: str) -> Finding:
        facts = {
            f"n{i}": dataclasses.replace(node_facts(f"n{i}", ()), tensorflow_version=version)
            for i, version in enumerate(versions)
        }
        return together_findings(facts, {})[0]

    assert told("2.21.0", "2.21.0").level == "ok"
    assert told("2.21.0", "2.21.1").level == "warning"
    one = told("2.21.0", "2.20.0", "2.21.0")
    assert one.level == "problem"
    assert "n0 and n2: 2.21.0, n1: 2.20.0" in one.what


def test_that_clocks_are_compared_between_nodes() -> None:
    facts = {
        "a": node_facts("a", (), clock_offset_s=-3.0),
        "b": node_facts("b", (), clock_offset_s=4.0),
    }
    surveys = dict.fromkeys(facts, SURVEY)
    (clock,) = [f for f in together_findings(facts, surveys) if f.topic == "clock"]
    assert clock.level == "warning"
    assert clock.what == "the clock of b is 7.0 s ahead of that of a"


def test_that_nodes_that_see_each_others_marks_share_their_folder() -> None:
    roots = {"a": "/h/.clew", "b": "/h/.clew", "c": "/h/.clew", "d": "/d"}
    seen = {"a": frozenset({"c"}), "c": frozenset({"a"}), "b": frozenset[str]()}
    (one,) = home_findings(roots, seen)
    assert one.level == "ok"
    assert one.what.startswith("a and c share /h/.clew")
    (apart,) = home_findings(roots, {})
    assert "of its own" in apart.what


def test_that_what_nodes_have_alike_is_told_once() -> None:
    one = Finding(topic="disk", level="problem", what="full", node="b", remedy="Free.")
    same, other = dataclasses.replace(one, node="a"), dataclasses.replace(one, what="slow")
    assert [(s.nodes, s.finding.what) for s in grouped([one, other, same])] == [
        (("a", "b"), "full"),
        (("b",), "slow"),
    ]
    assert few(["a"]) == "a"
    assert few(["a", "b"]) == "a and b"
    assert few(list("abcdefg")) == "a, b, c and 4 more"


def test_that_a_pair_shows_the_way_that_fails_of_several() -> None:
    names = ("a", "b")
    good = pair(Route("a", at("b")), Dialled(how="open", rtt_s=0.001), names)
    bad = pair(Route("a", at("b", 2221)), Dialled(how="refused"), names)
    found = cell([good, bad])
    assert (found.good, found.words) == (False, "refused")
    assert len(found.detail.splitlines()) == 2
    assert isinstance(good, Pair)
