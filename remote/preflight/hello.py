"""What the hello processes said, as one line for each device."""

from __future__ import annotations

from collections.abc import Sequence

from remote.checks import Finding, HelloDevice
from remote.facts import Gpu
from remote.preflight.making import finding
from remote.survey import HelloOutput

SUM = (5.0, 7.0, 9.0)
"""[1, 2, 3] + [4, 5, 6], as :mod:`trainer.hello` adds them."""
UNSEEN = "TensorFlow does not see this GPU"
LATE = "no answer in time"


def hello_devices(
    node: str, gpus: Sequence[Gpu], output: HelloOutput | None, reason: str = ""
) -> list[HelloDevice]:
    """What came of one worker.

    Args:
        gpus: those that the worker was given, in the order in which TensorFlow numbers them.
        output: what it said; None: it could not be started, and ``reason`` says why.
    """
    expected = [f"GPU:{index}" for index in range(len(gpus))] or ["CPU:0"]
    names = {f"GPU:{index}": gpu.name for index, gpu in enumerate(gpus)}
    said = _additions(output)
    why = reason or (_why(output) if output is not None else "it did not run")
    listed = _listed(output)
    found = []
    for device in [*expected, *(d for d in said if d not in expected)]:
        good, text, seconds = said.get(device, (False, "", None))
        if not text:
            unseen = listed is not None and device not in listed
            text = UNSEEN if unseen else why
        name = names.get(device, "CPU" if device.startswith("CPU") else device)
        found.append(
            HelloDevice(node=node, device=device, name=name, good=good, text=text, seconds=seconds)
        )
    return found


def hello_finding(device: HelloDevice) -> Finding:
    """The same as a finding."""
    what = f"vector addition on {device.device} ({device.name}): {device.text}"
    remedy = "" if device.good else _remedy(device.text)
    return finding("hello", "ok" if device.good else "problem", what, remedy, device.node)


def _remedy(text: str) -> str:
    if text == UNSEEN:
        return "Install a TensorFlow with CUDA in that Python: pip install 'tensorflow[and-cuda]'."
    if text.startswith(LATE):
        return "See that the ways between the nodes are open, and that the node is not overloaded."
    return "Correct that, then check with hello again."


def _additions(output: HelloOutput | None) -> dict[str, tuple[bool, str, float | None]]:
    """By device: whether every sum is right, words, and the longest time."""
    found: dict[str, tuple[bool, str, float | None]] = {}
    for line in output.lines if output is not None else ():
        device, total, seconds = line.get("device"), line.get("sum"), line.get("seconds")
        if not isinstance(device, str) or not isinstance(total, list):
            continue
        took = float(seconds) if isinstance(seconds, (int, float)) else 0.0
        good = [round(value, 6) for value in total if isinstance(value, (int, float))] == list(SUM)
        before = found.get(device, (True, "", 0.0))
        longest = max(took, before[2] or 0.0)
        shown = ", ".join(f"{value:g}" for value in total if isinstance(value, (int, float)))
        text = f"[1, 2, 3] + [4, 5, 6] = [{shown}] in {longest * 1000:.1f} ms"
        text = text if good else f"{text}, which is wrong"
        found[device] = (good and before[0], text, longest)
    return found


def _listed(output: HelloOutput | None) -> list[str] | None:
    """The devices that TensorFlow named; None: it did not come so far."""
    for line in output.lines if output is not None else ():
        devices = line.get("devices")
        if isinstance(devices, list):
            return [str(device) for device in devices]
    return None


def _why(output: HelloOutput) -> str:
    failed = [str(line["failed"]) for line in output.lines if "failed" in line]
    if failed:
        return failed[-1].partition(" Additional GRPC error")[0]
    phases = [str(line["phase"]) for line in output.lines if "phase" in line]
    doing = f" while {phases[-1]}" if phases else ""
    if output.status is None:
        return f"{LATE}{doing}"
    last = f": {output.last[-1]}" if output.last else ""
    return f"it ended with status {output.status}{doing}{last}"
