"""The article's vector addition through a real ps and worker, on every device of a worker.

Run as ``python -m trainer.hello MARK`` with a :class:`~trainer.spec.TaskSpec` on standard input.
A ps serves until it is ended. A worker adds two vectors that lie on each ps, on each of its own
devices, and ends. What is found is printed as JSON on lines that begin with ``MARK``:
``{"phase": ...}`` for how far it came, ``{"device": "GPU:0", "ps": 0, "sum": [...],
"seconds": ...}`` for each addition, ``{"failed": ...}`` for why it ended.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from trainer import runtime
from trainer.failures import TaskFailure
from trainer.net import is_listening
from trainer.spec import EXIT_BAD_SPEC, SpecError, TaskSpec, from_json

LEFT = (1.0, 2.0, 3.0)
RIGHT = (4.0, 5.0, 6.0)
RETRY_S = 10.0
"""How long a ps that listens may refuse to answer."""
PAUSE_S = 0.3
_SHOWN = 500


class Teller:
    """Prints what happens, a marked line each, at once."""

    def __init__(self, mark: str) -> None:
        self._mark = mark

    def tell(self, **what: object) -> None:
        sys.stdout.write(f"\n{self._mark}{json.dumps(what)}\n")
        sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Take part as the spec says; returns the exit status."""
    teller = Teller(arguments[0] if arguments else "")
    try:
        spec = from_json(TaskSpec, json.loads(sys.stdin.buffer.read()))
    except (ValueError, SpecError) as error:
        teller.tell(failed=f"the spec cannot be read: {error}")
        return EXIT_BAD_SPEC
    try:
        teller.tell(phase="importing TensorFlow", version=runtime.tensorflow_version())
        runtime.import_tensorflow(keras=False)
        teller.tell(phase="starting the server")
        server = runtime.start_server(spec)
    except TaskFailure as failure:
        teller.tell(failed=str(failure))
        return failure.exit_status
    if spec.task.role == "ps":
        teller.tell(phase="serving")
        server.join()
        return 0
    return _work(server, spec, teller)


def _work(server: Any, spec: TaskSpec, teller: Teller) -> int:
    import tensorflow.compat.v1 as tf

    teller.tell(phase=f"waiting for {', '.join(spec.cluster.ps)}")
    _wait_for_ps(spec)
    until = time.monotonic() + RETRY_S
    while True:
        try:
            _add_on_all(server, spec, teller)
            return 0
        except tf.errors.OpError as error:
            # The port listens a moment before the server answers, and gRPC fails fast here.
            if not runtime.passes(error) or time.monotonic() > until:
                teller.tell(failed=" ".join(str(error.message).split())[:_SHOWN])
                return 1
        time.sleep(PAUSE_S)


def _wait_for_ps(spec: TaskSpec) -> None:
    """Until every ps listens, or nobody would wait any longer; dialling then says what is wrong."""
    until = time.monotonic() + runtime.patience_s()
    while not all(map(is_listening, spec.cluster.ps)) and time.monotonic() < until:
        time.sleep(PAUSE_S)


def _add_on_all(server: Any, spec: TaskSpec, teller: Teller) -> None:
    import tensorflow.compat.v1 as tf

    config = runtime.session_config(spec)
    config.allow_soft_placement = False  # a device that cannot add must not be covered by another
    with tf.Session(server.target, graph=tf.Graph(), config=config) as session:
        devices = _own_devices(session, spec)
        teller.tell(phase="adding", devices=devices)
        for device in devices:
            for ps in range(len(spec.cluster.ps)):
                _add(session, spec, device, ps, teller)


def _own_devices(session: Any, spec: TaskSpec) -> list[str]:
    """``["GPU:0", "GPU:1"]``, or ``["CPU:0"]`` where there is none."""
    import tensorflow.compat.v1 as tf

    found = [tf.DeviceSpec.from_string(device.name) for device in session.list_devices()]
    own = [d for d in found if (d.job, d.task) == ("worker", spec.task.index)]
    gpus = sorted(d.device_index for d in own if d.device_type == "GPU")
    return [f"GPU:{index}" for index in gpus] or ["CPU:0"]


def _add(session: Any, spec: TaskSpec, device: str, ps: int, teller: Teller) -> None:
    import tensorflow.compat.v1 as tf

    name = f"hello_{spec.task.index}_{device.replace(':', '_')}_{ps}"
    with session.graph.as_default():
        with tf.device(f"/job:ps/task:{ps}/device:CPU:0"):
            left = tf.get_variable(f"{name}_left", initializer=tf.constant(LEFT))
            right = tf.get_variable(f"{name}_right", initializer=tf.constant(RIGHT))
        with tf.device(f"/job:worker/task:{spec.task.index}/device:{device}"):
            total = tf.add(left, right)
        session.run([left.initializer, right.initializer])
        session.run(total)  # the first time includes building the connection and the kernel
        begin = time.perf_counter()
        found = [float(value) for value in session.run(total)]
    teller.tell(device=device, ps=ps, sum=found, seconds=time.perf_counter() - begin)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
