"""Events as lines: what is written is read back, and nothing else is taken for an event."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.events import Body, Event, EventError, Steps, decode, encode

CASE = Path(__file__).parents[1] / "fixtures" / "odd-losses.jsonl"

whole = st.integers(-(2**63) + 1, 2**63 - 1)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def steps_bodies(draw: st.DrawFn) -> Steps:
    count = draw(st.integers(0, 5))

    def numbers() -> tuple[float, ...]:
        return tuple(draw(st.lists(st.floats(), min_size=count, max_size=count)))

    return Steps(
        steps=tuple(draw(st.lists(whole, min_size=count, max_size=count))),
        losses=numbers(),
        times=numbers(),
        examples=draw(whole),
        window_s=draw(st.floats()),
    )


def bodies(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Bodies of ``kind`` whose whole numbers are within the format's 63 bits."""
    return st.builds(
        kind, **{name: whole for name, of in get_type_hints(kind).items() if of is int}
    )


other_bodies = st.one_of([bodies(kind) for kind in get_args(Body) if kind is not Steps])
events = st.builds(
    Event,
    t=st.floats(0, 2**33),
    seq=st.integers(0, 2**40),
    attempt=st.integers(1, 1000),
    body=steps_bodies() | other_bodies,
)


def same(a: Any, b: Any) -> bool:
    """Equality in which nan equals itself."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@given(events)
def test_that_an_event_survives_its_line(event: Event) -> None:
    line = encode(event)
    back = decode(line)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert (back.seq, back.attempt, back.type) == (event.seq, event.attempt, event.type)
    assert back.t == pytest.approx(event.t, abs=1e-6)
    for name in event.body.__dataclass_fields__:
        assert same(getattr(back.body, name), getattr(event.body, name)), name


@given(events)
def test_that_a_line_is_strict_json(event: Event) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    json.loads(encode(event), parse_constant=refuse)


@given(st.binary(max_size=200))
def test_that_any_bytes_are_an_event_or_an_event_error(line: bytes) -> None:
    with contextlib.suppress(EventError):
        assert isinstance(decode(line), Event)


@given(events, st.data())
def test_that_a_changed_line_is_an_event_or_an_event_error(
    event: Event, data: st.DataObject
) -> None:
    fields = json.loads(encode(event))
    key = data.draw(st.sampled_from(sorted(fields)) | st.text(max_size=6))
    fields[key] = data.draw(anything)
    with contextlib.suppress(EventError):
        assert isinstance(decode(json.dumps(fields).encode()), Event)


def line_with_loss(loss: str) -> bytes:
    return (
        '{"v":1,"type":"steps","t":1.0,"seq":0,"attempt":1,"steps":[7],"times":[1.0],'
        f'"losses":[{loss}],"examples":64,"window_s":0.1}}'
    ).encode()


@pytest.mark.parametrize(
    ("text", "loss"),
    [
        ("2.31", 2.31),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("NaN", math.nan),
        ('"NaN"', math.nan),
        ('"nan"', math.nan),
        ("1e400", math.inf),
        ('"2.05"', 2.05),
        ("2", 2.0),
    ],
)
def test_that_every_spelling_of_a_loss_is_read(text: str, loss: float) -> None:
    body = decode(line_with_loss(text)).body
    assert isinstance(body, Steps)
    assert same(body.losses, (loss,))


@pytest.mark.parametrize("text", ["nan", "null", "", "true", "[2.0, 2.1]", '"much"', "{}"])
def test_that_a_loss_that_is_no_number_is_an_event_error(text: str) -> None:
    with pytest.raises(EventError):
        decode(line_with_loss(text))


def test_that_lines_of_other_programs_are_event_errors() -> None:
    for line in CASE.read_bytes().splitlines():
        with pytest.raises(EventError):
            decode(line)
