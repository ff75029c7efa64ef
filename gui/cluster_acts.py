"""What the window's actions do with the cluster: its page, and the dialogs about nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

if TYPE_CHECKING:
    from gui.window import MainWindow


class ClusterActs:
    """Slots of the actions; each shows the cluster where it is needed."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def check(self) -> None:
        """Check the nodes and the ways between them."""
        self._window.show_page("cluster")
        self._window.controller.check(hello=False)

    def sweep(self) -> None:
        """Look for what runs have left."""
        from gui.sweep_dialog import SweepDialog

        dialog = SweepDialog(self._window.controller, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def import_hosts(self) -> None:
        """Pick nodes from the SSH configuration: for the open profile, or for a new one."""
        window = self._window
        if window.controller.document.is_open:
            window.show_page("cluster")
        ask: Callable[[], QDialog] | None = getattr(window.page("cluster"), "import_hosts", None)
        if ask is not None:
            ask().accepted.connect(lambda: window.show_page("cluster"))

    def add_node(self) -> None:
        """Type a new node into the table."""
        self._window.show_page("cluster")
        call: Callable[[], object] | None = getattr(self._window.page("cluster"), "add_node", None)
        if call is not None:
            call()

    def add_slurm(self) -> None:
        """Have Slurm give the nodes: of the open profile if it names none, or of a new one."""
        window, document = self._window, self._window.controller.document
        if document.slurm is None:
            has_nodes = any(any(node.values()) for node in document.nodes())
            if document.is_open and not has_nodes and not document.read_only:
                document.seal()
                document.set_slurm({"login": ""}, "add a Slurm cluster")
                document.seal()
            elif window.files.may_replace():
                window.controller.leave_profile()
                document.new({"cluster": {"slurm": {"login": ""}}})
            else:
                return
        window.show_page("cluster")
        form = getattr(window.page("cluster"), "slurm", None)
        if form is not None:
            form.focus_login()
