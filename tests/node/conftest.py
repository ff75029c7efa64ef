from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.local_node import LocalNode


@pytest.fixture
def node(tmp_path: Path) -> Iterator[LocalNode]:
    """A node on this machine, in a folder with blanks, quotes and non-ASCII in its name."""
    made = LocalNode(tmp_path / "a 'node' \"ü\"")
    yield made
    made.close()
