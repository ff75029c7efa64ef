"""Every profile loads as it was saved, and no input makes the loader fail in a way of its own."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from remote.errors import ProfileError
from remote.profile import Loaded, build, dumps, loads
from remote.profile.tree import ListNode, TextNode, Tree
from trainer.spec import DATASETS, MODELS, OPTIMIZERS

MISREAD = [
    "no", "NO", "on", "Off", "y", "N", "true", "null", "~", "Null", "=", "<<", "0123", "010",
    "08", "0o17", "0x1F", "1_000", "1e-3", "1E-6", ".9", "1.10", "1234e56", "22:22", "12:00:00",
    "10:20:30:40:50:59", "2024-05-01", "2001-12-14t21:59:43.10-05:00", ".inf", "-.INF", ".nan",
    "inf", "nan", "+1", "-", "?", ":", "- a", "a: b", "a #b", "#a", "%h", "@a", "`a`", "*a", "&a",
    "!a", "|", ">", "[a", "{a}", "'", '"', "it's \"q\"", "$(touch x)", "`x`", "C:\\x: y", "---",
    "...", " a", "a ", "a:\u00a0b", "\u00a0a", "\ufeffa", "e\u0301", "\u00e9",
    "🚀👩‍👩‍👧", "مرحبا", "実験室",
    "Ω\u200f123", "\ufffe", "\U0010ffff",
]  # fmt: skip
REQUIREMENTS = [
    "tensorflow==2.21.*", "tensorflow[and-cuda]>=2.21,<2.22", "numpy", "no", "on",
    "y ; python_version < '3.12'", "scikit-learn ~= 1.5", "1e3===1.0+local",
]  # fmt: skip
characters = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
texts = st.one_of(st.sampled_from(MISREAD), st.text(characters, min_size=1, max_size=12)).filter(
    lambda text: bool(text.strip())
)
values = st.one_of(
    texts, st.just(""), st.sampled_from(["a\nb", "\t", "\x1b[31m", "\x85", "\u2028"])
)
hosts = st.one_of(
    st.from_regex(r"[a-z0-9][a-z0-9_.-]{0,8}", fullmatch=True),
    st.sampled_from(["192.0.2.12", "2001:db8::5", "fe80::1%eth0", "0123", "no", "1e3", "実験室"]),
)
names = texts.map(lambda text: text.strip().replace("/", "_").lstrip("-")).filter(
    lambda text: text not in ("", ".", "..") and text == text.strip()
)
gpus = st.one_of(
    st.sampled_from(["all", "none"]), st.lists(st.integers(0, 15), unique=True, min_size=1)
)
ssh_keys: dict[str, st.SearchStrategy[Any]] = {
    "port": st.integers(1, 65535),
    "user": st.sampled_from(["ana", "on", "0123", "y", "é", "DOM\\ana", "a@b"]),
    "identity_file": texts,
    "jump": st.sampled_from(["bastion", "ana@bastion:22", "a,b@[2001:db8::1]:22", "no"]),
}
more_node_keys: dict[str, st.SearchStrategy[Any]] = {"name": names, "address": hosts, "gpus": gpus}
node: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"host": hosts}, optional={**more_node_keys, **ssh_keys}
)
environment = st.fixed_dictionaries(
    {},
    optional={
        "python": texts.filter(lambda text: not text.startswith("-")),
        "setup": st.lists(texts, max_size=3),
        "variables": st.dictionaries(
            st.sampled_from(["A", "no", "on", "_1", "OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM"]),
            values,
        ),
        "packages": st.lists(
            st.sampled_from(REQUIREMENTS), unique_by=lambda one: one.split("=")[0][:3], max_size=3
        ),
        "wheels": st.sampled_from(["auto", "index", "desktop"]),
    },
)
stop: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"steps": st.integers(1, 10**12)}),
    st.fixed_dictionaries({"epochs": st.floats(1e-6, 1e9)}),
)
training = st.builds(
    lambda a, b: {**a, **b},
    st.fixed_dictionaries(
        {},
        optional={
            "dataset": st.fixed_dictionaries(
                {"name": st.sampled_from(DATASETS), "path": texts},
                optional={"on": st.sampled_from(["desktop", "node"])},
            ),
            "model": st.sampled_from([*MODELS, "nets.big:build", "größe:netz"]),
            "command": st.lists(texts, min_size=1, max_size=3),
            "code": texts,
            "export": st.sampled_from(["yes", "no", True]),
            "evaluate_every": st.integers(1, 10**9),
            "worker_per": st.sampled_from(["gpu", "node"]),
            "workers": st.one_of(st.none(), st.integers(1, 4096)),
            "batch_size": st.integers(1, 1_000_000),
            "optimizer": st.fixed_dictionaries(
                {},
                optional={
                    "name": st.sampled_from(OPTIMIZERS),
                    "learning_rate": st.floats(1e-9, 1e3),
                    "momentum": st.floats(0, 0.9999),
                },
            ),
            "checkpoint_every_s": st.floats(1, 1e6),
            "restart": st.fixed_dictionaries({"max": st.integers(0, 1000)}),
        },
    ),
    stop,
)


def _name_of(node: dict[str, Any]) -> str:
    return unicodedata.normalize("NFC", node.get("name", node["host"]))


parts: dict[str, st.SearchStrategy[Any]] = {
    "name": texts,
    "ssh": st.fixed_dictionaries({}, optional=ssh_keys),
    "nodes": st.lists(node, max_size=4, unique_by=_name_of),
    "environment": environment,
    "storage": st.fixed_dictionaries({"root": texts.map(lambda t: "~/" + t.replace("..", "_"))}),
    "ports": st.fixed_dictionaries({"first": st.integers(1, 65000)}),
    "training": training,
}
profiles: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({}, optional=parts)


@settings(max_examples=300, deadline=None)
@given(profiles)
def test_that_a_profile_loads_as_it_was_dumped(data: dict[str, Any]) -> None:
    profile = build(data)
    text = dumps(profile)
    assert loads(text).profile == profile
    assert loads(text.encode()).profile == profile


@settings(max_examples=200, deadline=None)
@given(texts)
@example("on")
@example("08")
def test_that_another_yaml_reader_sees_the_same_texts(text: str) -> None:
    """PyYAML follows YAML 1.1 and guesses most; what it takes for a text, all take for one."""
    profile = build({"name": text, "environment": {"variables": {"on": text}, "setup": [text]}})
    seen = yaml.safe_load(dumps(profile))
    assert seen["name"] == text
    assert seen["environment"] == {"variables": {"on": text}, "setup": [text]}


@pytest.mark.parametrize("text", MISREAD)
def test_that_texts_that_yaml_would_misread_are_quoted(text: str) -> None:
    written = dumps(build({"name": text}))
    assert yaml.safe_load(written)["name"] == text
    assert loads(written).profile.name == text


YAMLISH = st.text(
    st.sampled_from(
        "abon01.:-?,[]{}#&*!|>'\"%@`~ \t\n\r\\/=<x\u00a0\u0085\u2028é🚀\x00\x1b\ufeff\ud800"
    ),
    max_size=60,
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=60), YAMLISH, YAMLISH.map(lambda text: "clew: 1\n" + text)))
@example('clew: 1\nx: "\\UFFFFFFFF"')
@example('clew: 1\nx: "\\ud800"')
@example("clew: 1\n? [a]\n: b")
@example("clew: 1\n: b")
@example("clew: 99\nnodes: [{host: -x}, {}, 3]\ntraining: {steps: x, dataset: {name: mnist}}")
def test_that_any_text_loads_or_is_refused_with_reasons(text: str) -> None:
    _check(text)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80))
@example(b"\xff\xfe\x00")
@example(b"\xff\xfe\x00\x00\x01")
@example("clew: 1\nname: é".encode("utf-16"))
def test_that_any_bytes_load_or_are_refused_with_reasons(data: bytes) -> None:
    _check(data)


lines = st.sampled_from(
    ["colour: teal", "tint:", "note: [1, 2.5, '3', ~, {a: }]", "ssh: {compress: 1}",
     "  - {host: a, rack: 7}",
     "nodes:", "ports: {future: {deep: [[], {}]}}", "training: {colour: no}", "x: |\n  a\n\n  b",
     'y: "a\\nb\\x1b"', "'on': on", "- a", "name: n", "0123: 0123", "? z\n: 2024-05-01", "storage:"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(lines, max_size=8))
def test_that_unknown_keys_are_kept_as_they_were_written(some: list[str]) -> None:
    _check("clew: 1\n" + "\n".join(some))


def _check(source: str | bytes) -> None:
    try:
        loaded = loads(source, "x.yaml")
    except ProfileError as caught:
        refusal = caught
    else:
        _check_kept(loaded)
        return
    assert refusal.issues
    assert all(issue.message for issue in refusal.issues)
    str(refusal).encode("utf-8")


def _check_kept(loaded: Loaded) -> None:
    if loaded.read_only:
        return
    again = loads(dumps(loaded.profile, extras=loaded.extras))
    assert again.profile == loaded.profile
    assert _unknown(again) == _unknown(loaded)


def _unknown(loaded: Loaded) -> dict[object, object]:
    return {
        place: [(key.text, _bare(node)) for key, node in pairs]
        for place, pairs in loaded.extras.items()
    }


def _bare(tree: Tree) -> object:
    """A kept value without its place; texts with whether they could be anything but a text."""
    if isinstance(tree, TextNode):
        guessed = tree.plain and yaml.SafeLoader("").resolve(  # type: ignore[no-untyped-call]
            yaml.ScalarNode, tree.text, (True, False)
        )
        return tree.text, guessed if guessed != "tag:yaml.org,2002:str" else False
    if isinstance(tree, ListNode):
        return [_bare(item) for item in tree.items]
    return [(key.text, _bare(node)) for key, node in tree.pairs]
