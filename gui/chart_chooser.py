"""Which charts are to be seen: a button with a menu, remembered by whoever asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton

from gui.chart import Chart
from gui.language import tr

AT_FIRST = ("loss", "throughput", "time", "utilization")


class ChartChooser(QPushButton):
    """At least one chart is always shown. Call :meth:`choose` once the charts are in place."""

    changed = Signal()

    def __init__(self, charts: Mapping[str, Chart]) -> None:
        super().__init__()
        self._charts = charts
        self._menu = QMenu(self)
        self._actions = {name: self._menu.addAction(c.name) for name, c in charts.items()}
        for action in self._actions.values():
            action.setCheckable(True)
            action.triggered.connect(self._chosen_by_user)
        self.setText(tr("Charts"))
        self.setToolTip(tr("Choose the charts that are shown"))
        self.setAccessibleName(tr("Charts that are shown"))
        self.setMenu(self._menu)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names of the charts that are shown, from top to bottom."""
        return tuple(name for name, action in self._actions.items() if action.isChecked())

    def choose(self, names: Sequence[str]) -> None:
        """Show these; names that no chart has are passed over, and none at all means the usual."""
        known = [name for name in names if name in self._actions] or list(AT_FIRST)
        for name, action in self._actions.items():
            action.setChecked(name in known)
        self._show()

    def _chosen_by_user(self) -> None:
        if not self.chosen:
            self.choose(AT_FIRST)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        for name, chart in self._charts.items():
            chart.setVisible(name in self.chosen)
