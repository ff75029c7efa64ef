"""The ``clew`` command: the window, or the command line, which needs no Qt."""

from __future__ import annotations

import sys
from collections.abc import Sequence

LAUNCH = "--launch"
"""After a profile: connect and launch at once."""


def main(argv: Sequence[str] | None = None) -> int:
    """``clew`` and ``clew PROFILE [--launch]`` open the window; everything else is a command."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    launch = arguments[1:] == [LAUNCH]
    if not arguments or (is_profile(arguments[0]) and (launch or len(arguments) == 1)):
        return _window(arguments[0] if arguments else None, launch=launch)
    from remote.cli import main as command_line

    return command_line(arguments)


def is_profile(text: str) -> bool:
    """Whether a lone argument names a profile and no command or option."""
    from remote.cli.parser import COMMANDS

    return not text.startswith("-") and text not in COMMANDS


def _window(profile: str | None, *, launch: bool) -> int:
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
