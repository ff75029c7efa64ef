"""The first page: what one can do when nothing is open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.icons import app_icon, glyph
from gui.language import tr
from gui.pages import heading, muted, plain
from gui.practice import missing_for_practice
from gui.theme import UNIT, colors, scaled, theme


class StartPage(QWidget):
    """Five ways to begin, and the profiles that were open before."""

    open_asked = Signal()
    new_asked = Signal()
    practice_asked = Signal()
    import_asked = Signal()
    slurm_asked = Signal()
    recent_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        self.open_button = Choice(tr("Open profile…"), tr("A YAML file that names your nodes"))
        self.new_button = Choice(tr("New profile"), tr("Start with an empty list of nodes"))
        self.practice_button = Choice(
            tr("Practice on this computer"), tr("Three small nodes, no GPU, no account needed")
        )
        self.import_button = Choice(
            tr("Import from SSH config…"), tr("A new profile of hosts that ~/.ssh/config names")
        )
        self.slurm_button = Choice(
            tr("Add a Slurm cluster…"), tr("Log in to one machine, and Slurm gives the nodes")
        )
        self.recent = QListWidget()
        self.recent.setAccessibleName(tr("Recent profiles"))
        self.recent_label = muted(tr("Recent"))
        self._build()
        theme().watch(self, self._paint_icons)
        self._paint_icons()
        self.show_practice()

    def show_practice(self) -> None:
        """Say on the button what is missing, if anything is."""
        missing = missing_for_practice()
        self.practice_button.setEnabled(not missing)
        if missing:
            self.practice_button.show_text(
                tr("Needs: pip install {names}", names=" ".join(missing))
            )

    def show_recent(self, paths: list[str]) -> None:
        """List recent profiles, newest first."""
        self.recent.clear()
        for path in paths:
            item = QListWidgetItem(f"{Path(path).stem}    {path}")
            item.setData(Qt.ItemDataRole.UserRole, path)
            self.recent.addItem(item)
        self.recent.setVisible(bool(paths))
        self.recent_label.setVisible(bool(paths))
        self.recent.setFixedHeight(min(6, max(1, len(paths))) * 36 + 10)

    def _build(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(UNIT)
        head = QHBoxLayout()
        head.setSpacing(2 * UNIT)
        mark = QLabel()
        mark.setPixmap(app_icon().pixmap(72, 72))
        words = QVBoxLayout()
        words.setSpacing(2)
        name = heading("Clew")
        name.setFont(scaled(name.font(), 1.5, bold=True))
        words.addStretch(1)
        words.addWidget(name)
        words.addWidget(muted(tr("Train on your GPU machines over SSH, and see every step.")))
        words.addStretch(1)
        head.addWidget(mark)
        head.addLayout(words, 1)
        column.addLayout(head)
        column.addSpacing(2 * UNIT)
        for button in (
            *(self.open_button, self.practice_button),
            *(self.import_button, self.slurm_button, self.new_button),
        ):
            column.addWidget(button)
        column.addSpacing(UNIT)
        column.addWidget(self.recent_label)
        column.addWidget(self.recent)
        column.addStretch(1)
        middle = QWidget()
        middle.setLayout(column)
        middle.setMaximumWidth(560)
        outer = QHBoxLayout(self)
        outer.addStretch(1)
        outer.addWidget(middle, 4)
        outer.addStretch(1)
        column.insertSpacing(0, 6 * UNIT)
        self.open_button.clicked.connect(lambda: self.open_asked.emit())
        self.new_button.clicked.connect(lambda: self.new_asked.emit())
        self.import_button.clicked.connect(lambda: self.import_asked.emit())
        self.slurm_button.clicked.connect(lambda: self.slurm_asked.emit())
        self.practice_button.clicked.connect(lambda: self.practice_asked.emit())
        self.recent.itemActivated.connect(
            lambda item: self.recent_asked.emit(item.data(Qt.ItemDataRole.UserRole))
        )

    def _paint_icons(self) -> None:
        c = colors()
        for button, icon in (
            (self.open_button, "open"),
            (self.new_button, "new"),
            (self.practice_button, "practice"),
            (self.import_button, "connect"),
            (self.slurm_button, "cluster"),
        ):
            button.icon_label.setPixmap(glyph(icon, c["accent"], size=28).pixmap(28, 28))


class Choice(QPushButton):
    """A large button with an icon, a title and a line about it."""

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.setProperty("kind", "step")
        self.setAccessibleName(title)
        self.icon_label = QLabel()
        self.title = plain(title)
        self.title.setFont(scaled(self.title.font(), 1.1, bold=True))
        self.text_label = muted("")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.text_label)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 12, 20, 12)
        row.setSpacing(18)
        row.addWidget(self.icon_label)
        row.addLayout(words, 1)
        for label in (self.icon_label, self.title, self.text_label):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_text(text)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def event(self, event: QEvent) -> bool:
        """Keep the height that the words need: a style sheet sets one of its own."""
        done = super().event(event)
        kinds = QEvent.Type
        if event.type() in (kinds.Polish, kinds.StyleChange, kinds.FontChange):
            self.setMinimumHeight(self.sizeHint().height())
        return done

    def show_text(self, text: str) -> None:
        self.text_label.setText(text)
        self.setAccessibleDescription(text)
