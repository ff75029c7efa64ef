"""Whatever the pieces of a stream, each event comes out exactly once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.history import EventAssembler, GapError
from remote.history.lines import LineAssembler
from trainer.events import (
    MAX_LINE_BYTES,
    CheckpointSaved,
    Event,
    Notice,
    PhaseChanged,
    Steps,
    encode,
)

CASE = Path(__file__).parents[2] / "fixtures" / "odd-losses.jsonl"


def steps_event(seq: int, attempt: int = 1, loss: float = 0.5) -> Event:
    body = Steps(steps=(seq,), losses=(loss,), times=(float(seq),), examples=64, window_s=0.1)
    return Event(t=float(seq), seq=seq, attempt=attempt, body=body)


def some_file(sizes: list[int]) -> tuple[bytes, list[tuple[int, int]]]:
    """A file of ``len(sizes)`` attempts, and the (attempt, seq) of its events."""
    data, keys = bytearray(), []
    for attempt, size in enumerate(sizes, start=1):
        for seq in range(size):
            event = steps_event(seq, attempt)
            if seq % 3 == 1:
                event = Event(t=1.0, seq=seq, attempt=attempt, body=PhaseChanged(phase="training"))
            if seq % 5 == 2:
                text = 'ünïcode "quotes" {"v":1}\n' + "x" * (seq % 7)
                event = Event(t=1.0, seq=seq, attempt=attempt, body=Notice(level="info", text=text))
            data += encode(event)
            keys.append((attempt, seq))
    return bytes(data), keys


FILES = st.lists(st.integers(0, 12), min_size=1, max_size=3).map(some_file)


@settings(max_examples=150, deadline=None)
@given(file=FILES, draw=st.data())
def test_any_chunking_with_redelivery_and_reconnects_gives_each_event_once(
    file: tuple[bytes, list[tuple[int, int]]], draw: st.DataObject
) -> None:
    data, keys = file
    assembler, at = EventAssembler(), 0
    got: list[tuple[int, int]] = []
    while at < len(data):
        action = draw.draw(st.sampled_from(["next", "again", "reconnect"]))
        size = draw.draw(st.integers(1, 400))
        if action == "again":  # delivered twice, overlapping what is known
            at = draw.draw(st.integers(0, at))
        if action == "reconnect":  # a new process knows only what was committed
            seen: dict[int, int] = {}
            for attempt, seq in got:
                seen[attempt] = max(seq, seen.get(attempt, -1))
            assembler = EventAssembler(assembler.committed, seen=seen)
            at = assembler.committed
        for placed in assembler.feed(at, data[at : at + size]):
            got.append((placed.event.attempt, placed.event.seq))
            assert data[placed.offset :].startswith(placed.raw + b"\n")
        at = min(len(data), at + size)
    assert got == keys
    assert assembler.odd == 0
    assert assembler.committed == len(data)


@settings(max_examples=100, deadline=None)
@given(file=FILES, cut=st.floats(0, 1), keep=st.floats(0, 1), chunk=st.integers(1, 300))
def test_a_file_that_was_cut_and_written_on_gives_each_event_once(
    file: tuple[bytes, list[tuple[int, int]]], cut: float, keep: float, chunk: int
) -> None:
    data, keys = file
    assembler = EventAssembler()
    got: list[tuple[int, int]] = []
    read = data[: int(len(data) * cut)]
    got += [(p.event.attempt, p.event.seq) for p in assembler.feed(0, read)]
    kept = read[: int(len(read) * keep)]
    kept = kept[: kept.rfind(b"\n") + 1]
    rest = encode(steps_event(0, attempt=9)) + encode(steps_event(1, attempt=9))
    again = kept + data[len(kept) :] + rest
    for at in range(0, len(again), chunk):
        placed = assembler.feed(at, again[at : at + chunk], reset=at == 0)
        got += [(p.event.attempt, p.event.seq) for p in placed]
    assert got == [*keys, (9, 0), (9, 1)]
    assert assembler.generation == 1


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=300), sizes=st.lists(st.integers(1, 9), min_size=1, max_size=60))
def test_foreign_bytes_never_stop_the_reader(data: bytes, sizes: list[int]) -> None:
    whole = data + b"\n" + encode(steps_event(0))
    assembler, got, at = EventAssembler(), [], 0
    for size in [*sizes, len(whole)]:
        got += assembler.feed(at, whole[at : at + size])
        at = min(len(whole), at + size)
    assert [p.event for p in got] == [steps_event(0)]


def test_a_torn_line_and_a_block_of_nuls_cost_only_themselves() -> None:
    first, torn = encode(steps_event(0)), encode(steps_event(1))[:40]
    data = first + torn + encode(steps_event(0, attempt=2)) + b"\0" * 4096
    data += encode(steps_event(1, attempt=2))
    assembler = EventAssembler()
    placed = assembler.feed(0, data)
    assert [(p.event.attempt, p.event.seq) for p in placed] == [(1, 0), (2, 0), (2, 1)]
    assert assembler.odd == 2


def test_an_unfinished_line_is_neither_given_nor_committed() -> None:
    line = encode(steps_event(0))
    assembler = EventAssembler()
    assert assembler.feed(0, line[:-1]) == []
    assert assembler.committed == 0
    assert len(assembler.feed(len(line) - 1, b"\n")) == 1
    assert assembler.committed == len(line)


def test_a_line_beyond_the_limit_is_skipped_without_being_kept() -> None:
    lines, at = LineAssembler(), 0
    piece = b"x" * 100_000
    for _ in range(MAX_LINE_BYTES // len(piece) + 3):
        assert lines.feed(at, piece) == []
        at += len(piece)
        assert len(lines._tail) <= MAX_LINE_BYTES
    found = lines.feed(at, b"\nnext\n")
    assert [(line.offset, line.text) for line in found] == [(at + 1, b"next")]
    assert lines.too_long == 1


def test_missing_bytes_are_asked_for_again() -> None:
    assembler = EventAssembler()
    assembler.feed(0, b'{"v"')
    with pytest.raises(GapError) as caught:
        assembler.feed(10, b"later")
    assert caught.value.expected == 4


def odd_loss_lines() -> bytes:
    """The case's lines, each as a line of our event file with its step and loss as written."""
    out = []
    for seq, line in enumerate(CASE.read_text().splitlines()):
        fields = dict(part.strip("{} ").split(": ", 1) for part in _pairs(line))
        step, loss = fields['"step"'], fields.get('"loss"')
        losses = "[]" if loss is None else f"[{loss}]"
        out.append(
            f'{{"v":1,"type":"steps","t":{seq},"seq":{seq},"attempt":1,"steps":[{step}],'
            f'"losses":{losses},"times":[{seq}],"examples":64,"window_s":0.1}}\n'
        )
    return "".join(out).encode()


