"""Where a test's history lies."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a 'quoted' folder ü" / "history.db"
