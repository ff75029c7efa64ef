"""The bridge: batches, a time budget, and silence after the end."""

from __future__ import annotations

import threading
import time

import pytest
from pytestqt.qtbot import QtBot

from gui import bridge as bridge_module
from gui.background import run_in_background
from gui.bridge import BATCH, Bridge
from remote.errors import ClewError
from remote.updates import NoticeUpdate, Update
from tests.support.waiting import PATIENCE_S


def notices(count: int) -> list[Update]:
    return [NoticeUpdate(level="info", text=str(n)) for n in range(count)]


def test_that_updates_come_in_order_in_batches_with_one_tick(qtbot: QtBot) -> None:
    taken: list[list[Update]] = []
    ticks: list[int] = []
    bridge = Bridge(lambda batch: taken.append(list(batch)), lambda: ticks.append(len(taken)))
    updates = notices(3 * BATCH + 5)
    for update in updates:
        bridge.updates.put(update)
    bridge.drain()
    assert [u for batch in taken for u in batch] == updates
    assert [len(batch) for batch in taken] == [BATCH, BATCH, BATCH, 5]
    assert ticks == [4]


def test_that_a_flood_is_carried_over_instead_of_blocking(qtbot: QtBot) -> None:
    taken: list[Update] = []

    def slow(batch: list[Update]) -> None:
        time.sleep(0.005)
        taken.extend(batch)

    bridge = Bridge(slow, lambda: None)
    updates = notices(20 * BATCH)
    for update in updates:
        bridge.updates.put(update)
    bridge.drain()
    assert 0 < len(taken) < len(updates)
    assert len(taken) <= (bridge_module.BUDGET_S / 0.005 + 2) * BATCH
    bridge.start()
    qtbot.waitUntil(lambda: len(taken) == len(updates), timeout=int(PATIENCE_S * 1000))
    bridge.stop()
    assert taken == updates


def test_that_nothing_is_delivered_after_stop(qtbot: QtBot) -> None:
    calls: list[str] = []
    bridge = Bridge(lambda batch: calls.append("batch"), lambda: calls.append("tick"))
    bridge.later(bridge.stop)
    bridge.later(lambda: calls.append("late"))
    bridge.updates.put(NoticeUpdate(level="info", text="late"))
    bridge.drain()
    bridge.drain()
    assert calls == []


def test_that_an_old_sessions_queue_is_left_behind(qtbot: QtBot) -> None:
    taken: list[Update] = []
    bridge = Bridge(taken.extend, lambda: None)
    old = bridge.updates
    bridge.replace_queue()
    old.put(NoticeUpdate(level="info", text="from the old session"))
    bridge.drain()
    assert taken == []


def test_that_a_fault_of_work_in_the_background_is_told(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: hooked.append(args.exc_type))
    told: list[ClewError] = []

    def work() -> None:
        raise KeyError("table")

    bridge = Bridge(lambda batch: None, lambda: None)
    run_in_background(bridge, work, lambda _: None, told.append, name="connect")
    bridge.start()
    qtbot.waitUntil(lambda: bool(told and hooked), timeout=int(PATIENCE_S * 1000))
    bridge.stop()
    assert told[0].what == "connect went wrong (KeyError: 'table')"
    assert "report" in told[0].remedy
    assert hooked == [KeyError]
