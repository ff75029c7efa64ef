"""Scaling studies in the main window: the one that is being made, and the window to see them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gui.controller import Controller
from gui.followed import same_cluster
from gui.opening import Opening
from gui.study_maker import StudyMaker
from remote.errors import ProfileError

if TYPE_CHECKING:
    from gui.study_window import StudyWindow
    from remote.study import Study


class Studies:
    """The window is made when it is first asked for; a study goes on without it."""

    def __init__(self, controller: Controller, opening: Opening, parent: QWidget) -> None:
        self._controller = controller
        self._opening = opening
        self._parent = parent
        self.maker = StudyMaker(controller)
        self.window: StudyWindow | None = None

    @property
    def shows_next(self) -> bool:
        """Whether the run that comes into view is a further one of a study: no page need open."""
        return self.maker.active and self.maker.runs_made > 0

    def show(self) -> None:
        """Open the window, or bring it to the front."""
        from gui.study_window import StudyWindow

        if self.window is None:
            self.window = StudyWindow(self._controller, self.maker, self.open_profile, self._parent)
        else:
            self.window.load()
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def open_profile(self, study: Study) -> bool:
        """Open the file that a study was begun with, or its profile as it was then."""
        from remote import profile

        then = profile.loads(study.profile, study.name).profile
        try:
            loaded = profile.load(Path(study.profile_path)) if study.profile_path else None
        except ProfileError:
            loaded = None
        if loaded is not None and same_cluster(loaded.profile, then):
            return self._opening.file(study.profile_path)
        return self._opening.recorded(then)
