"""Which profile is opened how: a file, the practice cluster's own, or one as a run recorded it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gui.background import run_in_background
from gui.controller import Controller
from gui.files import ProfileFiles
from gui.language import tr
from gui.practice import Practice, is_practice_profile, practice_folder
from remote.errors import ClewError

if TYPE_CHECKING:
    from remote.profile import Profile


class Opening:
    """Opens profiles; ``show`` is called when one is there. False: the user stays where they are.

    Args:
        controller: the window's.
        files: asks about unsaved changes and reads files.
        practice: the practice cluster of this window.
        show: shows the profile that has just been opened.
    """

    def __init__(
        self,
        controller: Controller,
        files: ProfileFiles,
        practice: Practice,
        show: Callable[[], None],
    ) -> None:
        self._controller = controller
        self._files = files
        self._practice = practice
        self._show = show

    def file(self, path: str) -> bool:
        """Open a file. The practice cluster's profile is of no use without it: it is started."""
        if self._needs_practice(Path(path)):
            return self.start_practice()
        if not self._files.open_path(Path(path)):
            return False
        self._show()
        return True

    def recorded(self, profile: Profile) -> bool:
        """Open a profile that has no file, as a run was recorded with it."""
        from remote.profile import to_data

        if not self._files.may_replace():
            return False
        self._controller.leave_profile()
        self._controller.document.new(to_data(profile))
        self._show()
        return True

    def start_practice(self) -> bool:
        """Start the practice cluster in the background, open its profile and connect."""
        if not self._files.may_replace():
            return False
        controller = self._controller
        controller.notices.info(tr("Starting three practice nodes on this computer …"))
        started = controller.notices.open[-1]

        def done(path: Path) -> None:
            controller.notices.dismiss(started)
            controller.known_hosts = list(self._practice.known_hosts)
            if self._files.open_path(path, remember=False):
                self._show()
                controller.connect_nodes()

        def failed(error: ClewError) -> None:
            controller.notices.dismiss(started)
            controller.notices.error(error)

        run_in_background(controller.bridge, self._practice.start, done, failed, name="practice")
        return True

    def _needs_practice(self, path: Path) -> bool:
        """Whether ``path`` is the practice cluster's, and nobody else has started that."""
        if not is_practice_profile(path):
            return False
        known = [file.resolve().parent for file in self._controller.known_hosts]
        return self._practice.running or practice_folder() not in known
