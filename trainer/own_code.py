"""Calls functions of the user's own: ``package.module:function`` from the folder sent with a run.

Whatever goes wrong in them becomes one sentence with the file and the line of the user's code; the
whole traceback goes to standard error, which is the task's log.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from trainer.failures import BadSpec, StopRequested, TaskFailure
from trainer.text import one_line

_OURS = Path(__file__).parent

_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_LONGEST = 500


def said(error: BaseException) -> str:
    """``ValueError: what it says``, on one line and without the colours that Keras puts in."""
    message = one_line(" ".join(_COLOURS.sub("", str(error)).split()), _LONGEST)
    kind = type(error).__name__
    return f"{kind}: {message}" if message else kind


class OwnFunction:
    """One function of the user's.

    Args:
        what: what it is for, in words (``model``): begins every sentence about it.
        name: ``package.module:function``.
        code_dir: the folder with the user's modules; None: they are installed.
        failure: what to raise, :class:`BadSpec` or ``BadData``.
    """

    def __init__(
        self,
        what: str,
        name: str,
        code_dir: str | None,
        failure: type[TaskFailure] = BadSpec,
    ) -> None:
        self._what = what
        self._name = name
        self._folder = code_dir
        self._failure = failure
        module, _, self._attribute = name.partition(":")
        if code_dir and code_dir not in sys.path:
            # After Clew's own folder, before everything that is installed, as for a script.
            sys.path.insert(1, code_dir)
            sys.dont_write_bytecode = True  # the folder is shared by runs and stays as it was sent
        self._function = self._find(module)

    def __call__(self, given: Mapping[str, Any]) -> Any:
        """Call it with those of ``given`` that it has parameters for."""
        taken = self._taken(given)
        return self.guarded(lambda: self._function(**taken))

    def guarded(self, call: Callable[[], Any]) -> Any:
        """What ``call`` returns; an exception in it is one of the user's code."""
        try:
            return call()
        except (StopRequested, TaskFailure):
            raise
        except (Exception, SystemExit) as error:
            raise self._failed(error) from None

    def wrong(self, text: str) -> TaskFailure:
        """The failure that says ``text`` about this function."""
        return self._failure(f"{self._what} {self._name} {text}")

    def _find(self, module: str) -> Callable[..., Any]:
        where = self._folder or "the installed packages"
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name and (module == error.name or module.startswith(f"{error.name}.")):
                text = f"is not there: {where} has no module {error.name}; correct {self._what}"
                text += "" if self._folder else ", or set code to the folder that has it"
                raise self.wrong(text) from None
            raise self._failed(error) from None
        except (Exception, SystemExit) as error:
            raise self._failed(error) from None
        found = getattr(loaded, self._attribute, None)
        if not callable(found):
            state = "has no function" if found is None else "has something else called"
            text = f"is not there: {loaded.__file__} {state} {self._attribute}"
            raise self.wrong(f"{text}; correct {self._what}")
        function: Callable[..., Any] = found
        return function

    def _taken(self, given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            parameters = inspect.signature(self._function).parameters.values()
        except (TypeError, ValueError):
            return {}
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return dict(given)
        names = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
        missing = [
            p.name
            for p in parameters
            if p.default is p.empty
            and p.name not in given
            and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        if missing:
            offered = ", ".join(given) or "none"
            text = f"wants {', '.join(missing)}, which nothing gives it; it may take: {offered}"
            raise self.wrong(text)
        return {name: value for name, value in given.items() if name in names}

    def _failed(self, error: BaseException) -> TaskFailure:
        """Write the traceback where the user reads the rest; the failure is its sentence."""
        shown = traceback.TracebackException.from_exception(error)
        own = [i for i, frame in enumerate(shown.stack) if self._is_own(frame.filename)]
        if own:
            # How Clew came to call it helps nobody; what the code called in turn may.
            del shown.stack[: own[0]]
        print("".join(shown.format()), end="", file=sys.stderr, flush=True)
        return self._failure(self._sentence(error))

    def _sentence(self, error: BaseException) -> str:
        place = self._place(error)
        return f"{self._what} {self._name} failed{place}: {said(error)}; correct that code"

    def _place(self, error: BaseException) -> str:
        """Where in the user's code: the innermost of its lines that led to ``error``."""
        if isinstance(error, SyntaxError) and error.filename:
            return f" at {error.filename} line {error.lineno}"
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if self._is_own(f.filename)]
        if not own:
            return ""
        return f" at {own[-1].filename} line {own[-1].lineno}"

    def _is_own(self, filename: str) -> bool:
        path = Path(filename)
        if self._folder:
            return path.is_relative_to(self._folder)
        return (
            path.is_absolute()
            and "site-packages" not in path.parts
            and (
                not path.is_relative_to(_OURS)
                and not path.is_relative_to(Path(inspect.__file__).parent)
            )
        )
