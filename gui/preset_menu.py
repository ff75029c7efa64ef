"""The button above the training form that offers presets, and keeps and deletes one's own."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu, QPushButton

from gui.controller import Controller
from gui.language import tr
from gui.notices import Notice
from gui.presets import BUILT_IN, OwnPresets, Preset, applied, needs_folder
from remote.errors import ClewError

TOPIC = "preset"


class PresetButton(QPushButton):
    """Its menu is made when it opens: another window may have saved a preset meanwhile."""

    def __init__(self, controller: Controller, own: OwnPresets | None = None) -> None:
        super().__init__(tr("Presets"))
        self._controller = controller
        self.own = own if own is not None else OwnPresets()
        self.setToolTip(tr("Begin with a training that is known to work, or keep this one"))
        self.setAccessibleName(tr("Presets"))
        self.choices = QMenu(self)
        self.choices.setToolTipsVisible(True)
        self.setMenu(self.choices)
        self.choices.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Make the menu anew."""
        menu = self.choices
        menu.clear()
        for preset in BUILT_IN:
            self._add(menu, preset)
        try:
            own = self.own.all()
        except ClewError as error:
            own = []
            self._controller.notices.error(error)
        if own:
            menu.addSeparator()
        for preset in own:
            self._add(menu, preset)
        menu.addSeparator()
        menu.addAction(tr("Save as preset…")).triggered.connect(lambda: self.ask_name())
        deleting = QMenu(tr("Delete preset"), menu)
        for preset in own:
            entry = deleting.addAction(_menu_text(preset.name))
            entry.triggered.connect(lambda _=False, p=preset: self.delete(p.name))
        menu.addMenu(deleting).setEnabled(bool(own))

    def use(self, preset: Preset) -> None:
        """Put the preset into the form, as one step that can be taken back."""
        document = self._controller.document
        document.seal()
        training = applied(preset, document.training())
        document.set_training(training, f"preset {preset.name}")
        document.seal()
        folder = tr(" Choose the folder of the data.") if needs_folder(training) else ""
        self._controller.offer_undo(
            tr("{name} is in the form.{folder}", name=preset.name, folder=folder)
        )

    def ask_name(self) -> None:
        """Ask what the form's training shall be called, and keep it."""
        name, good = QInputDialog.getText(self, tr("Save as preset"), tr("Name of the preset:"))
        if good:
            self.save(name)

    def save(self, name: str) -> None:
        """Keep what the form has as ``name``; one of that name is replaced, and can come back."""
        notices, document = self._controller.notices, self._controller.document
        if document.issues_under("training"):
            notices.warning(
                tr("A training with mistakes is no preset."), tr("Fix what is marked first.")
            )
            return
        try:
            before = self.own.save(name, document.training())
        except ClewError as error:
            notices.error(error)
            return
        words = " ".join(name.split())
        if before is None:
            self._tell(Notice("info", tr("{words} is among your presets.", words=words)))
        else:
            self._tell(self._undoable(tr("{words} was replaced.", words=words), before))

    def delete(self, name: str) -> None:
        """Forget the preset, and offer to bring it back."""
        try:
            gone = self.own.delete(name)
        except ClewError as error:
            self._controller.notices.error(error)
            return
        if gone is not None:
            self._tell(self._undoable(tr("The preset {name} was deleted.", name=name), gone))

    def _undoable(self, text: str, before: Preset) -> Notice:
        def bring_back() -> None:
            try:
                self.own.save(before.name, before.training)
            except ClewError as error:
                self._controller.notices.error(error)

        return Notice("info", text, action=tr("Undo"), run_action=bring_back)

    def _tell(self, notice: Notice) -> None:
        notice.topic = TOPIC
        self._controller.notices.dismiss_topic(TOPIC)
        self._controller.notices.add(notice)

    def _add(self, menu: QMenu, preset: Preset) -> QAction:
        entry = menu.addAction(_menu_text(preset.name))
        entry.setToolTip(preset.about or tr("Saved by you"))
        entry.triggered.connect(lambda _=False, p=preset: self.use(p))
        return entry


def _menu_text(name: str) -> str:
    return name.replace("&", "&&")
