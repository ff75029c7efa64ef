"""A run to files and back, from the window: dialogs, and the work behind them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.controller import Controller
from gui.language import tr
from gui.longwork import LongWork, Work
from remote.errors import ClewError

if TYPE_CHECKING:
    from remote.export.importing import Imported

BUNDLE = ".clewrun"
KINDS = {
    "bundle": (tr("Run bundle…"), tr("Run bundles (*.clewrun)"), BUNDLE),
    "report": (tr("Report…"), tr("Web pages (*.html)"), ".html"),
    "csv": (tr("Tables as CSV…"), "", ""),
}
"""What a run can be written as: a name, the dialog's filter, the ending."""


def is_bundle(path: str) -> bool:
    """Whether a file's name says that it is a run bundle."""
    return path.casefold().endswith(BUNDLE)


class Exporting(QObject):
    """Writes runs to files."""

    def __init__(self, controller: Controller, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self._window = window

    def ask(self, run_id: str, kind: str) -> None:
        """Ask where to, then write."""
        _, names, ending = KINDS[kind]
        if kind == "csv":
            name = QFileDialog.getExistingDirectory(self._window, tr("Folder for the tables"))
        else:
            name, _ = QFileDialog.getSaveFileName(
                self._window, tr("Export run"), f"{run_id}{ending}", names
            )
        if name:
            path = Path(name)
            self.write(run_id, kind, path if path.suffix or not ending else Path(name + ending))

    def write(self, run_id: str, kind: str, path: Path) -> LongWork:
        """Write without asking."""
        history = self._controller.history

        def work(progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> Path:
            if kind == "bundle":
                from remote.export.bundle import write_bundle

                return write_bundle(history(), run_id, path, progress=progress, cancelled=cancelled)
            if kind == "report":
                from remote.export.report import write_report

                return write_report(history(), run_id, path, cancelled)
            from remote.export.tables import write_tables

            write_tables(history(), run_id, path)
            return path

        def done(written: Path) -> None:
            self._controller.notices.info(
                tr("Run {run_id} was written to {written}", run_id=run_id, written=written)
            )

        failed = self._controller.notices.error
        what = tr("Writing {name} …", name=path.name)
        return LongWork(self._controller.bridge, self._window, what, work, done, failed)


class Importing(QObject):
    """Takes run bundles into the history; ``show`` is called with a run that is there then."""

    def __init__(
        self, controller: Controller, window: QWidget, show: Callable[[str], None]
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._window = window
        self._show = show
        controller.bundle_asked.connect(self.ask)

    def ask(self) -> None:
        """Ask for a file."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, tr("Import run"), "", tr("Run bundles (*.clewrun);;All files (*)")
        )
        if name:
            self.take(Path(name))

    def take(self, path: Path) -> bool:
        """Import a file in the background."""
        controller = self._controller

        def work(progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> Imported:
            from remote.export.importing import import_bundle

            return import_bundle(controller.history(), path, progress=progress, cancelled=cancelled)

        def done(found: Imported) -> None:
            name = f" ({found.name})" if found.name else ""
            if found.added:
                controller.notices.info(
                    tr("Run {run_id}{name} is in the history now.", run_id=found.run_id, name=name)
                )
            else:
                controller.notices.info(
                    tr(
                        "Run {run_id}{name} was in the history already.",
                        run_id=found.run_id,
                        name=name,
                    )
                )
            self._show(found.run_id)

        def failed(error: ClewError) -> None:
            controller.notices.error(error)

        importing: Work[Imported] = work
        what = tr("Importing {name} …", name=path.name)
        LongWork(controller.bridge, self._window, what, importing, done, failed)
        return True
