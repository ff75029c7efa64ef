"""A ps and a worker that take the same step with buckets of several sizes, in turns.

``python -m tests.bench.bucket_programs ps PS WORKER`` serves until it is killed.
``... worker PS WORKER BATCH STEPS BYTES...`` prints, as JSON, for each size of a bucket the seconds
of its steps. In turns within one process, because what else this machine does then is the same
for all of them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainer import runtime
from trainer.data import synthetic
from trainer.data.batches import Batches
from trainer.spec import ClusterSpec, OptimizerSpec, TaskId, TaskSpec, TrainingSpec

STEPS = 1_000_000
"""Of the run: more than are measured."""
WARM_UP = 2
MODEL = """
import keras


def build(input_shape, classes):
    hidden = [keras.layers.Dense(720, activation="relu") for _ in range(48)]
    ends = [keras.layers.Flatten(), *hidden, keras.layers.Dense(classes)]
    return keras.Sequential([keras.layers.Input(input_shape), *ends])
"""


def spec_of(task: TaskId, ps: str, worker: str, batch: int, run_id: str) -> TaskSpec:
    training = TrainingSpec(
        model="deep:build",
        batch_size=batch,
        steps=STEPS,
        optimizer=OptimizerSpec(name="momentum", learning_rate=0.0001),
    )
    return TaskSpec(
        run_id=run_id,
        task=task,
        cluster=ClusterSpec(ps=(ps,), worker=(worker,)),
        training=training,
        data_dir="",
        checkpoint_dir="",
        code_dir=os.getcwd(),
    )


def serve(ps: str, worker: str) -> None:
    """Be the ps until the end."""
    runtime.import_tensorflow(keras=False)
    runtime.start_server(spec_of(TaskId("ps", 0), ps, worker, 1, "")).join()


def measure(ps: str, worker: str, batch: int, steps: int, sizes: list[int]) -> list[list[float]]:
    """Seconds of each step, for each size."""
    runtime.import_tensorflow(keras=True)
    server = runtime.start_server(spec_of(TaskId("worker", 0), ps, worker, batch, ""))
    dataset = synthetic.load(Path(), 1)
    calls = []
    for size in sizes:
        os.environ["CLEW_BUCKET_BYTES"] = str(size)
        spec = spec_of(TaskId("worker", 0), ps, worker, batch, f"buckets of {size}")
        calls.append(_call(server, spec, dataset))
    seconds: list[list[float]] = [[] for _ in sizes]
    with Batches(dataset.train, batch_size=batch, seed=1, index=0, workers=1) as batches:
        for _ in range(WARM_UP + steps):
            for call, found in zip(calls, seconds, strict=True):
                examples = batches.next()
                began = time.perf_counter()
                call(*examples)
                found.append(time.perf_counter() - began)
    return [found[WARM_UP:] for found in seconds]


def _call(server: Any, spec: TaskSpec, dataset: Any) -> Callable[..., Any]:
    """One training step, with the variables on the ps."""
    from trainer.checkpoints import State
    from trainer.engine.buckets import PARAMETERS
    from trainer.engine.graph import build_graph

    graph = build_graph(spec, dataset, STEPS, 0, [])
    session = runtime.open_session(server, spec, graph=graph.graph)
    session.run(graph.initializers)
    values = session.run(graph.initial_values)
    graph.buckets.store(session, State(step=0, arrays={PARAMETERS: values}))
    update: Any = graph.update
    made: Callable[..., Any] = session.make_callable(
        [update.step, graph.loss, update.done], list(graph.inputs)
    )
    return made


def main(arguments: list[str]) -> None:
    role, ps, worker, *rest = arguments
    if role == "ps":
        serve(ps, worker)
    Path("deep.py").write_text(MODEL)
    batch, steps, *sizes = map(int, rest)
    print(json.dumps(measure(ps, worker, batch, steps, sizes)), flush=True)
    os._exit(0)  # the servers' threads have no end


if __name__ == "__main__":
    main(sys.argv[1:])
