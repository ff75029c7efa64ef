"""scikit-learn's handwritten digits: one file, ``digits.csv.gz``, read without scikit-learn.

A line is 64 pixels of an 8x8 image, 0 to 16, then the digit. Every fifth example is for testing:
a fixed rule, because the file's writers follow each other and its last fifth is other people's.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from trainer.data.kinds import DEFAULTS, Dataset, Options, Split, Summary
from trainer.failures import BadData

FILE = "digits.csv.gz"
SIDE = 8
CLASSES = 10
BRIGHTEST = 16
TEST_EVERY = 5
MAX_BYTES = 64 << 20


def check(folder: Path, options: Options = DEFAULTS) -> Summary:
    """Read the file and say what it holds. Raises ``BadData``."""
    count = len(_rows(folder)) // (SIDE * SIDE + 1)
    test = count // TEST_EVERY
    return Summary(train=count - test, test=test, shape=(SIDE, SIDE, 1), classes=CLASSES)


def load(folder: Path, seed: int, options: Options = DEFAULTS) -> Dataset:
    """The fixed split; ``seed`` has no part in it. Raises ``BadData``."""
    import numpy as np

    table = np.frombuffer(_rows(folder), np.uint8).reshape(-1, SIDE * SIDE + 1)
    is_test = np.arange(len(table)) % TEST_EVERY == TEST_EVERY - 1

    def split(rows: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Split:
        pixels = np.ascontiguousarray(rows[:, :-1]).reshape(-1, SIDE, SIDE, 1)
        return Split(images=pixels, labels=rows[:, -1].astype(np.int32))

    train, test = split(table[~is_test]), split(table[is_test])
    return Dataset(train=train, test=test, scale=1 / BRIGHTEST, classes=CLASSES)


def _rows(folder: Path) -> bytes:
    """All values in file order, one byte each."""
    path = folder / FILE
    values = bytearray()
    lines = _lines(path)
    for number, line in enumerate(lines, 1):
        values += _row(path, number, line)
    if len(lines) < TEST_EVERY:
        raise BadData(f"{path} holds {len(lines)} examples, too few; get the file again")
    return bytes(values)


def _lines(path: Path) -> list[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except EOFError:
        raise BadData(f"{path}: the gzip stream is cut; get the file again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise BadData(f"{path} is not a sound gzip file; get it again") from None
    except FileNotFoundError:
        raise BadData(f"{path} is missing; put scikit-learn's {FILE} there") from None
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise BadData(f"{path} holds more than {MAX_BYTES} bytes; give a smaller file")
    return content.splitlines()


def _row(path: Path, number: int, line: bytes) -> bytes:
    try:
        values = [float(cell) for cell in line.split(b",")]
        row = bytes(int(value) for value in values)
    except (ValueError, OverflowError):
        raise BadData(f"{path} line {number} is not {SIDE * SIDE + 1} numbers from 0 on") from None
    if len(row) != SIDE * SIDE + 1:
        raise BadData(
            f"{path} line {number} has {len(row)} numbers, not {SIDE * SIDE + 1}; "
            f"give scikit-learn's {FILE}"
        )
    if max(row[:-1]) > BRIGHTEST:
        raise BadData(f"{path} line {number} has a pixel {max(row[:-1])}; the most is {BRIGHTEST}")
    if row[-1] >= CLASSES:
        raise BadData(f"{path} line {number} has a label {row[-1]}; labels go from 0 to 9")
    return row
