"""``python -m trainer.script TASK_DIR``: run the user's own command as this task.

The command gets the task's environment (``TF_CONFIG``, ``CUDA_VISIBLE_DEVICES``, ...), the task's
folder as its working folder, and

    CLEW_CODE         the folder with the user's code, if one was sent; also on PYTHONPATH
    CLEW_DATA         the data set's folder, if there is one
    CLEW_CHECKPOINTS  a folder of the run to save in
    CLEW_REPORTS      where :func:`trainer.report` writes

An argument that names a file in the user's code stands for that file's path. ``python`` is the
Python that runs Clew's own tasks. A stop is SIGTERM; the exit status is the task's.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import signal
import socket
import sys
from pathlib import Path

from trainer import lease
from trainer.child import Child
from trainer.events import LOG_SAYS_MORE, Failed, Finished, Notice, PhaseChanged, Started
from trainer.failures import BadSpec, TaskFailure, Unavailable
from trainer.output import survive_full_disk
from trainer.reporting import PIPE_VARIABLE
from trainer.reports import ReportReader
from trainer.runtime import tensorflow_version
from trainer.sink import EventSink
from trainer.spec import EXIT_BAD_SPEC, TaskSpec
from trainer.task import attempt_number, read_spec


def main(arguments: list[str]) -> int:
    """Run the command of the task in the folder that ``arguments`` name."""
    if len(arguments) != 1:
        print("usage: python -m trainer.script TASK_DIR", file=sys.stderr)
        return EXIT_BAD_SPEC
    survive_full_disk()
    folder = Path(arguments[0])
    try:
        sink = EventSink(folder / "events.jsonl", attempt_number())
    except OSError as error:
        print(f"{folder}: no events can be written: {error.strerror}", file=sys.stderr)
        return EXIT_BAD_SPEC
    lease.watch(sink)
    with sink:
        sink.emit(
            Started(
                task=os.environ.get("CLEW_TASK") or folder.name.replace("-", ":"),
                pid=os.getpid(),
                host=socket.gethostname(),
                python=platform.python_version(),
                tensorflow=tensorflow_version(),
            )
        )
        try:
            spec = read_spec(folder / "spec.json")
            status = _run(spec, folder, sink)
        except TaskFailure as failure:
            print(failure, file=sys.stderr)
            sink.emit(Failed(reason=str(failure)))
            return failure.exit_status
    if status < 0:
        _die_by(-status)
    return status


def _run(spec: TaskSpec, folder: Path, sink: EventSink) -> int:
    """The command's exit status; negative: the signal that ended it."""
    if not spec.training.command:
        raise BadSpec("the spec has no command to run")
    command = resolved(spec.training.command, spec.code_dir)
    shown = shlex.join(spec.training.command)
    sink.emit(PhaseChanged(phase="starting", detail=shown))
    with ReportReader(folder, sink) as reports:
        environment = _environment(spec, reports.path)
        child = Child(_runnable(command, environment["PATH"]), environment, folder)
        # Whether it reports steps is up to the program; that it runs is known.
        sink.emit(PhaseChanged(phase="training", detail=shown))
        while child.is_running():
            reports.read(0.1)
        reports.close()
    if child.stopped:
        sink.emit(Notice(level="info", text="stopped on request"))
    elif child.status == 0:
        sink.emit(PhaseChanged(phase="finished"))
        sink.emit(
            Finished(
                step=reports.step,
                examples=reports.examples,
                train_seconds=reports.seconds,
                first_step_seconds=reports.first_step_seconds,
            )
        )
    else:
        sink.emit(Failed(reason=f"{shown} {_ending(child.status)}{LOG_SAYS_MORE}"))
    return child.status


def resolved(command: tuple[str, ...], code_dir: str | None) -> list[str]:
    """``command`` with the paths of the files of the user's code that it names."""
    if not code_dir:
        return list(command)
    found = [Path(code_dir, word) for word in command]
    return [
        str(path) if word and not os.path.isabs(word) and path.is_file() else word
        for word, path in zip(command, found, strict=True)
    ]


def _runnable(command: list[str], path: str) -> list[str]:
    """``command`` with its program's path. Raises ``Unavailable``."""
    program, *rest = command
    found = shutil.which(program, path=path)
    if found is not None:
        return [found, *rest]
    interpreters = {".py": sys.executable, ".sh": shutil.which("bash") or "sh"}
    interpreter = interpreters.get(Path(program).suffix)
    if interpreter and Path(program).is_file():  # it was sent without its permission to run
        return [interpreter, program, *rest]
    raise Unavailable(
        f"there is no program {program} on {socket.gethostname()}; correct command, or set code "
        "to the folder that has it"
    )


def _environment(spec: TaskSpec, pipe: Path) -> dict[str, str]:
    task = {"type": spec.task.role, "index": spec.task.index}
    cluster = {"cluster": spec.cluster.as_dict(), "task": task}
    own = Path(__file__).parents[1]
    search = [str(own), *([spec.code_dir] if spec.code_dir else [])]
    given = os.environ.get("PYTHONPATH", "")
    environment = {
        "TF_CONFIG": json.dumps(cluster),
        **os.environ,
        "PATH": os.pathsep.join(
            [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        ),
        "PYTHONPATH": os.pathsep.join([*search, *([given] if given else [])]),
        "PYTHONDONTWRITEBYTECODE": "1",  # the code's folder is shared by runs
        "CLEW_CHECKPOINTS": spec.checkpoint_dir,
        PIPE_VARIABLE: str(pipe),
    }
    folders = {"CLEW_CODE": spec.code_dir, "CLEW_DATA": spec.data_dir}
    environment.update({name: value for name, value in folders.items() if value})
    return environment


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def _die_by(number: int) -> None:
    """End by the signal that ended the command, so that this task's status says so."""
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
