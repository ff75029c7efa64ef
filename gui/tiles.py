"""The row of numbers above the charts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from gui.language import localized, tr
from gui.run_model import RunModel
from gui.texts import elapsed_text, value_text
from gui.theme import UNIT, scaled, tabular

NAMES = (
    ("step", tr("Step")),
    ("loss", tr("Loss")),
    ("rate", tr("Examples/s")),
    ("accuracy", tr("Accuracy")),
    ("first", tr("To first step")),
    ("elapsed", tr("Elapsed")),
    ("eta", tr("Remaining")),
)
MIN_TILE = 104
NOTHING = "–"


class Tile(QFrame):
    """A caption, a number, and for the step a thin bar."""

    def __init__(self, caption: str, *, bar: bool = False) -> None:
        super().__init__()
        self.setObjectName("card")
        self.caption = QLabel(caption)
        self.caption.setProperty("tone", "muted")
        self.caption.setFont(scaled(self.caption.font(), 0.88))
        self.value = QLabel(NOTHING)
        self.value.setFont(tabular(scaled(self.value.font(), 1.5, bold=True)))
        self.value.setTextFormat(Qt.TextFormat.PlainText)
        self.value.setAccessibleName(caption)
        self.bar = QProgressBar() if bar else None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(2)
        layout.addWidget(self.caption)
        layout.addWidget(self.value)
        if self.bar is not None:
            self.bar.setTextVisible(False)
            self.bar.setMaximum(1000)
            self.bar.setAccessibleName(tr("Progress"))
            layout.addWidget(self.bar)
        layout.addStretch(1)

    def show_value(self, text: str, caption: str | None = None) -> None:
        if text != self.value.text():
            self.value.setText(text)
        if caption is not None and caption != self.caption.text():
            self.caption.setText(caption)


class Tiles(QWidget):
    """All tiles, in one row or, where it is narrow, in two."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles = {key: Tile(name, bar=key == "step") for key, name in NAMES}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(UNIT)
        self._columns = 0
        self._arrange(len(NAMES))

    def show_run(self, run: RunModel | None, now: float) -> None:
        """Show the numbers of ``run`` at ``now``; None: dashes."""
        values = dict.fromkeys(self.tiles, NOTHING) if run is None else tile_texts(run, now)
        for key, tile in self.tiles.items():
            tile.show_value(values[key])
        step = self.tiles["step"]
        total = run.total_steps if run else None
        step.show_value(
            values["step"], tr("Step of {total:,}", total=total) if total else tr("Step")
        )
        if step.bar is not None:
            step.bar.setVisible(bool(total))
            if run is not None and total:
                step.bar.setValue(min(1000, run.step * 1000 // total))

    def resizeEvent(self, event: QResizeEvent) -> None:
        fits = self.width() // (MIN_TILE + UNIT)
        self._arrange(len(NAMES) if fits >= len(NAMES) else 4)

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for index, tile in enumerate(self.tiles.values()):
            self._grid.addWidget(tile, index // columns, index % columns)
        for column in range(len(NAMES)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)


def tile_texts(run: RunModel, now: float) -> dict[str, str]:
    """The text of each tile."""
    result = run.result
    loss = result.final_loss if result is not None else run.last_loss()
    rate = result.examples_per_second if result is not None else run.last_rate()
    first, eta = run.time_to_first_step_s(), run.eta_s(now)
    return {
        "step": localized(f"{run.step:,}"),
        "loss": NOTHING if loss is None else value_text(loss),
        "rate": NOTHING if rate is None else value_text(rate, 1.0),
        "accuracy": NOTHING if run.accuracy is None else localized(f"{run.accuracy:.2%}"),
        "first": NOTHING if first is None else localized(f"{first:.1f} s"),
        "elapsed": elapsed_text(run.elapsed_s(now)),
        "eta": NOTHING if eta is None else elapsed_text(eta),
    }
