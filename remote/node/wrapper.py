"""How a command of the profile's environment is started, for tasks and for checks alike.

Without setup lines the command is started as it is. With them, ``bash -l`` runs the lines and
then becomes the command. Lines, variables and arguments reach the script as its parameters,
never as part of its text; the variables are set after the lines, so a line cannot undo them.
``PYTHONPATH`` alone is put before what the lines made of it: modules set it to their packages.
"""

import re
import shutil
from typing import Dict, List, Sequence

from remote.node.refused import Refused

SETUP_FAILED = 78
"""Exit status of the wrapper when a setup line fails (``EX_CONFIG``): restarting cannot help."""
TELL_LINES = "CLEW_TELL_LINES"
"""Set in the environment of a check: the number of each line is told before it runs, and after the
last one the next number."""
LINE_MARK = "clew: setup line "
SETUP_MARK = "clew: this setup line failed with status "

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCRIPT = """
_clew_lines=("${@:2:$1}"); shift $(($1 + 1))
_clew_pairs=("${@:2:$1}"); shift $(($1 + 1))
_clew_command=("$@"); set --
for _clew_line in "${_clew_lines[@]}"; do
  _clew_at=$((_clew_at + 1))
  [ -z "${%s-}" ] || echo "%s$_clew_at" >&2
  eval "$_clew_line" || { echo "%s$?: $_clew_line" >&2; exit %d; }
done
[ -z "${%s-}" ] || echo "%s$((_clew_at + 1))" >&2
for _clew_pair in "${_clew_pairs[@]}"; do
  case $_clew_pair in PYTHONPATH=*) _clew_pair="$_clew_pair${PYTHONPATH:+:$PYTHONPATH}";; esac
  export "$_clew_pair"
done
unset _clew_lines _clew_pairs _clew_line _clew_pair _clew_at %s
exec "${_clew_command[@]}"
""" % (TELL_LINES, LINE_MARK, SETUP_MARK, SETUP_FAILED, TELL_LINES, LINE_MARK, TELL_LINES)


def check_variables(variables: Dict[str, str]) -> None:
    """Raise :class:`Refused` for what cannot be in an environment."""
    remedy = "Correct environment.variables in the profile."
    for name, value in variables.items():
        if not _NAME.fullmatch(name):
            raise Refused("%r cannot be the name of an environment variable" % name, remedy)
        if "\0" in value:
            raise Refused("the variable %s holds a NUL character" % name, remedy)


def wrap(argv: Sequence[str], setup: Sequence[str], variables: Dict[str, str]) -> List[str]:
    """``argv`` after the setup lines. The caller sets ``variables`` for the process as well.

    Raises:
        Refused: there are setup lines, and no bash.
    """
    if not setup:
        return list(argv)
    bash = shutil.which("bash")
    if bash is None:
        raise Refused(
            "the profile has setup lines, and this node has no bash to run them",
            "Remove environment.setup from the profile, or install bash on the node.",
        )
    pairs = ["%s=%s" % pair for pair in sorted(variables.items())]
    counted = [str(len(setup)), *setup, str(len(pairs)), *pairs]
    return [bash, "-l", "-c", _SCRIPT, "clew", *counted, *argv]
