"""The limits that a task's process would have, after the profile's set-up.

Asked through the very wrapper that tasks are started with, so that a ``ulimit`` in a setup line or
a module counts as it will for a task.
"""

import os
import uuid
from typing import Any, Dict, List, Optional, Sequence

from remote.node import task_python, wrapper
from remote.node.refused import Refused

_SCRIPT = """
import sys, json, resource
def limit(name):
    number = getattr(resource, name, None)
    if number is None:
        return None
    soft, hard = resource.getrlimit(number)
    return [-1 if soft == resource.RLIM_INFINITY else soft,
            -1 if hard == resource.RLIM_INFINITY else hard]
out = {"limits": {}}
for name in ("NOFILE", "NPROC", "MEMLOCK"):
    out["limits"][name.lower()] = limit("RLIMIT_" + name)
sys.stdout.write("\\n" + sys.argv[1] + json.dumps(out) + "\\n")
"""


def look(python: str, setup: Sequence[str], variables: Dict[str, str]) -> Optional[Dict[str, Any]]:
    """``limits``: name -> [soft, hard], -1 for none; None: no answer.

    Why a Python gives no answer is said by :mod:`remote.node.task_python`.
    """
    mark = uuid.uuid4().hex
    argv = [os.path.expanduser(python), "-c", _SCRIPT, mark]
    try:
        wrapper.check_variables(variables)
        _, out, _ = task_python.run(wrapper.wrap(argv, setup, variables), variables)
    except (Refused, OSError):
        return None
    return task_python.report(out, mark)


def threads_of_account() -> int:
    """How many threads this account runs, which is what the limit of processes counts."""
    count, uid = 0, os.getuid()
    for name in _pids():
        try:
            if os.stat("/proc/" + name).st_uid == uid:
                count += len(os.listdir("/proc/%s/task" % name))
        except OSError:
            continue
    return count


def _pids() -> List[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
