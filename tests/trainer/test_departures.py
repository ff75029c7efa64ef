"""When a ps may go."""

from __future__ import annotations

from trainer.engine.departures import (
    CHIEF_SAVED,
    CHIEF_SEEN,
    SEEN_S,
    STRAGGLERS_S,
    Departures,
    Word,
)


def test_that_a_ps_goes_when_every_worker_is_done() -> None:
    departures = Departures(3)
    for worker in (2, 0):
        departures.note(Word(worker, 100), now=5.0)
        assert not departures.may_go(5.0)
    departures.note(Word(1, 99), now=6.0)
    assert not departures.may_go(6.0)  # the chief looks once more
    departures.note(Word(CHIEF_SEEN, 0), now=6.1)
    assert departures.may_go(6.1)
    assert departures.step == 100


def test_that_a_worker_that_says_it_twice_counts_once() -> None:
    departures = Departures(2)
    departures.note(Word(1, 10), now=0.0)
    departures.note(Word(1, 10), now=1.0)
    assert departures.missing == [0]
    assert not departures.may_go(1e9)


def test_that_a_ps_does_not_wait_for_ever_once_the_chief_is_done() -> None:
    departures = Departures(2)
    departures.note(Word(0, 10), now=100.0)
    departures.note(Word(0, 10), now=130.0)
    assert not departures.may_go(100.0 + STRAGGLERS_S - 0.1)
    assert departures.may_go(100.0 + STRAGGLERS_S)


def test_that_words_of_nobody_count_for_nobody() -> None:
    departures = Departures(1)
    departures.note(Word(CHIEF_SAVED, 0), now=0.0)
    departures.note(Word(7, 0), now=0.0)
    assert not departures.may_go(1e9)


def test_that_a_ps_does_not_wait_for_ever_for_the_chief_s_last_look() -> None:
    departures = Departures(1)
    departures.note(Word(0, 10), now=100.0)
    assert not departures.may_go(100.0 + SEEN_S - 0.1)
    assert departures.may_go(100.0 + SEEN_S)