def _pairs(line: str) -> list[str]:
    inside = line.strip().strip("{}")
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(inside):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            parts.append(inside[start:at])
            start = at + 1
    return [*parts, inside[start:]]


def test_odd_losses_become_gaps_and_odd_lines_but_never_points() -> None:
    assembler = EventAssembler()
    placed = assembler.feed(0, odd_loss_lines())
    points: dict[int, float] = {}
    for p in placed:
        assert isinstance(p.event.body, Steps)
        points[p.event.body.steps[0]] = p.event.body.losses[0]
    finite = {step: loss for step, loss in points.items() if abs(loss) < float("inf")}
    assert finite == {1: 2.31, 9: 2.05, 15: 9.99, 16: 1.80}
    assert set(points) - set(finite) == {2, 3, 4, 5, 7, 8}
    # null, no loss, a list, true, a step as text, a step with a point, a step below zero
    assert assembler.odd == 7


def test_a_checkpoint_path_with_odd_letters_survives() -> None:
    body = CheckpointSaved(step=5, path="/home/Ю 'é'/ck\n{\"v\":1", bytes=9, seconds=0.1)
    event = Event(t=1.0, seq=0, attempt=1, body=body)
    assert [p.event for p in EventAssembler().feed(0, encode(event))] == [event]
    assert json.loads(encode(event))["path"] == body.path
