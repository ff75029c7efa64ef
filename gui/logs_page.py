"""The tasks' logs: plain text, bounded, searchable, one task or all together."""

from __future__ import annotations

from collections import deque

from PySide6.QtGui import QColor, QFont, QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
)

from gui.controller import Controller
from gui.logtext import LogLines
from gui.pages import Page, muted, plain, set_tone
from gui.theme import UNIT, colors, mono_font
from trainer.spec import TaskId

SHOWN_LINES = 5000
LINES_PER_TICK = 1500
ALL = "all"


class LogsPage(Page):
    """A list of tasks and the end of the chosen one's log."""

    def __init__(self, controller: Controller) -> None:
        super().__init__("Logs", "What each task wrote to its standard output and error")
        self._controller = controller
        self.tasks = QListWidget()
        self.text = QPlainTextEdit()
        self.search = QLineEdit()
        self.found = muted("")
        self.follow = QCheckBox("Follow")
        self.empty = muted("Nothing yet. Logs appear here when a run is launched or opened.")
        self.tail = plain("")
        self._run_id = ""
        self._taken: dict[TaskId, int] = {}
        self._tail_shown: dict[TaskId, str] = {}
        self._pending: deque[str] = deque(maxlen=SHOWN_LINES)
        self._build()

    def refresh(self, now: float) -> None:
        run = self._controller.models.run
        self.empty.setVisible(run is None or not run.logs)
        if run is None:
            return
        if run.run_id != self._run_id:
            self._run_id = run.run_id
            self.tasks.clear()
            self._start_over()
        self._list_tasks(list(run.logs))
        self._collect(run.logs)
        self._append()

    def chosen(self) -> str:
        """``all`` or the task whose log is shown."""
        item = self.tasks.currentItem()
        return item.text() if item is not None else ALL

    def _build(self) -> None:
        self.tasks.setFixedWidth(120)
        self.tasks.setAccessibleName("Tasks")
        self.tasks.currentItemChanged.connect(lambda *_: self._start_over())
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(SHOWN_LINES)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(mono_font())
        self.text.setAccessibleName("Log")
        self.text.setUndoRedoEnabled(False)
        self.search.setPlaceholderText("Search  (Ctrl+F)")
        self.search.setAccessibleName("Search the log")
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(240)
        self.search.textChanged.connect(self._highlight)
        self.search.returnPressed.connect(self._find_next)
        self.follow.setChecked(True)
        self.follow.setToolTip("Keep the newest line in sight")
        copy = QPushButton("Copy all")
        copy.clicked.connect(self._copy)
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        shortcut.activated.connect(self.search.setFocus)
        for widget in (self.found, self.search, self.follow, copy):
            self.head.addWidget(widget)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.tasks)
        row.addWidget(self.text, 1)
        self.body.addWidget(self.empty)
        self.body.addLayout(row, 1)
        self.tail.setFont(mono_font())
        self.tail.setAccessibleName("Unfinished line")
        self.body.addWidget(self.tail)

    def _list_tasks(self, tasks: list[TaskId]) -> None:
        names = [ALL, *map(str, sorted(tasks))]
        shown = [self.tasks.item(row).text() for row in range(self.tasks.count())]
        if names == shown:
            return
        chosen = self.chosen()
        self.tasks.blockSignals(True)
        self.tasks.clear()
        for name in names:
            item = QListWidgetItem(name)
            font = QFont(self.tasks.font())
            font.setBold(name == ALL)
            item.setFont(font)
            self.tasks.addItem(item)
        self.tasks.setCurrentRow(names.index(chosen) if chosen in names else 0)
        self.tasks.blockSignals(False)

    def _start_over(self) -> None:
        self.text.clear()
        self._taken.clear()
        self._tail_shown.clear()
        self._pending.clear()
        self.tail.setText("")

    def _collect(self, logs: dict[TaskId, LogLines]) -> None:
        """Take lines that are new since the last tick; of more than fit, the newest."""
        chosen = self.chosen()
        for task, log in logs.items():
            if chosen not in (ALL, str(task)):
                continue
            new = log.added - self._taken.get(task, 0)
            self._taken[task] = log.added
            prefix = f"{task}  " if chosen == ALL else ""
            if new > 0:
                count = min(new, len(log.lines), SHOWN_LINES)
                first = len(log.lines) - count
                self._pending.extend(
                    prefix + log.lines[position] for position in range(first, len(log.lines))
                )
            if chosen != ALL:
                self._show_tail(task, log)

    def _show_tail(self, task: TaskId, log: LogLines) -> None:
        """The unfinished line, such as a progress bar, as it stands now."""
        tail = log.current
        if tail != self._tail_shown.get(task, ""):
            self._tail_shown[task] = tail
            self.tail.setText(tail[-200:])

    def _append(self) -> None:
        if not self._pending:
            return
        lines = [self._pending.popleft() for _ in range(min(len(self._pending), LINES_PER_TICK))]
        bar = self.text.verticalScrollBar()
        keep = bar.value()
        self.text.appendPlainText("\n".join(lines))
        if self.follow.isChecked():
            bar.setValue(bar.maximum())
        else:
            bar.setValue(keep)

    def _copy(self) -> None:
        self.text.selectAll()
        self.text.copy()
        self.text.moveCursor(QTextCursor.MoveOperation.End)

    def _find_next(self) -> None:
        self.follow.setChecked(False)
        wanted = self.search.text()
        if wanted and not self.text.find(wanted):
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(wanted)

    def _highlight(self) -> None:
        wanted = self.search.text()
        marks: list[QTextEdit.ExtraSelection] = []
        document = self.text.document()
        cursor = QTextCursor(document)
        while wanted and len(marks) < 500:
            cursor = document.find(wanted, cursor, QTextDocument.FindFlag(0))
            if cursor.isNull():
                break
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format.setBackground(QColor(colors()["selection"]))
            marks.append(mark)
        self.text.setExtraSelections(marks)
        many = "500+" if len(marks) == 500 else str(len(marks))
        self.found.setText(f"{many} found" if wanted else "")
        set_tone(self.found, "muted" if marks else "warn")
        if marks and wanted:
            self.text.setTextCursor(marks[-1].cursor)
