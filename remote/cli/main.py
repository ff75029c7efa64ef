"""From arguments to an exit status, with every error as one sentence."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from remote.cli.parser import build_parser
from remote.cli.text import error_text, plain
from remote.errors import Cancelled, ClewError, is_wrong_input

if TYPE_CHECKING:
    from remote.cli.environment import Environment

_MODULES = {
    "hosts": "hosts",
    "check": "check",
    "provision": "provision",
    "run": "commands",
    "attach": "commands",
    "stop": "commands",
    "sweep": "sweep",
    "status": "status",
    "logs": "logs",
    "runs": "runs",
    "export": "export",
    "import": "importing",
    "data": "data",
    "scaling": "scaling",
    "study": "study",
    "demo": "demo",
}
_FUNCTIONS = {"import": "import_run"}
"""Where a command's function cannot have its name."""
FAILED, WRONG_INPUT, STOPPED = 1, 2, 130
_LOG_BYTES = 1 << 20


def _reporting(env: Environment, command: Callable[[Environment], int]) -> int:
    """Run ``command``; an error becomes a sentence, and with --json also the last object."""
    try:
        return command(env)
    except BrokenPipeError:
        # Whoever read the output has gone. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if env.watched is not None:
            env.view.say(env.watched.left_text())
        return FAILED
    except Cancelled as error:
        return _tell(env, error, STOPPED)
    except ClewError as error:
        return _tell(env, error, WRONG_INPUT if is_wrong_input(error) else FAILED)
    except Exception:  # the last resort: nobody should read a trace in a terminal
        env.view.close()
        return tell_unexpected()


def _tell(env: Environment, error: ClewError, status: int) -> int:
    env.view.close()
    env.view.say(error_text(error))
    if env.json:
        from remote.cli.view import JsonView

        view = env.view if isinstance(env.view, JsonView) else JsonView()
        state = "stopped" if status == STOPPED else "failed"
        view.write({"type": "result", "state": state, "reason": error_text(error)})
    return status


def _end_objects(env: Environment, status: int) -> None:
    """With --json the last object is a result, whatever the command was and however it ended."""
    from remote.cli.view import JsonView

    if isinstance(env.view, JsonView) and not env.view.told_result:
        state = {0: "ok", STOPPED: "stopped"}.get(status, "failed")
        env.view.write({"type": "result", "state": state})


def _end_before_it_began(arguments: argparse.Namespace, begun: bool, state: str) -> None:
    """The last object of a command that ended while its modules were loaded."""
    if getattr(arguments, "json", False) and not begun:
        with contextlib.suppress(OSError):
            sys.stdout.write(json.dumps({"type": "result", "state": state}) + "\n")
            sys.stdout.flush()


def _log_to_file() -> None:
    """What libraries log goes to a file; a terminal is for sentences."""
    from remote.history.database import default_path

    logging.raiseExceptions = False  # a log that cannot be written is no reason to say anything
    path = default_path().parent / "clew.log"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(
        path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)


def tell_unexpected() -> int:
    """Keep the trace in a file and say where it is."""
    from remote.history.database import default_path

    trace = traceback.format_exc()
    kind = trace.strip().splitlines()[-1]
    path = default_path().parent / time.strftime("error-%Y%m%d-%H%M%S.log", time.gmtime())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(trace, encoding="utf-8")
        where = f"the details are in {path}"
    except OSError:
        where = "the details could not be kept"
    sys.stderr.write(plain(f"Clew met an unexpected error ({kind}); {where}.\n"))
    return FAILED


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status and raises nothing."""
    begun = False
    arguments = argparse.Namespace()
    try:
        build_parser().parse_args(argv, arguments)
        _log_to_file()
        # Only now: the parser answers --help without loading SSH.
        from remote.cli.environment import Environment

        module = import_module(f"remote.cli.{_MODULES[arguments.command]}")
        command = getattr(module, _FUNCTIONS.get(arguments.command, arguments.command))
        with Environment(arguments) as env:
            begun = True
            status: int = _reporting(env, command)
            _end_objects(env, status)
            sys.stdout.flush()
            return status
    except BrokenPipeError:  # at the last flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except SystemExit as error:  # argparse has said what is wrong
        return error.code if isinstance(error.code, int) else WRONG_INPUT
    except KeyboardInterrupt:
        _end_before_it_began(arguments, begun, "stopped")
        return STOPPED
    except ClewError as error:
        sys.stderr.write(error_text(error) + "\n")
        return FAILED
    except Exception:  # the last resort: nobody should read a trace in a terminal
        _end_before_it_began(arguments, begun, "failed")
        return tell_unexpected()
