"""Opening and saving profiles from the window, and never losing an edit on the way."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from gui.controller import Controller
from gui.language import tr
from gui.practice import is_practice_profile
from gui.settings import Settings
from remote.errors import ProfileError

_FILTER = tr("Profiles (*.yaml *.yml);;All files (*)")
_OPENED = tr(
    "Profiles and run bundles (*.yaml *.yml *.clewrun);;Profiles (*.yaml *.yml);;Run "
    "bundles (*.clewrun);;All files (*)"
)


class ProfileFiles:
    """The dialogs about files. Each method returns whether it went through."""

    def __init__(self, window: QWidget, controller: Controller, settings: Settings) -> None:
        self._window = window
        self._controller = controller
        self._settings = settings

    def ask(self) -> str:
        """Ask for a profile's file, or a run bundle's; empty: the user wants none."""
        start = self._controller.document.path
        name, _ = QFileDialog.getOpenFileName(
            self._window, tr("Open"), str(start.parent) if start else "", _OPENED
        )
        return str(name)

    def open_path(self, path: Path, *, remember: bool = True) -> bool:
        """Open ``path``; a profile that cannot be used is told with every line."""
        if not self.may_replace():
            return False
        controller = self._controller
        if controller.run_active:
            controller.notices.warning(
                tr("A run is going on."), tr("Stop it, or wait for its end.")
            )
            return False
        try:
            controller.document.open(path)
        except ProfileError as error:
            controller.notices.error(str(error))
            return False
        controller.leave_profile()
        if remember and not is_practice_profile(path):
            self._settings.add_recent(path)
        loaded = controller.document.loaded
        warnings = [issue.text(path.name) for issue in loaded.warnings] if loaded else []
        if controller.document.read_only:
            left_out = "".join(f"\n{text}" for text in warnings[1:])  # the first says just this
            controller.notices.warning(
                tr("{name} was made by a newer Clew.", name=path.name),
                tr("It can be used here, and not saved.{left_out}", left_out=left_out),
            )
            return True
        for text in warnings:
            controller.notices.warning(text)
        return True

    def save(self) -> bool:
        """Save to the profile's own file, or ask for one."""
        path = self._controller.document.path
        return self._save_to(path) if path is not None else self.save_as()

    def save_as(self) -> bool:
        """Ask for a file and save there."""
        document = self._controller.document
        start = document.path or Path(f"{document.title or 'cluster'}.yaml")
        name, _ = QFileDialog.getSaveFileName(self._window, tr("Save profile"), str(start), _FILTER)
        path = Path(name)
        if name and not path.suffix:  # or the dialog that opens profiles would not list it
            path = path.with_name(f"{path.name}.yaml")
            if path.exists() and not self._may_overwrite(path):
                return False
        return bool(name) and self._save_to(path)

    def may_replace(self) -> bool:
        """Ask about unsaved changes; False when the user wants to stay."""
        document = self._controller.document
        if not document.dirty:
            return True
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(tr("Save the changes of {title}?", title=document.title))
        box.setInformativeText(tr("They are lost otherwise."))
        buttons = QMessageBox.StandardButton
        can_save = document.profile is not None and not document.read_only
        wanted = buttons.Discard | buttons.Cancel
        box.setStandardButtons(wanted | buttons.Save if can_save else wanted)
        box.setDefaultButton(buttons.Save if can_save else buttons.Cancel)
        answer = box.exec()
        if answer == buttons.Save:
            return self.save()
        return bool(answer == buttons.Discard)

    def _may_overwrite(self, path: Path) -> bool:
        buttons = QMessageBox.StandardButton
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(tr("Replace {name}?", name=path.name))
        box.setInformativeText(tr("There is a file of that name already."))
        box.setStandardButtons(buttons.Yes | buttons.Cancel)
        box.setDefaultButton(buttons.Cancel)
        return bool(box.exec() == buttons.Yes)

    def _save_to(self, path: Path) -> bool:
        document = self._controller.document
        own = path == document.path
        try:
            document.save(path)
        except ProfileError as error:
            self._controller.notices.error(str(error))
            return False
        copy = document.loaded.backup if document.loaded is not None else None
        if copy is not None:
            names = {"name": path.name, "copy": copy.name}
            self._controller.notices.info(
                tr("The comments of {name} are kept in {copy}", **names)
                if own
                else tr("What {name} was is kept in {copy}", **names)
            )
        if not is_practice_profile(path):
            self._settings.add_recent(path)
        return True
