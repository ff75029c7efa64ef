"""Words in tables are whole, and the detail of a node can be read at the default size."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView

from gui.cluster_page import ClusterPage
from gui.node_table import ADDRESS, DETAIL, GPUS, HOST, STATE
from gui.runs_page import RunsPage
from gui.window import MainWindow
from remote.facts import Gpu, NodeFacts
from remote.history import History, RunRecord
from remote.updates import NodeSample, NodeUpdate
from tests.support.facts import node_facts

Wait = Callable[[Callable[[], bool], float], None]
NAME = "NVIDIA A100-SXM4-80GB"


def facts(node: str) -> NodeFacts:
    gpus = tuple(
        Gpu(index=n, uuid=f"GPU-{n}", name=NAME, memory_total_bytes=80 * 2**30) for n in range(8)
    )
    return node_facts(node, gpus)


def cut_cells(table: QTableView, model: QAbstractItemModel, columns: range) -> list[str]:
    """The texts that are wider than their cells."""
    option = QStyleOptionViewItem()
    option.initFrom(table)
    option.font = table.font()
    found = []
    for row in range(model.rowCount()):
        for column in columns:
            index = model.index(row, column)
            needed = table.itemDelegateForIndex(index).sizeHint(option, index).width()
            if not table.isColumnHidden(column) and needed > table.columnWidth(column):
                found.append(str(index.data()))
    return found


def fill(window: MainWindow, wait: Wait) -> ClusterPage:
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    put = window.controller.bridge.updates.put
    for name, state in (("gpu001", "ready"), ("gpu002", "unreachable"), ("gpu003", "ready")):
        put(NodeUpdate(node=name, state=state, last_heard=time.time(), facts=facts(name)))  # type: ignore[arg-type]
        used, total = int(700.5 * 2**30), 2**40
        put(
            NodeSample(
                node=name,
                t=time.time(),
                cpu_percent=100.0,
                memory_used_bytes=used,
                memory_total_bytes=total,
            )
        )
    wait(lambda: page.model.index(2, 9).data() == "100%", 5)
    page.refresh(time.time())
    return page


def test_that_no_cell_of_the_node_table_is_cut(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    page = fill(window, wait)
    assert page.model.index(0, 8).data() == "8 × A100-SXM4-80GB"
    assert cut_cells(page.table, page.model, range(DETAIL)) == []


def test_that_the_detail_has_room_at_the_default_size(
    window: MainWindow, odd_path: Path, wait: Wait
) -> None:
    path = odd_path / "bare.yaml"
    path.write_text("clew: 1\nnodes: [gpu001, gpu002, gpu003]\n", encoding="utf-8")
    window.open_profile(str(path))
    page = fill(window, wait)
    table = page.table
    assert table.isColumnHidden(ADDRESS)
    assert table.isColumnHidden(GPUS)
    shown = sum(table.columnWidth(c) for c in range(DETAIL) if not table.isColumnHidden(c))
    assert table.viewport().width() - shown >= 20 * table.fontMetrics().averageCharWidth()
    for _ in range(3):  # what is left out does not come and go
        page.model.refresh()
        assert table.isColumnHidden(ADDRESS)
    (address,) = (a for a in page.columns.menu().actions() if a.text() == "Address")
    address.trigger()
    assert not table.isColumnHidden(ADDRESS)
    window.resize(2200, 840)
    wait(lambda: not table.isColumnHidden(GPUS), 5)


def test_that_a_column_that_a_node_uses_stays(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    page = fill(window, wait)
    assert not page.table.isColumnHidden(ADDRESS)
    assert not page.table.isColumnHidden(GPUS)


def test_that_a_width_of_the_users_is_kept(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    page = fill(window, wait)
    for width in (300, 60):
        page.table.setColumnWidth(HOST, width)
        page.model.refresh()
        assert page.table.columnWidth(HOST) == width


@pytest.mark.parametrize("state", ["training", "finished", "stopped", "failed", "preparing"])
def test_that_the_state_of_a_past_run_is_whole(window: MainWindow, wait: Wait, state: str) -> None:
    page = window.page("runs")
    assert isinstance(page, RunsPage)
    run_id = "20260101-1200-aaaa"
    History().add_run(RunRecord(run_id=run_id, name="lab", started_at=1.0, state=state), [])  # type: ignore[arg-type]
    window.show_page("runs")
    wait(lambda: page.chosen() == run_id, 10)
    assert page.table.model().index(0, STATE).data() == state
    assert cut_cells(page.table, page.table.model(), range(STATE, STATE + 1)) == []
    metrics = page.table.fontMetrics()
    dot = 17
    assert page.table.columnWidth(STATE) >= metrics.horizontalAdvance(state) + dot + 16
