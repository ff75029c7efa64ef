"""One attempt of one task, from its spec to its exit status.

What can fail without TensorFlow is tried first: importing it takes seconds.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from trainer import data, lease, runtime
from trainer.data import Dataset
from trainer.earlier import Earlier, look_at
from trainer.events import Failed, Finished, Notice, PhaseChanged, Started
from trainer.failures import BadSpec, RunIsOver, StopRequested, TaskFailure
from trainer.left_behind import end_with
from trainer.net import check_port_free, split_address
from trainer.output import survive_full_disk
from trainer.sink import EventSink
from trainer.spec import (
    EXIT_BAD_SPEC,
    EXIT_FINISHED,
    SpecError,
    TaskSpec,
    from_json,
    is_own,
    too_many_backups,
)
from trainer.stopping import StopSignal

EXIT_CRASHED = 1


def main(arguments: list[str]) -> int:
    """Run the task in the folder that ``arguments`` name; returns the exit status."""
    if len(arguments) != 1:
        print("usage: python -m trainer TASK_DIR", file=sys.stderr)
        return EXIT_BAD_SPEC
    survive_full_disk()
    folder = Path(arguments[0])
    earlier = look_at(folder / "events.jsonl")
    try:
        sink = EventSink(folder / "events.jsonl", attempt_number())
    except OSError as error:
        print(f"{folder}: no events can be written: {error.strerror}", file=sys.stderr)
        return EXIT_BAD_SPEC
    stop = StopSignal(lambda: _say_stopped_and_close(sink), folder)
    lease.watch(sink)
    with sink:
        status = _run_reporting(folder, sink, stop, earlier)
    if stop.requested:
        stop.die()
    return end_with(status)


def read_spec(path: Path) -> TaskSpec:
    """The task's spec. Raises ``BadSpec`` with everything that is wrong with it."""
    try:
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict):
            raise SpecError("it is not a mapping")
        spec = from_json(TaskSpec, content)
    except OSError as error:
        raise BadSpec(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadSpec(f"{path} is not a task's spec: {error}") from None
    problems = [f"{p.path} {p.message}" for p in spec.training.problems()]
    addresses = spec.cluster.addresses(spec.task.role)
    if spec.task.index >= len(addresses):
        problems.append(f"the cluster has no {spec.task}")
    problems += _cluster_problems(spec)
    if problems:
        raise BadSpec(f"{path}: {'; '.join(problems)}")
    for address in (*spec.cluster.ps, *spec.cluster.worker):
        split_address(address)
    return spec


def _cluster_problems(spec: TaskSpec) -> list[str]:
    training, workers = spec.training, len(spec.cluster.worker)
    if training.command:
        return []
    if training.is_single:
        alone = not spec.cluster.ps and workers == 1
        return [] if alone else ["a single process has one worker and no ps"]
    if not spec.cluster.ps or not workers:
        return ["the cluster needs at least one ps and one worker"]
    if training.backup_workers >= workers:
        return [f"backup_workers {too_many_backups(training, workers)}"]
    return []


def attempt_number() -> int:
    text = os.environ.get("CLEW_ATTEMPT", "1")
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else 1


def _run_reporting(folder: Path, sink: EventSink, stop: StopSignal, earlier: Earlier) -> int:
    """Run, and turn whatever ends the attempt into an event and a status."""
    sink.emit(
        Started(
            task=os.environ.get("CLEW_TASK") or folder.name.replace("-", ":"),
            pid=os.getpid(),
            host=socket.gethostname(),
            python=platform.python_version(),
            tensorflow=runtime.tensorflow_version(),
        )
    )
    try:
        spec = read_spec(folder / "spec.json")
        sink.emit(PhaseChanged(phase="starting"))
        _run(spec, sink, stop, earlier)
    except RunIsOver:
        _say_it_is_over(sink, earlier.step)
    except StopRequested:
        _say_stopped_and_close(sink)
    except TaskFailure as failure:
        return _fail(sink, str(failure), failure.exit_status)
    except MemoryError:
        traceback.print_exc()
        return _fail(sink, f"out of memory on {socket.gethostname()}", EXIT_CRASHED)
    except Exception as error:  # the user gets a sentence, the log the trace
        traceback.print_exc()
        first_line = str(error).strip().partition("\n")[0]
        text = f"unexpected {type(error).__name__}: {first_line}; the log has the details"
        return _fail(sink, text, EXIT_CRASHED)
    return EXIT_FINISHED


def _say_it_is_over(sink: EventSink, step: int) -> None:
    sink.emit(Notice(level="info", text="the run came to its end while this task was away"))
    sink.emit(PhaseChanged(phase="finished"))
    sink.emit(Finished(step=step, examples=0, train_seconds=0.0, first_step_seconds=None))


def _say_stopped_and_close(sink: EventSink) -> None:
    sink.emit(Notice(level="info", text="stopped on request"))
    sink.close()


def _fail(sink: EventSink, reason: str, status: int) -> int:
    print(reason, file=sys.stderr)
    sink.emit(Failed(reason=reason))
    return status


def _run(spec: TaskSpec, sink: EventSink, stop: StopSignal, earlier: Earlier) -> None:
    _, port = split_address(spec.cluster.addresses(spec.task.role)[spec.task.index])
    check_port_free(port)
    if spec.task.role == "ps":
        runtime.import_tensorflow(keras=False)
        from trainer.roles.context import Context
        from trainer.roles.ps import run_ps

        server = runtime.start_server(spec)
        run_ps(Context(spec=spec, sink=sink, stop=stop, server=server, earlier=earlier))
        return
    if spec.training.is_in_graph and not spec.task.is_chief:
        runtime.import_tensorflow(keras=False)
        from trainer.roles.context import Context
        from trainer.roles.serving import run_serving

        server = runtime.start_server(spec)
        run_serving(Context(spec=spec, sink=sink, stop=stop, server=server, earlier=earlier))
        return
    dataset = _load_data_and_tensorflow(spec, sink)
    stop.check()
    from trainer.roles.context import Context
    from trainer.roles.worker import Worker

    server = runtime.start_server(spec)
    context = Context(spec=spec, sink=sink, stop=stop, server=server, earlier=earlier)
    Worker(context, dataset).run()


def _load_data_and_tensorflow(spec: TaskSpec, sink: EventSink) -> Dataset:
    """Both at once: unpacking leaves the interpreter to the import.

    The user's own function may import TensorFlow itself, so it gets it whole.
    """
    training = spec.training
    options = data.options_of(
        training.dataset,
        tell=lambda text: sink.emit(Notice(level="warning", text=text)),
        threads=runtime.threads_of(spec),
        code_dir=spec.code_dir,
    )

    def load() -> Dataset:
        return data.load(training.dataset.name, spec.data_dir, training.seed, options)

    if is_own(training.dataset.name):
        runtime.import_tensorflow(keras=True, own_code=True)
        return load()
    with ThreadPoolExecutor(1, thread_name_prefix="data") as pool:
        loading: Future[Dataset] = pool.submit(load)
        runtime.import_tensorflow(keras=True, own_code=is_own(training.model))
        return loading.result()
