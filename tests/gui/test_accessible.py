"""Every control has a name for screen readers; keys are listed once; menus have clear letters."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible, QAction, QImage, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QMessageBox,
    QWidget,
)

from gui.chip import paint_dot
from gui.help import show_about, show_keys
from gui.keys import key_groups
from gui.picture import as_png
from gui.rail import PAGES
from gui.window import MainWindow
from remote.updates import EvalUpdate, StepsUpdate
from trainer.spec import TaskId

Wait = Callable[[Callable[[], bool], float], None]
INTERACTIVE = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)


def name_of(widget: QWidget) -> str:
    """What a screen reader calls a widget."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return str(interface.text(QAccessible.Text.Name)).strip() if interface is not None else ""


def controls(root: QWidget) -> Iterator[QWidget]:
    """What a user can act on; not the parts that Qt makes of such widgets."""
    for widget in root.findChildren(QWidget):
        inner = widget.objectName().startswith("qt_") or isinstance(widget, QHeaderView)
        part_of = (QComboBox, QAbstractSpinBox, QAbstractItemView, QLineEdit)
        parent = widget.parentWidget()
        while parent is not None and parent is not root and not inner:
            inner = isinstance(parent, part_of)
            parent = parent.parentWidget()
        above = widget.parentWidget()
        inner = inner or (isinstance(above, QAbstractScrollArea) and above.viewport() is widget)
        focusable = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not inner and (isinstance(widget, INTERACTIVE) or focusable):
            yield widget


def unnamed(root: QWidget) -> list[str]:
    return [
        f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}"
        for widget in controls(root)
        if not name_of(widget)
    ]


@pytest.fixture
def opened(window: MainWindow, profile_file: Path) -> MainWindow:
    """A window with a profile and every page made."""
    window.open_profile(str(profile_file))
    for key, _ in PAGES:
        window.show_page(key)
    return window


def test_that_every_control_of_every_page_has_a_name(opened: MainWindow) -> None:
    opened.controller.notices.warning("The disk is full.", "Free some.")
    assert len(list(controls(opened))) > 60
    assert unnamed(opened) == []
    assert unnamed(opened.start_page) == []


def dialogs_of(window: MainWindow) -> Iterator[QDialog]:
    """All dialogs that need no answer from outside."""
    from gui.sweep_dialog import SweepDialog

    yield window.palettes.open()
    yield show_keys(window, window.actions_by_name)
    yield show_about(window)
    page = window.page("cluster")
    yield page.import_hosts()  # type: ignore[attr-defined]
    yield page.edit_all()  # type: ignore[attr-defined]
    yield SweepDialog(window.controller, window)


def test_that_every_control_of_every_dialog_has_a_name(opened: MainWindow) -> None:
    for dialog in dialogs_of(opened):
        assert unnamed(dialog) == [], dialog.windowTitle()
        assert dialog.windowTitle()
        assert list(controls(dialog)), dialog.windowTitle()
        dialog.reject()


def test_that_the_question_before_a_stop_has_names(opened: MainWindow) -> None:
    opened.controller.models.show_run("r1", None, time.time(), "training")
    opened.controller.handle = Handle()  # type: ignore[assignment]
    opened.controller.changed.emit()
    opened.actions_by_name["stop"].trigger()
    box = opened.stopping.box
    assert isinstance(box, QMessageBox)
    assert unnamed(box) == []
    assert box.escapeButton() is not None
    box.reject()
    opened.controller.handle = None


class Handle:
    """Stands where the handle of a run does."""

    controlled_from = ""


def test_that_a_chart_says_in_words_what_it_shows(opened: MainWindow, wait: Wait) -> None:
    models = opened.controller.models
    begun = time.time() - 60
    models.show_run("r1", None, begun, "training")
    opened.controller.run_shown.emit()
    assert models.run is not None
    times = tuple(begun + second for second in range(1, 41))
    losses = tuple(2.0 - second / 40 for second in range(1, 41))
    models.run.apply(
        StepsUpdate(
            run_id="r1",
            task=TaskId.parse("worker:0"),
            times=times,
            steps=tuple(range(1, 41)),
            losses=losses,
        )
    )
    models.run.apply(EvalUpdate(run_id="r1", t=times[-1], step=40, loss=0.5, accuracy=0.75))
    page = opened.page("live")
    loss = page.dashboard.loss  # type: ignore[attr-defined]
    opened.show_page("live")
    page.dashboard.refresh(time.time(), force=True)  # type: ignore[attr-defined]
    words = loss.summary()
    assert words.startswith("Loss, 0:00 to ")
    assert "values from 0.4" in words
    assert "each step 1, " in words
    assert words.endswith("evaluation 0.5.")
    wait(lambda: loss.plot.accessibleDescription() == loss.summary(), 10)
    assert name_of(loss.plot) == "Loss chart"


