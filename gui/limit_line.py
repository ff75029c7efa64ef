"""One line that says what limits the run that is shown, and what to do about it."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.device_model import DeviceModel
from gui.elided import ElidedLabel
from gui.language import tr
from gui.pages import set_tone
from gui.run_model import RunModel
from gui.said import said
from gui.theme import UNIT
from remote.limits import Limit, Part

LOOK_EVERY_S = 1.0
_TONES: dict[Part, str] = {"compute": "ok", "other": "muted"}
"""The rest is worth a look."""


class LimitLine(QWidget):
    """Empty, and not there, while nothing can be told."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.remedy = ElidedLabel(), ElidedLabel()
        self.text.setAccessibleName(tr("What limits the run"))
        self.remedy.setAccessibleName(tr("What to do about it"))
        set_tone(self.remedy, "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 2, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.text)
        row.addWidget(self.remedy, 1)
        self._next_look = 0.0
        self._run: RunModel | None = None
        self.hide()

    def show_run(self, run: RunModel | None, devices: DeviceModel | None) -> None:
        """Look at ``run`` again, but at the same one not more than once a second."""
        now = time.monotonic()
        if run is self._run and now < self._next_look:
            return
        self._run, self._next_look = run, now + LOOK_EVERY_S
        gpu_percent = devices.mean_gpu_percent() if devices is not None else None
        self._show(run.limit(gpu_percent) if run is not None else None)

    def _show(self, limit: Limit | None) -> None:
        self.setVisible(limit is not None)
        if limit is None:
            return
        self.text.setText(said(limit.text))
        self.remedy.setText(said(limit.remedy))
        set_tone(self.text, _TONES.get(limit.part, "warn"))
