"""A real window in a process of its own that edits a profile and is killed: for ``test_drafts``.

python draft_app.py PROFILE BATCH_SIZE
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtCore import QTimer

from gui.app import make_application
from gui.drafts import FOLDER
from gui.kept_files import data_folder
from gui.settings import Settings
from gui.theme import Theme
from gui.window import MainWindow

LAST_MS = 120_000


def main() -> int:
    profile, batch_size = sys.argv[1], sys.argv[2]
    app = make_application(sys.argv[:1])
    Theme(app, "light")
    window = MainWindow(Settings())
    window.show()
    window.open_profile(profile)
    window.controller.document.set_training({"batch_size": batch_size}, "typing")
    look = QTimer(window)

    def say() -> None:
        if list((data_folder() / FOLDER).glob("*.json")):
            look.stop()
            sys.stdout.write("kept\n")
            sys.stdout.flush()

    look.timeout.connect(say)
    look.start(20)
    QTimer.singleShot(LAST_MS, lambda: os._exit(3))
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
