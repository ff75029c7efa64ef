"""TensorFlow's distributed runtime: import, server, sessions, and which of its errors pass."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from trainer.failures import Unavailable
from trainer.memory import keep_freed_memory
from trainer.net import check_port_free, split_address
from trainer.spec import TaskSpec

DEFAULT_PATIENCE_S = 300.0
VIRTUAL_DEVICES = "CLEW_VIRTUAL_DEVICES"
"""In the environment of a worker without a GPU: how many CPU devices stand in for its GPUs."""
_DISTRIBUTIONS = ("tensorflow", "tensorflow-cpu", "tensorflow-rocm", "tf-nightly")


def patience_s() -> float:
    """How long a task waits for another one before it gives up, in seconds.

    ``CLEW_PATIENCE_S`` in the environment changes it, for clusters that start slowly.
    """
    try:
        wanted = float(os.environ.get("CLEW_PATIENCE_S", ""))
    except ValueError:
        return DEFAULT_PATIENCE_S
    return wanted if 0 < wanted < 86400 else DEFAULT_PATIENCE_S


def tensorflow_version() -> str:
    """The installed version, found without importing it; empty when there is none."""
    for name in _DISTRIBUTIONS:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def import_tensorflow(*, keras: bool, own_code: bool = False) -> None:
    """Import TensorFlow in v1 mode, and what this task needs of it only.

    ``keras``: the task builds a model; ``own_code``: functions of the user's will use Keras.

    Raises:
        Unavailable: it is not installed, or cannot be loaded.
    """
    keep_freed_memory()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # A call to a ps that has died fails at once, instead of waiting for it to come back.
    os.environ.setdefault("GRPC_FAIL_FAST", "true")
    if not keras:
        # TensorFlow imports Keras by itself unless it is to use the old one.
        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    try:
        with _hidden(_unneeded(keras, own_code)):
            import tensorflow.compat.v1 as tf

            if keras:
                importlib.import_module("keras")
    except ImportError as error:
        text = " ".join(str(error).split())
        raise Unavailable(
            f"TensorFlow cannot be imported by {sys.executable} on {socket.gethostname()}: "
            f"{text}; install tensorflow there or set environment.python to a Python that has it"
        ) from None
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    tf.enable_resource_variables()
    # What Keras' recurrent layers need: arrays whose entries may be written again, and shapes
    # whose parts are whole numbers.
    tf.enable_control_flow_v2()
    tf.enable_v2_tensorshape()


def _unneeded(keras: bool, own_code: bool) -> tuple[str, ...]:
    """Packages that TensorFlow or Keras imports where it finds them, and does without elsewhere."""
    if not keras:
        return "scipy", "h5py"
    # scikit-learn is two seconds of nothing, scipy serves Keras' old image functions.
    return ("sklearn",) if own_code else ("sklearn", "scipy")


@contextmanager
def _hidden(names: Iterable[str]) -> Iterator[None]:
    """Importing any of ``names`` fails inside, as if it were not installed; later it is there."""
    names = [name for name in names if name not in sys.modules]
    try:
        for name in names:
            sys.modules[name] = None  # type: ignore[assignment]
        yield
    finally:
        for name in names:
            del sys.modules[name]


def start_server(spec: TaskSpec) -> Any:
    """Start this task's gRPC server; a single process needs none.

    TensorFlow's server listens on all interfaces and cannot be limited to one: only the address
    that it is known by comes from the cluster spec. It has no authentication either.

    Raises:
        Unavailable: the port is in use.
    """
    import tensorflow.compat.v1 as tf

    task = spec.task
    if spec.training.is_single:
        return None
    try:
        return tf.train.Server(
            tf.train.ClusterSpec(spec.cluster.as_dict()),
            job_name=task.role,
            task_index=task.index,
            config=session_config(spec),
        )
    except (tf.errors.UnknownError, tf.errors.UnavailableError) as error:
        _, port = split_address(spec.cluster.addresses(task.role)[task.index])
        check_port_free(port)  # taken since the first look: the sentence with its number
        raise Unavailable(f"the server at port {port} did not start: {error.message}") from None


def open_session(server: Any, spec: TaskSpec, *, graph: Any = None, worker: int = 0) -> Any:
    """A session that sees this task and, from a worker, all ps. Use as a context manager.

    A chief that drives all workers also sees ``worker``. A single process has no ``server``.
    """
    import tensorflow.compat.v1 as tf

    target = "" if server is None else server.target
    return tf.Session(target, graph=graph, config=session_config(spec, worker))


def session_config(spec: TaskSpec, worker: int = 0) -> Any:
    """GPU memory grows as needed; no call outlasts :func:`patience_s`."""
    import tensorflow.compat.v1 as tf

    config = tf.ConfigProto(
        allow_soft_placement=True,
        device_filters=_visible(spec, worker),
        operation_timeout_in_ms=int(patience_s() * 1000),
    )
    config.gpu_options.allow_growth = True
    virtual = _virtual_devices(spec)
    if virtual:
        config.device_count["CPU"] = virtual
    threads = threads_of(spec)
    if threads is not None:
        config.intra_op_parallelism_threads = threads
        config.inter_op_parallelism_threads = max(2, threads)
    return config


def devices_of(server: Any, spec: TaskSpec, worker: int) -> list[str]:
    """The devices that share a batch of ``worker``, as ``/device:GPU:0``; empty: just one.

    Asks the worker's process itself. Raises TensorFlow's errors when it does not answer.
    """
    import tensorflow.compat.v1 as tf

    if spec.training.worker_per != "node":
        return []
    config = session_config(spec, worker)
    del config.device_filters[:]
    if server is not None:
        config.device_filters.append(f"/job:worker/task:{worker}")
    target = "" if server is None else server.target
    with tf.Graph().as_default(), tf.Session(target, config=config) as session:
        # Opens the session for that one process: without one, all tasks of the run are asked.
        session.run(tf.no_op())
        found = [tf.DeviceSpec.from_string(device.name) for device in session.list_devices()]
    own = [d for d in found if server is None or (d.job, d.task) == ("worker", worker)]
    for kind in ("GPU", "CPU"):
        indices = sorted(d.device_index for d in own if d.device_type == kind)
        if indices:
            return [f"/device:{kind}:{index}" for index in indices] if len(indices) > 1 else []
    return []


def passes(error: BaseException) -> bool:
    """Whether ``error`` means that a ps is away: a new session may work."""
    import tensorflow.compat.v1 as tf

    lost = (
        tf.errors.UnavailableError,
        tf.errors.AbortedError,
        tf.errors.CancelledError,
        tf.errors.DeadlineExceededError,
        tf.errors.FailedPreconditionError,
        tf.errors.NotFoundError,
    )
    return isinstance(error, lost)


def threads_of(spec: TaskSpec) -> int | None:
    """This task's share of the cores; None: TensorFlow's default or the user's environment."""
    if {"TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS"} & set(os.environ):
        return None
    host = _machine(spec.cluster.addresses(spec.task.role)[spec.task.index])
    neighbours = [a for a in spec.cluster.worker if _machine(a) == host]
    if len(neighbours) < 2:
        return None
    return max(1, len(os.sched_getaffinity(0)) // len(neighbours))


def _visible(spec: TaskSpec, worker: int) -> list[str]:
    """Waiting for other tasks would be waiting for nothing."""
    task = spec.task
    own = f"/job:{task.role}/task:{task.index}"
    if spec.training.is_single:
        return []
    if task.role == "ps":
        return [own]
    driven = [f"/job:worker/task:{worker}"] if worker != task.index and task.is_chief else []
    return ["/job:ps", own, *driven]


def _virtual_devices(spec: TaskSpec) -> int:
    """How many CPU devices stand in for a node's GPUs; 0: none do."""
    text = os.environ.get(VIRTUAL_DEVICES, "")
    wanted = spec.training.worker_per == "node" and spec.task.role == "worker"
    return int(text) if wanted and text.isascii() and text.isdigit() else 0


def _machine(address: str) -> str:
    host, _ = split_address(address)
    return "127.0.0.1" if host == "localhost" or host.startswith("127.") else host
