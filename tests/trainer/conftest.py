"""Where the data is."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trainer.decoding import Ask, decoder


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
def mnist_folder(shared_data: Path) -> Path:
    """The real MNIST files."""
    folder = shared_data / "data" / "mnist"
    if not (folder / "train-images-idx3-ubyte.gz").exists():
        pytest.skip("the MNIST files are not here")
    return folder


@pytest.fixture
def odd_path(weird_path: Path) -> Path:
    """An empty folder with an awkward path."""
    return weird_path


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks the one process that has loaded TensorFlow for all tests of images."""
    with decoder(tmp_path_factory.mktemp("decoding") / "stderr") as answers:
        yield answers