def all_keys(window: MainWindow) -> set[str]:
    """Every key that any part of the window listens to as a shortcut."""
    found: set[str] = set()
    for shortcut in window.findChildren(QShortcut):
        found |= {keys.toString() for keys in shortcut.keys()}  # noqa: SIM118
    for button in window.findChildren(QAbstractButton):
        found.add(button.shortcut().toString())
    for action in window.findChildren(QAction):
        found |= {keys.toString() for keys in action.shortcuts()}
    return {keys for keys in found if keys and not keys.startswith("Alt+")} | {"Alt+Left"}


def test_that_the_list_of_keys_is_complete(opened: MainWindow) -> None:
    listed = {
        QKeySequence(part.strip()).toString()
        for _, rows in key_groups(opened.actions_by_name)
        for keys, _ in rows
        for part in keys.split(", ")
    }
    assert all_keys(opened) - listed == set()


def test_that_no_key_means_two_things_everywhere(opened: MainWindow) -> None:
    counts = Counter(
        keys.toString() for action in opened.findChildren(QAction) for keys in action.shortcuts()
    )
    assert [keys for keys, count in counts.items() if count > 1] == []


def mnemonics(texts: list[str]) -> list[str]:
    return [
        text.replace("&&", "")[text.replace("&&", "").index("&") + 1].casefold()
        for text in texts
        if "&" in text.replace("&&", "")
    ]


def test_that_letters_of_menus_do_not_clash(opened: MainWindow) -> None:
    bar = opened.menuBar()
    menus = [action.menu() for action in bar.actions()]
    assert len(set(mnemonics([a.text() for a in bar.actions()]))) == len(menus)
    for menu in menus:
        assert isinstance(menu, QMenu)
        texts = [action.text() for action in menu.actions() if not action.isSeparator()]
        letters = mnemonics(texts)
        assert len(letters) == len(texts), f"{menu.title()}: an entry has no letter: {texts}"
        assert len(set(letters)) == len(letters), f"{menu.title()}: {Counter(letters)}"


def test_that_tab_reaches_the_controls_of_a_page_and_leaves_it(opened: MainWindow) -> None:
    views = opened.findChildren(QAbstractItemView)
    assert not [view.accessibleName() for view in views if view.tabKeyNavigation()]
    opened.show_page("cluster")
    opened.activateWindow()
    page = opened.page("cluster")
    page.add_button.setFocus()  # type: ignore[attr-defined]
    seen: list[QWidget] = []
    for _ in range(200):
        widget = QApplication.focusWidget()
        assert widget is not None
        if widget in seen:
            break
        seen.append(widget)
        widget.focusNextChild()
    reached = [widget for widget in seen if page.isAncestorOf(widget)]
    assert page.import_button in reached  # type: ignore[attr-defined]
    assert any(isinstance(widget, QAbstractScrollArea) for widget in reached)
    assert any(widget in opened.rail.buttons.values() for widget in seen)
    assert not any(isinstance(widget, QDialogButtonBox) for widget in seen)


def pressed(root: QWidget, name: str) -> bool:
    """Do what a screen reader does: find a button by its name in the tree, and press it."""
    waiting = [QAccessible.queryAccessibleInterface(root)]
    while waiting:
        found = waiting.pop()
        button = found.role() == QAccessible.Role.Button
        if button and found.text(QAccessible.Text.Name) == name and not found.state().disabled:
            actions = found.actionInterface()
            actions.doAction(actions.pressAction())
            return True
        children = (found.child(at) for at in range(found.childCount()))
        waiting += [child for child in children if child is not None]
    return False


def test_that_names_alone_lead_from_the_start_to_connecting(window: MainWindow, wait: Wait) -> None:
    asked: list[str] = []
    connect = window.actions_by_name["connect"]
    connect.triggered.disconnect()  # nobody is to be dialled
    connect.triggered.connect(lambda: asked.append("action"))
    assert pressed(window, "New profile")
    wait(lambda: window.current_page == "cluster", 5)
    assert not pressed(window, "Connect"), "there is no node yet"
    assert pressed(window, "Add node")
    wait(lambda: len(window.controller.document.nodes()) == 1, 5)
    window.controller.document.set_nodes([{"host": "gpu001"}], "typed")
    assert pressed(window, "Connect")
    wait(lambda: asked == ["action"], 5)


def test_that_a_chart_shows_the_keyboard_on_the_screen_and_not_in_a_picture(
    opened: MainWindow,
) -> None:
    opened.show_page("live")
    opened.activateWindow()
    page = opened.page("live")
    loss = page.dashboard.loss  # type: ignore[attr-defined]
    page.dashboard.refresh(time.time(), force=True)  # type: ignore[attr-defined]
    loss.plot.clearFocus()
    QApplication.processEvents()
    screen, picture = loss.grab().toImage(), as_png(loss)
    loss.plot.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    assert loss.grab().toImage() != screen
    assert as_png(loss) == picture
    assert loss.plot.hasFocus()


def test_that_marks_of_states_differ_without_their_colours(window: MainWindow) -> None:
    masks = []
    for state in ("ready", "unusable", "unreachable", "connecting"):
        image = QImage(24, 24, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        paint_dot(painter, QPointF(12, 12), state)
        painter.end()
        masks.append(image.convertToFormat(QImage.Format.Format_Alpha8))
    assert all(one != other for one, other in combinations(masks, 2))
