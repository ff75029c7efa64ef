"""Runs this computer's pip for another computer's Python."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from remote.errors import Cancelled, ClewError
from remote.facts import BasePython
from remote.node import children, pip_words
from remote.node.fetched import Fetched
from remote.node.refused import Refused
from remote.wheels import tags

_SILENCE_S = 300.0
# pip takes another platform's wheels on request, but judges conditions ("; sys_platform == …") by
# the Python it runs on; so it is told the node's answers.
_DRIVER = """
import json, runpy, sys
known = json.loads(sys.argv.pop(1))
try:
    from pip._vendor.packaging import markers
    markers.default_environment = lambda: dict(known)
except Exception:
    pass
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_PIP = ("download", "--disable-pip-version-check", "--no-input", "--no-cache-dir",
        "--progress-bar", "off", "--timeout", "20")  # fmt: skip


def check_pip() -> None:
    """Raises ClewError when the Python that runs Clew has no pip."""
    if importlib.util.find_spec("pip") is None:
        what = f"the Python that runs Clew here ({sys.executable}) has no pip to fetch wheels with"
        remedy = (
            f"Add it ({sys.executable} -m ensurepip, or uv pip install pip), or set "
            "environment.wheels to index for nodes that reach a package index."
        )
        raise ClewError(what, remedy=remedy)


def download(
    packages: Sequence[str],
    base: BasePython,
    folder: Path,
    progress: Callable[[int, int], None],
    cancelled: Callable[[], bool],
) -> None:
    """Fetch ``packages``, and all they need, into ``folder/wheels``; goes on where one broke off.

    Raises:
        Cancelled: ``cancelled`` said so.
        ClewError: pip cannot; says why.
    """
    check_pip()
    fetched = Fetched(str(folder))
    fetched.begin()

    def tick() -> int:
        done = fetched.harvest()
        progress(done, fetched.total(done))
        return done

    argv = [sys.executable, "-I", "-c", _DRIVER, json.dumps(dict(base.markers)), *_PIP]
    argv += [*tags.options(base), "-d", fetched.wheels, "--", *packages]
    try:
        ended = children.run(
            argv,
            env={**os.environ, "TMPDIR": fetched.scratch},
            cwd=fetched.scratch,
            cancelled=cancelled,
            on_line=fetched.heard,
            on_tick=tick,
            silence_s=_SILENCE_S,
        )
    except children.Stopped:
        raise Cancelled("fetching wheels was stopped") from None
    except Refused as refused:
        raise _error(refused.what, refused.remedy) from None
    if ended.status:
        why = pip_words.explain(ended.lines, base.version, str(folder))
        remedy = why.remedy
        if why.network:
            remedy = "Look at this computer's network and pip.conf, and try again."
        if why.full:
            remedy = "Free some space on this computer, and try again."
        raise _error(why.what, remedy)


def _error(what: str, remedy: str) -> ClewError:
    return ClewError(f"fetching wheels on this computer: {what}", remedy=remedy)
