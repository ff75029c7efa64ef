"""Each failure of the table is known by a line that programs really write."""

from __future__ import annotations

import pytest

from remote.causes import PATTERNS, LogScan, Pattern, find_known, sightings_in

CODE = "/home/ana/.clew/data/code-0123456789abcdef0123456789abcdef/nets/train it.py"
KERAS = f"""Traceback (most recent call last):
  File "{CODE}", line 12, in <module>
    main()
  File "{CODE}", line 7, in main
    model.fit(x, y)
  File "/v/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 122, in handler
    raise e.with_traceback(filtered_tb) from None
ValueError: Exception encountered when calling Sequential.call().

Input 0 with name 'None' of layer 'dense' is incompatible with the layer: expected axis -1 of input\
 shape to have value 4, but received input with shape (2, 5)

Arguments received by Sequential.call():
  • inputs=tf.Tensor(shape=(2, 5), dtype=float32)"""
GRAPH = f"""Traceback (most recent call last):
  File "{CODE}", line 12, in <module>
    main()
  File "/v/lib/python3.11/site-packages/tensorflow/python/eager/execute.py", line 53, in quick
    tensors = pywrap_tfe.TFE_Py_Execute(ctx._handle, device_name, op_name)
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Detected at node compile_loss/SparseSoftmaxCross defined at (most recent call last):
  File "{CODE}", line 12, in <module>

Received a label value of 9 which is outside the valid range of [0, 3).  Label values: 1 9 0 2
\t [[{{{{node compile_loss/SparseSoftmaxCrossEntropyWithLogits}}}}]]"""
CUDNN = """2025-02-04 20:38:50.230519: I tensorflow/core/x.cc:1] fine
E0000 00:00:1738697930.202924    7665 cuda_dnn.cc:522] Loaded runtime CuDNN library: 9.1.0 but\
 source was compiled with: 9.3.0.  CuDNN library needs to have matching major version
Traceback (most recent call last):
  File "train.py", line 3, in <module>
tensorflow.python.framework.errors_impl.FailedPreconditionError: DNN library initialization\
 failed. Look at the errors above for more details."""
CHAIN = """Traceback (most recent call last):
  File "a.py", line 1, in inner
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 9, in outer
RuntimeError: no such column: x"""


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.kind)
def test_that_a_real_line_is_known_as_what_it_is(pattern: Pattern) -> None:
    found = find_known([pattern.sample], (pattern.where, "exception"))
    if pattern.where == "hint":
        found = find_known([pattern.sample], ("hint",))
    assert found is not None
    kinds = {found.pattern.kind}
    general = {
        "module not found by -m": {"module not found"},
        "script not found": {"file not found"},
    }
    assert pattern.kind in kinds | {k for k, v in general.items() if v & kinds}
    assert pattern.meaning.endswith(".")
    assert pattern.remedy.endswith((".", "…"))


def test_that_every_kind_is_there_once() -> None:
    kinds = [pattern.kind for pattern in PATTERNS]
    assert len(kinds) == len(set(kinds)) > 40


@pytest.mark.parametrize(
    "line",
    [
        "step 200 loss 1.95 accuracy 0.91",
        "Epoch 3: no space left in the parking lot",
        "I0000 00:00:1796067681.985817   21175 port.cc:153] oneDNN custom operations are on.",
        "2026-11-30 10:00:00.1: I tensorflow/core/platform/cpu_feature_guard.cc:210] This "
        "TensorFlow binary is optimized to use available CPU instructions.",
        "W external/local_tsl/tsl/framework/bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran "
        "out of memory trying to allocate 2.20GiB. The caller indicates that this is not a "
        "failure, but this may mean that there could be performance gains.",
        "Filling up shuffle buffer (this may take a while): 213 of 500",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        "EOFError: Ran out of input",
        "asyncio.exceptions.CancelledError",
        "Killed",
    ],
)
def test_that_what_is_no_failure_or_not_certain_is_not_known(line: str) -> None:
    assert find_known([line], ("exception", "line", "hint")) is None


def test_that_of_a_traceback_the_exception_and_the_users_line_are_found() -> None:
    (found,) = sightings_in(KERAS.splitlines())
    assert found.quote.startswith(
        "ValueError: Exception encountered when calling Sequential.call()"
    )
    assert "incompatible with the layer" in found.quote
    assert found.place == "nets/train it.py line 7"
    assert found.known is not None
    assert found.known.pattern.kind == "input shape"
    (found,) = sightings_in(GRAPH.splitlines())
    assert found.known is not None
    assert found.known.pattern.kind == "label out of range"
    assert found.known.line.startswith("Received a label value of 9")
    assert found.place == "nets/train it.py line 12"


def test_that_a_message_that_points_up_is_explained_by_what_stands_there() -> None:
    (found,) = sightings_in(CUDNN.splitlines())
    assert found.known is not None
    assert found.known.pattern.kind == "cudnn version"
    assert "9.1.0 but source was compiled with: 9.3.0" in found.known.line
    (alone,) = sightings_in(CUDNN.splitlines()[2:])
    assert alone.known is not None
    assert alone.known.pattern.kind == "cudnn"


def test_that_of_a_chain_the_last_exception_is_the_end() -> None:
    *_, last = sightings_in(CHAIN.splitlines())
    assert (last.quote, last.place) == ("RuntimeError: no such column: x", "a.py line 9")


def test_that_a_traceback_whose_beginning_is_cut_off_still_counts() -> None:
    (found,) = sightings_in(['  File "a.py", line 9, in f', "    g()", "OSError: disk"])
    assert (found.quote, found.place) == ("OSError: disk", "a.py line 9")


def test_that_a_frame_of_an_installed_package_is_not_the_users() -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "/v/lib/python3.11/site-packages/x/y.py", line 3, in f',
        '  File "/home/ana/.clew/app/0123456789abcdef0123/trainer/task.py", line 3, in g',
        '  File "<frozen importlib._bootstrap>", line 241, in h',
        "ValueError",
    ]
    (found,) = sightings_in(lines)
    assert (found.quote, found.place) == ("ValueError", "")


def test_that_a_scan_keeps_little_of_a_log_without_end() -> None:
    scan = LogScan()
    for number in range(0, 2000, 5):
        for row, line in enumerate(CHAIN.splitlines()[:3]):
            scan.take(number + row, line)
        scan.take(number + 4, "step 1 loss 2")
    assert len(scan.sightings()) <= 64
    assert scan.rows == 2000
