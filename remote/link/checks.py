"""The part of an agent's protocol that only checks use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_args

from remote.link import environment
from remote.link.decode import Reader, nonsense
from remote.link.items import Hello, TaskLaunch
from remote.link.wires import Wires
from remote.survey import Dialled, Disk, GpuUser, HelloOutput, How, NodeSurvey, PortRefused
from trainer.spec import to_json

Target = tuple[str, int, int]
"""Address, port, and the number of the node that is meant."""
_SURVEY_LIMIT_S = 90.0
_SHORT_S = 20.0
_STARTING_S = 30.0


class Checks:
    """Requests of one link. They block, and raise NodeError and LinkLost as its others do."""

    def __init__(self, wires: Wires, node: str, hello: Hello, round_trip: Callable[[], float]):
        self._wires = wires
        self._node = node
        self._hello = hello
        self._round_trip = round_trip

    def survey(
        self,
        *,
        places: Sequence[tuple[str, str]],
        python: str,
        setup: Sequence[str],
        variables: Mapping[str, str],
    ) -> NodeSurvey:
        """A closer look. ``places``: purpose and path of each folder to look at."""
        args = {
            "places": [list(place) for place in places],
            "python": python,
            "setup": list(setup),
            "variables": dict(variables),
        }
        answer = self._wires.call("survey", args, timeout_s=_SURVEY_LIMIT_S)
        return self._survey(Reader(answer, self._node))

    def mark(self, root: str, token: str, number: int) -> None:
        """Make this node's mark in ``root``, until :meth:`unmark` or the link's end."""
        args = {"root": root, "token": token, "number": number}
        self._wires.call("mark", args, timeout_s=_SHORT_S)

    def marks_seen(self, root: str, token: str, others: Sequence[int]) -> list[int]:
        """Whose marks are seen in ``root`` from this node."""
        args = {"root": root, "token": token, "others": list(others)}
        answer = self._wires.call("marks_seen", args, timeout_s=_SHORT_S)
        seen = Reader({"seen": answer}, self._node).items("seen")
        return [number for number in others if number in seen]

    def unmark(self, root: str, token: str, number: int) -> None:
        args = {"root": root, "token": token, "number": number}
        self._wires.call("unmark", args, timeout_s=_SHORT_S)

    def listen(
        self, token: str, number: int, ports: Sequence[int], limit_s: float
    ) -> list[PortRefused]:
        """Listen on ``ports`` until :meth:`unlisten`; those that could not be had."""
        args = {"token": token, "number": number, "ports": list(ports), "limit_s": limit_s}
        answer = self._wires.call("reach_listen", args, timeout_s=_SHORT_S)
        refused = []
        for item in Reader({"refused": answer}, self._node).items("refused"):
            names = ("port", "why", "holder")
            if not isinstance(item, list) or len(item) != len(names):
                raise nonsense(self._node, "a refused port has another form")
            data = Reader(dict(zip(names, item, strict=True)), self._node)
            refused.append(PortRefused(data.whole("port"), data.text("why"), data.text("holder")))
        return refused

    def unlisten(self, token: str) -> None:
        self._wires.call("reach_close", {"token": token}, timeout_s=_SHORT_S)

    def dial(self, token: str, targets: Sequence[Target], timeout_s: float) -> list[Dialled]:
        """Dial each target from this node; the answers in the same order."""
        args = {"token": token, "targets": [list(t) for t in targets], "timeout_s": timeout_s}
        rounds = 1 + len(targets) // 16  # the agent dials sixteen at a time
        answer = self._wires.call("reach_dial", args, timeout_s=_SHORT_S + rounds * timeout_s)
        found = [self._dialled(item) for item in Reader({"all": answer}, self._node).objects("all")]
        if len(found) != len(targets):
            raise nonsense(self._node, "it dialled something else")
        return found

    def measure(self, token: str, target: Target, seconds: float, timeout_s: float) -> float | None:
        """Bytes per second to a target; None: it could not be measured."""
        args = {
            "token": token,
            "target": list(target),
            "seconds": seconds,
            "timeout_s": timeout_s,
        }
        answer = self._wires.call("reach_measure", args, timeout_s=_SHORT_S + timeout_s)
        return Reader(answer, self._node).number("bytes_per_second") or None

    def hello(self, launch: TaskLaunch, *, token: str, mark: str, limit_s: float) -> HelloOutput:
        """Run a hello process to its end, or for ``limit_s``."""
        args: dict[str, Any] = {
            "root": launch.root,
            "app": launch.app.digest,
            "python": launch.python,
            "argv": list(launch.arguments),
            "setup": list(launch.setup),
            "variables": environment.of_task(launch),
            "token": token,
            "mark": mark,
            "limit_s": limit_s,
        }
        text = json.dumps(to_json(launch.spec)).encode("ascii")
        answer = self._wires.call("hello", args, text, timeout_s=limit_s + _STARTING_S)
        data = Reader(answer, self._node)
        lines = [item for item in data.items("lines") if isinstance(item, dict)]
        return HelloOutput(
            status=data.optional("status", data.whole),
            lines=tuple(lines),
            last=tuple(data.line(item).decode() for item in data.items("last")),
        )

    def hello_stop(self, token: str) -> None:
        """End this check's hello processes on the node."""
        self._wires.call("hello_stop", {"token": token}, timeout_s=_SHORT_S)

    def _survey(self, data: Reader) -> NodeSurvey:
        task = Reader(data.mapping("task") if data.optional("task", data.mapping) else {}, "")
        gpus = Reader(data.mapping("gpus"), self._node)
        return NodeSurvey(
            shell=data.text("shell"),
            prints=self._hello.noise,
            threads=data.whole("threads"),
            limits=_limits(task),
            driver=gpus.text("driver"),
            gpu_users=tuple(_gpu_user(item) for item in gpus.objects("users")),
            infiniband=_all_texts(data, "infiniband"),
            quota=_all_texts(data, "quota"),
            disks=tuple(_disk(item) for item in data.objects("disks")),
            silent=_all_texts(data, "silent"),
            round_trip_s=self._round_trip(),
        )

    def _dialled(self, data: Reader) -> Dialled:
        how = data.text("how")
        if how not in get_args(How):
            raise nonsense(self._node, "an unknown end of dialling")
        return Dialled(
            how=cast(How, how),
            detail=data.text("detail", 300),
            addresses=_all_texts(data, "addresses"),
            met=data.optional("met", data.whole),
            rtt_s=data.optional("rtt_s", data.number),
        )


