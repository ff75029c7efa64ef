"""A data set that a function of the user's makes: ``dataset.name: package.module:function``.

The function returns ``(x_train, y_train), (x_test, y_test)``, as Keras' own data sets do. It may
take ``path`` (the data set's folder on this node; None without one) and ``seed``. Every worker
calls it and takes its share of what it returns, so it must return the same everywhere. TensorFlow
is in graph mode there: make the arrays with NumPy.

Examples: any shape; uint8 is taken for pixels and scaled to 0..1, other numbers are used as they
are. Labels: class numbers from 0 on, or numbers or vectors for losses that take these.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainer.data.kinds import Dataset, Split, Summary
from trainer.failures import BadData
from trainer.own_code import OwnFunction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]

_WANTED = "(x_train, y_train), (x_test, y_test)"


def check(name: str, folder: Path | None, code_dir: str | None) -> Summary:
    """Call the function and say what it returned. Needs NumPy. Raises ``BadData``."""
    dataset = load(name, folder, code_dir, 0)
    return Summary(
        train=len(dataset.train),
        test=len(dataset.test),
        shape=dataset.shape,
        classes=dataset.classes,
    )


def load(name: str, folder: Path | None, code_dir: str | None, seed: int) -> Dataset:
    """Call the function and check what it returns. Raises ``BadData``."""
    function = OwnFunction("dataset", name, code_dir, BadData)
    path = None if folder is None else str(folder)
    returned = function({"path": path, "seed": seed})
    try:
        (x_train, y_train), (x_test, y_test) = returned
    except (TypeError, ValueError, RuntimeError):  # the last: a tf.data.Dataset
        raise function.wrong(f"must return {_WANTED}") from None
    train = _split(function, "train", x_train, y_train)
    test = _split(function, "test", x_test, y_test)
    for what, ours, theirs in (
        ("examples", train.images, test.images),
        ("labels", train.labels, test.labels),
    ):
        if ours.shape[1:] != theirs.shape[1:]:
            shapes = f"{_shape(ours)} for training and {_shape(theirs)} for the test"
            raise function.wrong(f"returned {what} of different shapes: {shapes}")
        if ours.dtype != theirs.dtype:
            kinds = f"{ours.dtype} for training and {theirs.dtype} for the test"
            raise function.wrong(f"returned {what} of different types: {kinds}")
    scale = 1 / 255 if train.images.dtype == "uint8" else 1.0
    return Dataset(train=train, test=test, scale=scale, classes=_classes(function, train, test))


def _split(function: OwnFunction, which: str, examples: Any, labels: Any) -> Split:
    x = _numbers(function, f"x_{which}", examples)
    y = _numbers(function, f"y_{which}", labels)
    if x.ndim == 0 or y.ndim == 0 or len(x) != len(y):
        counts = f"{len(x) if x.ndim else 1} examples and {len(y) if y.ndim else 1} labels"
        raise function.wrong(f"returned {counts} as x_{which} and y_{which}")
    if len(x) == 0:
        raise function.wrong(f"returned no example as x_{which}")
    if y.dtype == "uint8":
        y = y.astype("int32")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    return Split(images=x, labels=y)


def _numbers(function: OwnFunction, what: str, given: Any) -> Any:
    """``given`` as an array of uint8, int32 or float32."""
    import numpy as np

    array = function.guarded(lambda: np.asarray(given))
    if array.dtype.kind == "b":
        return array.astype(np.int32)
    if array.dtype.kind in "iu" and array.dtype != np.uint8:
        if array.size and (array.max() > 2**31 - 1 or array.min() < -(2**31)):
            raise function.wrong(f"returned numbers in {what} that do not fit into 32 bits")
        return array.astype(np.int32)
    if array.dtype.kind == "f":
        return array.astype(np.float32)
    if array.dtype != np.uint8:
        raise function.wrong(f"returned {array.dtype} as {what}; it must be an array of numbers")
    return array


def _classes(function: OwnFunction, train: Split, test: Split) -> int:
    """How many classes the labels name; of vectors, their length."""
    if train.labels.ndim > 1:
        return int(train.labels.shape[-1])
    if train.labels.dtype != "int32":
        return 1
    least = min(int(train.labels.min()), int(test.labels.min()))
    if least < 0:
        raise function.wrong(f"returned the label {least}; classes are numbered from 0 on")
    return max(int(train.labels.max()), int(test.labels.max())) + 1


def _shape(array: Array) -> str:
    return "x".join(map(str, array.shape[1:])) or "one number"
