"""CIFAR-10, the binary version: six files of 10,000 records, ten classes.

A record is a label byte, then 32x32 bytes each of red, green and blue, row by row
(https://www.cs.toronto.edu/~kriz/cifar.html).
"""

from __future__ import annotations

from pathlib import Path

from trainer.data.kinds import DEFAULTS, Dataset, Options, Split, Summary
from trainer.data.magic import foreign
from trainer.failures import BadData

SIDE = 32
CLASSES = 10
RECORDS = 10_000
PIXELS = 3 * SIDE * SIDE
RECORD = 1 + PIXELS
INSIDE = "cifar-10-batches-bin"
TRAIN = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST = ("test_batch.bin",)
_BINARY = "get the binary version (cifar-10-binary.tar.gz) and unpack it"
_OTHERS = (
    ("cifar-10-batches-py", f"holds the Python version; {_BINARY}"),
    ("batches.meta", f"holds the Python version; {_BINARY}"),
    ("data_batch_1", f"holds the Python version; {_BINARY}"),
    ("cifar-10-batches-mat", f"holds the MATLAB version; {_BINARY}"),
    ("data_batch_1.mat", f"holds the MATLAB version; {_BINARY}"),
    ("cifar-10-python.tar.gz", f"holds the Python version, packed; {_BINARY}"),
    ("cifar-10-matlab.tar.gz", f"holds the MATLAB version, packed; {_BINARY}"),
    ("cifar-10-binary.tar.gz", "holds the archive; unpack cifar-10-binary.tar.gz there"),
    ("cifar-100-binary", f"holds CIFAR-100; for CIFAR-10 {_BINARY}"),
    ("fine_label_names.txt", f"holds CIFAR-100; for CIFAR-10 {_BINARY}"),
)


def check(folder: Path, options: Options = DEFAULTS) -> Summary:
    """Read all six files and say what they hold. Raises ``BadData``."""
    base = _base(folder)
    for name in (*TRAIN, *TEST):
        read_batch(base / name)
    shape = (SIDE, SIDE, 3)
    return Summary(train=RECORDS * len(TRAIN), test=RECORDS, shape=shape, classes=CLASSES)


def load(folder: Path, seed: int, options: Options = DEFAULTS) -> Dataset:
    """The files' own split; ``seed`` has no part in it. Raises ``BadData``."""
    base = _base(folder)
    train, test = (_split([read_batch(base / name) for name in names]) for names in (TRAIN, TEST))
    return Dataset(train=train, test=test, scale=1 / 255, classes=CLASSES)


def read_batch(path: Path, records: int = RECORDS) -> bytes:
    """The bytes of one file of exactly ``records`` records.

    Raises:
        BadData: missing, unreadable, of another size or kind, or with a label that is none.
    """
    wanted = records * RECORD
    try:
        with path.open("rb") as file:
            content = file.read(wanted + 1)
            extra = file.seek(0, 2) - wanted
    except FileNotFoundError:
        raise BadData(f"{path} is missing; put it there, or {_BINARY}") from None
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
    if extra:
        raise BadData(f"{path} {_what_it_is(content, extra, wanted)}")
    highest = max(content[::RECORD], default=0)
    if highest >= CLASSES:
        number = next(i for i, label in enumerate(content[::RECORD]) if label >= CLASSES)
        raise BadData(
            f"{path} record {number} has a label {content[number * RECORD]}; labels go from 0 to "
            f"{CLASSES - 1}; {_BINARY}"
        )
    return content


def _base(folder: Path) -> Path:
    for base in (folder, folder / INSIDE):
        if any((base / name).exists() for name in (*TRAIN, *TEST)):
            return base
    for name, phrase in _OTHERS:
        if (folder / name).exists():
            raise BadData(f"{folder} {phrase}")
    raise BadData(f"{folder / TRAIN[0]} is missing; put it there, or {_BINARY}")


def _what_it_is(content: bytes, extra: int, wanted: int) -> str:
    """A phrase for a file that is ``extra`` bytes longer than ``wanted``."""
    known = foreign(content, "images", "binary version")
    if known is not None:
        return f"is {known.kind}; {known.remedy}"
    if content.startswith((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")):
        return f"is a pickle: this is the Python version; {_BINARY}"
    if extra < 0:
        return f"is short by {-extra} bytes, it should have {wanted}; get the file again"
    return f"has {extra} bytes more than the {wanted} of a batch; {_BINARY}"


def _split(batches: list[bytes]) -> Split:
    import numpy as np

    table = np.frombuffer(b"".join(batches), np.uint8).reshape(-1, RECORD)
    planes = table[:, 1:].reshape(-1, 3, SIDE, SIDE)
    images = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))
    return Split(images=images, labels=table[:, 0].astype(np.int32))
