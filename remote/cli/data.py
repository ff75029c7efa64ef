"""``clew data build``: TFRecord shards from a folder of images."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import trainer.spec
from remote.cli.environment import FAILED, GOOD, STOPPED, WRONG_INPUT, Environment
from remote.cli.text import number, seconds
from remote.cli.view import JsonView
from trainer.spec import EXIT_BAD_DATA

_STATUS = {0: GOOD, EXIT_BAD_DATA: WRONG_INPUT, 2: WRONG_INPUT, STOPPED: STOPPED}


def data(env: Environment) -> int:
    """Build the shards in a process of its own; it resumes what was interrupted."""
    home = str(Path(trainer.spec.__file__).parents[1])
    variables = {**os.environ, "PYTHONPATH": home, "PYTHONSAFEPATH": "1"}
    with subprocess.Popen(
        _command(env), env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as builder:
        assert builder.stdout is not None
        # Ctrl-C reaches the builder too: it is of this terminal's process group.
        for line in builder.stdout:
            _tell(env, json.loads(line))
            if env.interrupts.leaving:
                builder.terminate()
    return _STATUS.get(builder.returncode, FAILED)


def _command(env: Environment) -> list[str]:
    arguments = env.arguments
    command = [sys.executable, "-m", "trainer.build_shards"]
    command += [str(arguments.source.absolute()), str(arguments.destination.absolute())]
    if arguments.shards is not None:
        command += ["--shards", str(arguments.shards)]
    if arguments.max_bad is not None:
        command += ["--max-bad", str(arguments.max_bad)]
    return command


def _tell(env: Environment, item: dict[str, Any]) -> None:
    if isinstance(env.view, JsonView):
        env.view.write(item)
    elif item["type"] == "progress":
        eta = f"  ETA {seconds(item['eta_s'])}" if item.get("eta_s") is not None else ""
        done, total = number(item["images"]), number(item["of_images"])
        env.view.say(f"{done} of {total} images{eta}")
    elif item["type"] == "bad":
        env.view.say(f"left out: {item['file']}: {item['kind']}; {item['note']}")
    elif item["state"] == "finished":
        env.view.say(
            f"{number(item['train'])} images for training and {number(item['validation'])} for "
            f"validation, {item['classes']} classes, in {item['shards']} shards"
        )
    elif item["state"] == "failed":
        env.view.say(str(item["error"]))
    else:
        env.view.say("stopped; the same command goes on from here")
