"""The ``clew`` command: the window, or the command line, which needs no Qt."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

LAUNCH = "--launch"
"""After a profile: connect and launch at once."""


def main(argv: Sequence[str] | None = None) -> int:
    """``clew`` and ``clew PROFILE [--launch]`` open the window; everything else is a command."""
    try:
        return _main(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:  # while the modules were loaded
        return 130


def _main(arguments: list[str]) -> int:
    launch = arguments[1:] == [LAUNCH]
    if not arguments or (is_profile(arguments[0]) and (launch or len(arguments) == 1)):
        profile = arguments[0] if arguments else None
        problem = unknown_word(profile)
        if problem:
            sys.stderr.write(problem + "\n")
            return 2
        return _window(profile, launch=launch)
    from remote.cli import main as command_line

    return command_line(arguments)


def is_profile(text: str) -> bool:
    """Whether a lone argument names a profile and no command or option."""
    from remote.cli.parser import COMMANDS

    return not text.startswith("-") and text not in COMMANDS


def unknown_word(word: str | None) -> str:
    """What to say about a lone argument that is neither a command nor a file; empty: it is one."""
    if word is None or Path(word).expanduser().exists():
        return ""
    from remote.cli.parser import COMMANDS
    from remote.cli.text import plain

    close = difflib.get_close_matches(word, COMMANDS, 1)
    hint = f"did you mean {close[0]}?" if close else "clew --help lists the commands."
    return plain(f"no such command or profile: {word}; {hint}")


def _window(profile: str | None, *, launch: bool) -> int:
    from remote.cli.display import NO_DISPLAY, can_open_window

    if not can_open_window():
        # Qt would end the process with a core dump.
        sys.stderr.write(NO_DISPLAY + "\n")
        return 1
    try:
        from gui.app import run
    except ImportError as error:
        sys.stderr.write(
            f"The window cannot be opened ({error}). The command line works without it: "
            "clew --help.\n"
        )
        return 1
    return run(profile, launch=launch)


if __name__ == "__main__":
    raise SystemExit(main())
