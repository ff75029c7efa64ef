"""Nodes that a job had are gone from the window when the session has given them back."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.controller import Controller
from gui.slurm_data import is_slurm


class LentNodes(QObject):
    """Looks at each tick; the session's nodes are the truth, whatever a closed one said last."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        controller.ticked.connect(self.look)

    def look(self) -> None:
        """Forget nodes that the session has no more."""
        session, nodes = self._controller.session, self._controller.models.nodes
        if session is None or not is_slurm(session.profile):
            return
        if nodes.keep_only(session.nodes):
            self._controller.changed.emit()
