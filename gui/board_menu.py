"""The board's context menu: everything that its keys do, with the keys beside it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from gui.board_view import BoardView
from gui.language import tr


def board_menu(board: BoardView, automatic: Callable[[], None], *, by_hand: bool) -> QMenu:
    """The menu for what is under the pointer, or has the keyboard."""
    menu = QMenu(board)
    item, free = board.current_item(), not board.read_only
    task = item.task if item is not None else ""
    cell = item.cell if item is not None else None

    def add(text: str, keys: str, call: Callable[[], object], enabled: bool) -> None:
        action = menu.addAction(f"{text}\t{keys}" if keys else text)
        action.setEnabled(enabled)
        action.triggered.connect(lambda _=False: call())

    if task:
        add(tr("Move {task}", task=task), "M", board.pick_up, free)
        add(tr("Remove {task}", task=task), "Del", lambda: board.remove_asked.emit(task), free)
        add(tr("Copy what is shown"), "Ctrl+C", board.copy_asked.emit, True)
        menu.addSeparator()
    place = None if task else cell

    add(
        tr("Add a worker here") if place is not None else tr("Add a worker"),
        "W",
        lambda: board.add_asked.emit("worker", place),
        free,
    )
    here = cell is not None and bool(cell.node)
    add(
        tr("Add a ps on this node") if here else tr("Add a ps"),
        "P",
        lambda: board.add_asked.emit("ps", cell),
        free,
    )
    menu.addSeparator()
    add(tr("Place all automatically"), "", automatic, free and by_hand)
    return menu
