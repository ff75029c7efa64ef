"""A profile's ``cluster.slurm``: what is read, what is refused and where, what is saved."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.errors import Issue, ProfileError
from remote.profile import build, dumps, loads, override, to_data
from remote.profile.cluster import data_address

FULL = """\
clew: 1
name: minotauro
ssh: {user: ana}
cluster:
  slurm:
    login: login1
    partition: gpu,debug
    account: physics
    qos: normal
    reservation: course
    constraint: "a100&nvlink"
    nodes: 2
    gpus_per_node: 4
    gpu_type: a100
    cpus_per_task: 16
    memory: 64G
    time: 2:00:00
    address: -ib0
    extra: [--exclusive, "--mail-type=END,FAIL"]
"""


def issues_of(text: str) -> list[Issue]:
    with pytest.raises(ProfileError) as caught:
        loads("clew: 1\n" + text, "lab.yaml")
    return list(caught.value.issues)


def messages(text: str) -> dict[str, str]:
    return {issue.key: issue.message for issue in issues_of(text)}


def test_that_every_key_is_read_and_kept() -> None:
    loaded = loads(FULL)
    slurm = loaded.profile.cluster.slurm
    assert loaded.warnings == ()  # no nodes are named, and that is as it should be
    assert slurm is not None
    assert (slurm.login.host, slurm.login.name, slurm.login.port) == ("login1", "login1", None)
    assert (slurm.partition, slurm.constraint) == ("gpu,debug", "a100&nvlink")
    assert (slurm.nodes, slurm.gpus_per_node, slurm.cpus_per_task) == (2, 4, 16)
    assert (slurm.memory, slurm.time, slurm.address) == ("64G", "2:00:00", "-ib0")
    assert slurm.extra == ("--exclusive", "--mail-type=END,FAIL")
    assert loaded.profile.node("login1") == slurm.login
    assert loads(dumps(loaded.profile)).profile == loaded.profile


def test_that_only_what_differs_is_saved() -> None:
    data = {"cluster": {"slurm": {"login": "login1", "nodes": 1, "gpus_per_node": 0, "extra": []}}}
    assert to_data(build(data)) == {"cluster": {"slurm": {"login": {"host": "login1"}}}}
    assert to_data(build({"cluster": {"slurm": None}})) == {}


def test_that_the_login_is_like_a_node() -> None:
    login = {
        "host": "login1",
        "port": "2222",
        "user": "ana",
        "identity_file": "~/.ssh/id",
        "jump": "b",
    }
    slurm = build({"cluster": {"slurm": {"login": login}}}).cluster.slurm
    assert slurm is not None
    assert (slurm.login.port, slurm.login.jump) == (2222, "b")


def test_that_nodes_and_places_have_no_place_beside_slurm() -> None:
    text = "cluster: {slurm: {login: a}}\nnodes: [b]\nplacement: {ps:0: b}\n"
    assert [(i.line, i.key) for i in issues_of(text)] == [(3, "nodes"), (4, "placement")]
    assert "cluster.slurm gives the nodes" in messages(text)["nodes"]


def test_that_problems_have_their_line_and_all_are_told() -> None:
    found = issues_of(
        "cluster:\n  slurm:\n    login: login1\n    gpu_type: a100\n    time: 5x\n"
        "    extra:\n    - --exclusive\n    - --part=x\n    - -N2\n    nodes: 0\n"
    )
    assert [(i.line, i.key.removeprefix("cluster.slurm.")) for i in found] == [
        (5, "gpu_type"),
        (6, "time"),
        (9, "extra.1"),
        (10, "extra.2"),
        (11, "nodes"),
    ]
    assert found[2].message == '"--part=x" is set by Clew: use the key partition'


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("partiton", "partition"), ("walltime", "time"), ("time_limit", "time"), ("mem", "memory"),
        ("gpus", "gpus_per_node"), ("queue", "partition"), ("gpu-type", "gpu_type"),
        ("cpus", "cpus_per_task"), ("extras", "extra"),
    ],
)  # fmt: skip
def test_that_the_nearest_key_is_named(key: str, meant: str) -> None:
    found = messages(f"cluster: {{slurm: {{login: a, {key}: 3}}}}\n")
    assert f"did you mean cluster.slurm.{meant}?" in found[f"cluster.slurm.{key}"]


def test_that_keys_of_slurm_do_not_take_others_hints_away() -> None:
    assert "did you mean cluster.slurm?" in messages("slurm: {login: a}\n")["slurm"]
    assert "did you mean ssh.user?" in messages("user: ana\n")["user"]
    assert "did you mean training.max_hours?" in messages("time_limit: 3\n")["time_limit"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("partition", "--wrap=x"), ("partition", "a b"), ("account", "x;y"), ("qos", "`x`"),
        ("constraint", "-x"), ("constraint", "a b"), ("gpu_type", "a100:4"), ("gpu_type", "-a"),
        ("memory", "64 GB"), ("memory", "-1"), ("time", "1:2:3:4"), ("time", "-5"),
        ("time", "1-"), ("address", "{node}"), ("address", "-ib0;x"), ("address", " "),
        ("nodes", "0"), ("nodes", "1.5"), ("gpus_per_node", "-1"), ("cpus_per_task", "0"),
        ("login", "-oProxyCommand=x"), ("login", "a b"),
    ],
)  # fmt: skip
def test_that_values_which_would_become_something_else_are_refused(key: str, value: str) -> None:
    slurm: dict[str, Any] = {"login": "a", "gpus_per_node": 1, key: value}
    with pytest.raises(ProfileError) as caught:
        build({"cluster": {"slurm": slurm}})
    assert [i.key.split(".")[:3] for i in caught.value.issues] == [["cluster", "slurm", key]]


@pytest.mark.parametrize(
    "option",
    [
        "--exclusive", "--mail-type=END", "--exclude=gpu[01-04]", "--nice=100", "--hold",
        "--mem-per-cpu=4G", "--licenses=matlab:1", "--gpu-bind=closest", "--clusters=b",
        "--wait-all-nodes=1", "--time-min=30", "--comment-less",
    ],
)  # fmt: skip
def test_that_other_options_of_sbatch_are_taken(option: str) -> None:
    slurm = build({"cluster": {"slurm": {"login": "a", "extra": [option]}}}).cluster.slurm
    assert slurm is not None
    assert slurm.extra == (option,)


@pytest.mark.parametrize(
    "option",
    [
        "-N2", "--", "exclusive", "--Exclusive", "--mail-type END", "--nodes=3", "--node=3",
        "--n", "--job-name=x", "--job=x", "--comment=x", "--wrap=x", "--wra", "--array=1-5",
        "--output=/etc/x", "--chdir=/", "--export=NONE", "--parsable", "--test-only", "--mem=5",
        "--no-requeue", "--signal=9", "--gpus=4", "--gres=gpu:1", "--gre=gpu:1", "--time=5",
        "--begin=now\n--wrap=x", "--uid=0", "--wait",
    ],
)  # fmt: skip
def test_that_options_of_clews_own_are_refused_however_they_are_cut(option: str) -> None:
    slurm = {"login": "a", "gpus_per_node": 1, "extra": ["--exclusive", option]}
    with pytest.raises(ProfileError) as caught:
        build({"cluster": {"slurm": slurm}})
    assert caught.value.issues[0].key == "cluster.slurm.extra.1"


def test_that_gres_is_the_users_where_no_gpus_are_asked_for() -> None:
    build({"cluster": {"slurm": {"login": "a", "extra": ["--gres=craynetwork:1"]}}})


def test_that_single_values_can_be_set() -> None:
    profile = build({"cluster": {"slurm": {"login": "login1"}}})
    changed = override(
        profile, ["cluster.slurm.nodes=3", "cluster.slurm.login.port=2222", "cluster.slurm.time=30"]
    ).cluster.slurm
    assert changed is not None
    assert (changed.nodes, changed.login.port, changed.time) == (3, 2222, "30")


def test_that_unknown_keys_are_kept_where_they_were() -> None:
    text = "clew: 1\ncluster: {zzyzx: 1, slurm: {login: {host: a, frobnix: [2]}, zyzzyva: b}}\n"
    loaded = loads(text)
    assert len(loaded.warnings) == 3
    again = loads(dumps(loaded.profile, extras=loaded.extras))
    assert again.extras.keys() == loaded.extras.keys()
    assert again.profile == loaded.profile


def test_that_an_address_is_a_suffix_or_a_pattern() -> None:
    assert data_address("-ib0", "gpu01") == "gpu01-ib0"
    assert data_address("{host}.data", "gpu01") == "gpu01.data"
    assert data_address("ib-{host}", "gpu01") == "ib-gpu01"
    assert data_address("", "gpu01") == "gpu01"


slurms: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "login": st.sampled_from(["no", "login1", "0123", "2001:db8::5"]),
        "gpus_per_node": st.integers(1, 9),
    },
    optional={
        "partition": st.sampled_from(["on", "gpu,debug", "1e3", "größe"]),
        "account": st.sampled_from(["no", "08", "a/b", "a@b"]),
        "constraint": st.sampled_from(["[a|b]", "a&b", "[rack1*2&rack2*4]", "(a|b)", "yes"]),
        "nodes": st.integers(1, 4096),
        "gpu_type": st.sampled_from(["1g.10gb", "a100", "1e3", "rtx_2080_ti"]),
        "cpus_per_task": st.integers(1, 256),
        "memory": st.sampled_from(["0", "64G", "500"]),
        "time": st.sampled_from(["30", "2:00:00", "1-12", "10:00", "UNLIMITED", "0"]),
        "address": st.sampled_from(["-ib0", "{host}-ib0", ".data", "0"]),
        "extra": st.lists(st.sampled_from(["--exclusive", "--begin=now+1hour"]), max_size=2),
    },
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(slurms)
def test_that_a_profile_of_slurm_loads_as_it_was_dumped(slurm: dict[str, Any]) -> None:
    profile = build({"cluster": {"slurm": slurm}})
    assert loads(dumps(profile)).profile == profile
