"""Where the data is, and folders whose names are as bad as users' are."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture
def odd_path(tmp_path: Path) -> Path:
    """A folder whose name has blanks, quotes and letters beyond ASCII."""
    path = tmp_path / 'Ana\'s  "Größe" 数据 $HOME'
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def digits_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scikit-learn's digits, as it is staged to nodes."""
    found = importlib.util.find_spec("sklearn")
    assert found is not None
    assert found.origin is not None
    folder = tmp_path_factory.mktemp("digits été")
    shutil.copy(Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz", folder)
    return folder


@pytest.fixture(scope="session")
def mnist_folder() -> Path:
    """The real MNIST files: in ``$CLEW_SHARED/data/mnist``, or in a ``shared`` beside us."""
    roots = [Path(os.environ["CLEW_SHARED"])] if "CLEW_SHARED" in os.environ else []
    roots += [parent / "shared" for parent in Path(__file__).resolve().parents]
    for root in roots:
        if (root / "data" / "mnist" / "train-images-idx3-ubyte.gz").exists():
            return root / "data" / "mnist"
    pytest.skip("the MNIST files are not here")
