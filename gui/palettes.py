"""Opens the command palette, which is loaded when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from shiboken6 import isValid

from gui.background import run_in_background

if TYPE_CHECKING:
    from gui.command_palette import CommandPalette
    from gui.palette_entries import Runs
    from gui.window import MainWindow


class Palettes:
    """Shows the runs as they were read last until they are read anew."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._runs: Runs | None = None

    def open(self) -> CommandPalette:
        """Open it with the keyboard in its field."""
        from gui.command_palette import CommandPalette
        from gui.palette_entries import Runs

        window = self._window
        palette = CommandPalette(window, self._runs or Runs(window, []))
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.open()
        palette.field.setFocus()

        def show(runs: Runs) -> None:
            self._runs = runs
            if isValid(palette):
                palette.show_runs(runs)

        history = window.controller.history
        run_in_background(
            window.controller.bridge,
            lambda: Runs(window, history().overview()),
            show,
            lambda _: None,  # the Runs page says what is wrong with the history
            name="palette",
        )
        return palette