def _all_texts(data: Reader, key: str) -> tuple[str, ...]:
    return tuple(data.line(item).decode() for item in data.items(key, 1000))


def _limits(task: Reader) -> dict[str, tuple[int, int]]:
    found = {}
    given = task.optional("limits", task.mapping) or {}
    for name, pair in given.items():
        if isinstance(pair, list) and len(pair) == 2 and all(type(n) is int for n in pair):
            found[str(name)] = (pair[0], pair[1])
    return found


def _gpu_user(data: Reader) -> GpuUser:
    return GpuUser(
        gpu=data.text("gpu"),
        pid=data.whole("pid"),
        user=data.text("user"),
        program=data.text("program"),
        memory_bytes=data.optional("memory_bytes", data.whole),
        run_id=data.text("run_id"),
    )


def _disk(data: Reader) -> Disk:
    known = Disk(
        purpose=data.text("purpose"),
        path=data.text("path"),
        error=data.text("error"),
        remedy=data.text("remedy"),
    )
    if data.optional("free_bytes", data.whole) is None:
        return known
    return Disk(
        purpose=known.purpose,
        path=known.path,
        error=known.error,
        remedy=known.remedy,
        device=data.text("device"),
        kind=data.text("kind"),
        free_bytes=data.whole("free_bytes"),
        total_bytes=data.whole("total_bytes"),
        free_files=data.optional("free_files", data.whole),
        read_only=data.flag("read_only"),
        no_exec=data.flag("no_exec"),
        write_s=data.optional("write_s", data.number),
    )
