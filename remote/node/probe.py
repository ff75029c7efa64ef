"""What this node has, and everything that keeps it from training, in one answer."""

import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from remote.node import agent as agent_module
from remote.node import environments, machine, nvidia_smi, ports, procs, storage, task_python
from remote.node.nvidia_smi import Gpu
from remote.node.refused import Refused
from remote.node.telemetry import gpu_watch

if TYPE_CHECKING:
    from remote.node.agent import Agent

_PORTS = 1024
"""How many ports from the first one are looked at."""
_GPU_LIMIT_S = 12.0
_DEFAULT_PYTHON = "python3"

Problems = List[Dict[str, Any]]


def probe(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """Everything about this node; what is wrong is listed under ``problems``."""
    problems: Problems = []
    gpus = _Later(lambda: _gpus(agent, args["gpus"]))
    root = _root(agent.node, args["root"], problems)
    python, base, environment = _python(agent.node, root, args)
    for what, remedy in python.problems:
        _add(problems, what, remedy)
    found, note = gpus.result()
    wanted = args["gpus"]
    chosen = [gpu for gpu in found if not isinstance(wanted, list) or gpu.index in wanted]
    _check_gpus(wanted, found, note, problems)
    for gpu in chosen:
        if gpu.warning:
            what = "GPU %d (%s): %s" % (gpu.index, gpu.name, gpu.warning)
            remedy = "List the GPUs to use under the node's gpus in the profile to leave it out."
            if gpu.lost:
                remedy = "No task is given to it; reboot the node to have it back."
            _add(problems, what, remedy, False)
    return {
        "t": time.time(),
        "boot_id": procs.boot_id(),
        "network_namespace": agent_module.network_namespace(),
        "root": root,
        "environment": environment,
        "base": base,
        "python": python.executable,
        "python_version": python.version,
        "tensorflow_version": python.tensorflow,
        "proxies": python.proxies,
        "cpus": machine.cpus(),
        "memory_bytes": machine.memory_bytes(),
        "disk_free_bytes": storage.free_bytes(root) if root else 0,
        "gpus": [dict(gpu._asdict()) for gpu in chosen],
        "gpu_note": note if not chosen else "",
        "ports": _ports(args["ports_from"]),
        "problems": problems,
    }


def _root(node: str, wanted: str, problems: Problems) -> str:
    try:
        root = storage.find_root(wanted, node)
    except Refused as error:
        _add(problems, error.what, error.remedy)
        return ""
    if root.refusals:
        what = "; ".join((*root.refusals, storage.ELSEWHERE % root.path))
        _add(problems, what, root.remedy, False)
    return root.path


def _python(
    node: str, root: str, args: Dict[str, Any]
) -> Tuple[task_python.TaskPython, Optional[Dict[str, Any]], str]:
    """What tasks run with; where packages are given, what it is made from, and is it there."""
    setup, variables, python = args["setup"], args["variables"], args["python"]
    if not args["packages"]:
        return task_python.examine(python or _DEFAULT_PYTHON, setup, variables), None, ""
    wanted = environments.Wanted(args["packages"], args["wheels"], args["digests"])
    found = environments.look(node, root, python, setup, variables, wanted)
    return found.python, found.base or None, found.state


def _gpus(agent: "Agent", wanted: Any) -> Tuple[Tuple[Gpu, ...], str]:
    if wanted == "none" or wanted == []:
        return (), "the profile uses no GPU of this node"
    return gpu_watch(agent).inventory(_GPU_LIMIT_S)


def _check_gpus(wanted: Any, found: Tuple[Gpu, ...], note: str, problems: Problems) -> None:
    if isinstance(wanted, list):
        there = [gpu.index for gpu in found]
        absent = [index for index in wanted if index not in there]
        if absent:
            has = ", ".join(map(str, there)) or "none (%s)" % note
            names = ", ".join(map(str, absent))
            what = "the profile asks for GPU %s, and this node has: %s" % (names, has)
            _add(problems, what, "Correct the node's gpus in the profile.", asked=True)
    elif note and not found and not note.startswith(nvidia_smi.NO_GPU) and wanted == "all":
        _add(problems, note, "Tasks on this node run on its CPU until that is repaired.", False)


def _ports(first: int) -> List[Dict[str, Any]]:
    held = ports.taken(first, min(65535, first + _PORTS - 1))
    return [
        {
            "port": holder.port,
            "pid": holder.pid,
            "program": holder.program,
            "run_id": holder.run_id,
            "task": holder.task,
        }
        for holder in held
    ]


def _add(
    problems: Problems, what: str, remedy: str, fatal: bool = True, asked: bool = False
) -> None:
    problems.append({"what": what, "remedy": remedy, "fatal": fatal, "asked": asked})


class _Later:
    """Runs a function in a thread of its own, so that slow answers are waited for together."""

    def __init__(self, function: Callable[[], Tuple[Tuple[Gpu, ...], str]]) -> None:
        self._result: Tuple[Tuple[Gpu, ...], str] = ((), "nvidia-smi could not be asked")
        self._function = function
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> Tuple[Tuple[Gpu, ...], str]:
        self._thread.join()
        return self._result

    def _run(self) -> None:
        self._result = self._function()
