"""Host lists are written out as Slurm means them, or refused; never halfway."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.node.refused import Refused
from remote.node.slurm import hostlist
from tests.support.slurm_tables import rows

TABLE = rows("hostlists.tsv", 2)


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_that_lists_are_written_out_in_order(text: str, expected: str) -> None:
    if expected == "ERROR":
        with pytest.raises(Refused):
            hostlist.expand(text)
        return
    assert hostlist.expand(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  ", ""),
        ("(null)", ""),
        ("N/A", ""),
        ("n[08-11]", "n08 n09 n10 n11"),
        ("n[8-011]", "n8 n9 n10 n11"),
        ("n[001-5]", "n001 n002 n003 n004 n005"),
        ("n[99-101]", "n99 n100 n101"),
        ("n[0-1]", "n0 n1"),
        ("n[7]", "n7"),
        ("n[1-2],n[2-3]", "n1 n2 n2 n3"),
        ("a,,b,", "a b"),
        ("n1-n3", "n1-n3"),
        ("gpu_a[1-2].cluster.example", "gpu_a1.cluster.example gpu_a2.cluster.example"),
        ("r[1,3]c[2]-ib[0-1]x", "r1c2-ib0x r1c2-ib1x r3c2-ib0x r3c2-ib1x"),
    ],
)
def test_that_every_form_is_understood(text: str, expected: str) -> None:
    assert hostlist.expand(text) == expected.split()


@pytest.mark.parametrize(
    "text",
    [
        "gpu[01-", "gpu[", "gpu]", "gpu[]", "gpu[1-2]]", "gpu[[1-2]]", "gpu[1--2]", "gpu[1,]",
        "gpu[,1]", "gpu[a-c]", "gpu[0x1-3]", "gpu[5-3]", "gpu[1-2-3]", "gpu 1", "a b", "a, b",
        "gpu1;x", "gpu$(x)", "gpu`x`", "gpu/1", "../x", "gpu\n1", "gpu\x001", "gpü1", "gpu[٣]",
        "-oProxyCommand", "a,-x", ".hidden", "gpu'", 'gpu"', "gpu*", "gpu[1-2]{x}", "gpu[01-03%2]",
        "n" * 300, "gpu[1-99999999999999999999]", "gpu07+",
    ],
)  # fmt: skip
def test_that_anything_else_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(Refused) as caught:
        hostlist.expand(text)
    assert "\n" not in caught.value.what
    assert len(caught.value.what) < 200


@pytest.mark.parametrize(
    "text",
    [
        "n[1-65537]",
        "n[1-999999999999999999]",
        "n[0-999]m[0-999]",
        "n" + "[0-9]" * 40,
        ",".join(["n[1-60000]"] * 100),
        "n[" + ",".join(["1-9999999"] * 5000) + "]",
        "n" + "[1-2]x" * 5000,
        "n," * 70000,
    ],
    ids=["65537", "huge", "product", "40 brackets", "many", "one bracket", "long", "plain"],
)
def test_that_too_many_names_are_refused_before_they_are_made(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Refused):
        hostlist.expand(text)
    assert time.process_time() - began < 5.0


def test_that_the_most_names_are_given() -> None:
    names = hostlist.expand("n[00001-65536]")
    assert (len(names), names[0], names[-1]) == (65536, "n00001", "n65536")


words = st.from_regex(r"[A-Za-z0-9_.-]{1,6}", fullmatch=True)
bounds = st.tuples(st.integers(0, 120), st.integers(0, 3), st.integers(1, 4))
groups = st.lists(bounds, min_size=1, max_size=3)
items = st.tuples(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,5}", fullmatch=True),
    st.lists(st.tuples(groups, words), max_size=3),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(items, min_size=1, max_size=3))
def test_that_a_list_made_from_names_gives_them_back(
    parts: list[tuple[str, list[tuple[list[tuple[int, int, int]], str]]]],
) -> None:
    written, names = [], []
    for prefix, brackets in parts:
        text, choices = prefix, [[prefix]]
        for spans, behind in brackets:
            shown = [f"{str(low).zfill(w)}-{low + more}" for low, more, w in spans]
            text += f"[{','.join(shown)}]{behind}"
            numbers = [
                str(n).zfill(max(w, len(str(low))))
                for low, more, w in spans
                for n in range(low, low + more + 1)
            ]
            choices += [numbers, [behind]]
        written.append(text)
        names += ["".join(pieces) for pieces in itertools.product(*choices)]
    assert hostlist.expand(",".join(written)) == names


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="n0129-[],._x ;", max_size=25))
def test_that_whatever_comes_out_is_safe_in_a_command(text: str) -> None:
    try:
        names = hostlist.expand(text)
    except Refused:
        return
    assert all(name and name[0] not in "-." and not set(name) & set("[], ;") for name in names)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gpu[01-04,07]", "gpu01-04, gpu07"),
        ("gpu07", "gpu07"),
        ("a,b[1-2]-ib", "a, b1-2-ib"),
        ("r[1-2]n[01-02]", "r1n01-02, r2n01-02"),
        ("", ""),
        ("not; a list", "not; a list"),
    ],
)
def test_that_lists_are_shown_for_reading(text: str, shown: str) -> None:
    assert hostlist.listed(text) == shown


def test_that_long_lists_are_shown_short() -> None:
    assert len(hostlist.listed("n[" + ",".join(map(str, range(1, 999, 2))) + "]")) < 200
