"""The style sheet: Fusion, made quiet."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template

_SHEET = Template(
    """
QWidget { color: $text; }
QMainWindow, QDialog, QStackedWidget#pages, QWidget#page { background: $window; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 6px; }
QLabel { background: transparent; }
QLabel[tone="muted"] { color: $muted; }
QLabel[tone="faint"] { color: $faint; }
QLabel[tone="ok"] { color: $ok; }
QLabel[tone="warn"] { color: $warn; }
QLabel[tone="error"] { color: $error; }
QFrame#card { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame#rail { background: $rail; border: none; border-right: 1px solid $border; }
QFrame#header { background: $window; border: none; border-bottom: 1px solid $border; }

QMenuBar { background: $rail; padding: 2px 8px; border-bottom: 1px solid $border; }
QMenuBar::item { padding: 5px 10px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $raised; }
QMenu { background: $surface; border: 1px solid $border; padding: 6px; }
QMenu::item { padding: 6px 28px 6px 24px; border-radius: 4px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 6px 4px; }
QStatusBar { background: $rail; border-top: 1px solid $border; color: $muted; }
QStatusBar::item { border: none; }

QPushButton, QToolButton#button {
  background: $raised; border: 1px solid $border; border-radius: 6px;
  padding: 6px 14px; min-height: 20px; }
QPushButton:hover, QToolButton#button:hover { border-color: $faint; }
QPushButton:pressed, QToolButton#button:pressed { background: $selection; }
QPushButton:checked { background: $selection; border-color: $accent; }
QPushButton:disabled, QToolButton#button:disabled {
  color: $faint; background: transparent; border-color: $border; }
QPushButton, QToolButton { outline: none; }
QPushButton:focus, QToolButton#button:focus { border: 2px solid $accent; padding: 5px 13px; }
QPushButton[kind="primary"], QToolButton#button[kind="primary"] {
  background: $accent; color: $accent_text; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:focus, QToolButton#button[kind="primary"]:focus {
  border-color: $text; }
QPushButton[kind="primary"]:disabled, QToolButton#button[kind="primary"]:disabled {
  background: transparent; color: $faint; border-color: $border; }
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {
  background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px 8px; }
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover { background: $raised; }
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus {
  border: 1px solid $accent; padding: 4px 8px; }
QPushButton[kind="quiet"]:checked, QToolButton[kind="quiet"]:checked {
  background: $selection; color: $text; }
QPushButton[kind="step"] {
  text-align: left; background: $surface; border: 1px solid $border; border-radius: 10px;
  padding: 16px; }
QPushButton[kind="step"]:hover { border-color: $accent; }
QPushButton[kind="step"]:focus { border: 2px solid $accent; padding: 15px; }

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {
  background: $surface; border: 1px solid $border; border-radius: 6px; padding: 5px 8px;
  min-height: 20px; selection-background-color: $selection; selection-color: $text; }
QLineEdit:focus, QComboBox:focus { border-color: $accent; }
QLineEdit[wrong="true"], QComboBox[wrong="true"] { border-color: $error; }
QLineEdit:disabled, QComboBox:disabled { color: $faint; background: $window; }
QComboBox QLineEdit { border: none; padding: 0; min-height: 0; background: transparent; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url("$chevron"); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
  background: $surface; border: 1px solid $border; selection-background-color: $selection;
  selection-color: $text; outline: none; padding: 4px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMessageBox { background: $window; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator {
  width: 14px; height: 14px; border: 1px solid $faint; border-radius: 4px; background: $surface; }
QCheckBox::indicator:checked {
  background: $accent; border-color: $accent; image: url("$check"); }
QCheckBox:focus { color: $accent; }

QTableView, QListView, QTreeView, QPlainTextEdit {
  background: $surface; border: 1px solid $border; border-radius: 8px;
  selection-background-color: $selection; selection-color: $text; outline: none; }
QGraphicsView { border: 1px solid transparent; }
QGraphicsView:focus { border-color: $accent; }
QTableView:focus, QListView:focus, QTreeView:focus, QPlainTextEdit:focus {
  border: 1px solid $accent; }
QTableView { gridline-color: transparent; alternate-background-color: $surface; }
QTableView::item { padding: 4px 8px; border-bottom: 1px solid $border; }
QTableView::item:selected { background: $selection; color: $text; }
QTableView QLineEdit { border-radius: 0; padding: 2px 6px; min-height: 0; }
QTabWidget::pane { border: none; }
QTabBar::tab {
  background: transparent; color: $muted; border: none; border-bottom: 2px solid transparent;
  padding: 6px 12px; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { background: $selection; border-radius: 4px; }
QListWidget::item { padding: 6px 10px; border-radius: 4px; }
QListWidget::item:selected { background: $selection; color: $text; }
QHeaderView { background: $surface; border-top-left-radius: 8px; border-top-right-radius: 8px; }
QHeaderView::section {
  background: transparent; color: $muted; border: none; border-bottom: 1px solid $border;
  padding: 8px; font-weight: 600; }
QTableCornerButton::section { background: $surface; border: none; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 2px; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 2px; }
QScrollBar::handle { background: $border; border-radius: 4px; min-height: 28px; min-width: 28px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
  background: transparent; border: none; width: 0; height: 0; }
QProgressBar {
  background: $raised; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QSplitter::handle { background: transparent; }
"""
)


def style_sheet(values: Mapping[str, str]) -> str:
    """The sheet with the palette's colours and the pictures' places filled in.

    Args:
        values: colours by name, and ``name`` of the palette (``dark`` or ``light``).
    """
    folder = Path(str(files("resources"))).joinpath("icons").as_posix()
    return _SHEET.substitute(
        values, chevron=f"{folder}/chevron.svg", check=f"{folder}/check-{values['name']}.svg"
    )
