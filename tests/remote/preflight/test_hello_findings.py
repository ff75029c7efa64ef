"""What the words of hello processes mean."""

from __future__ import annotations

from collections.abc import Mapping

from remote.checks import HelloDevice
from remote.facts import Gpu
from remote.preflight import hello_devices, hello_finding
from remote.survey import HelloOutput

CARDS = tuple(
    Gpu(index=i + 2, uuid=f"GPU-{i}", name="NVIDIA A100", memory_total_bytes=None) for i in range(2)
)


def said(
    *lines: Mapping[str, object], status: int | None = 0, last: tuple[str, ...] = ()
) -> HelloOutput:
    return HelloOutput(status=status, lines=lines, last=last)


def added(
    device: str, total: list[float] | None = None, seconds: float = 0.001
) -> dict[str, object]:
    return {"device": device, "ps": 0, "sum": total or [5.0, 7.0, 9.0], "seconds": seconds}


def words(devices: list[HelloDevice]) -> list[tuple[str, str, bool]]:
    return [(one.device, one.name, one.good) for one in devices]


def test_that_each_device_is_named_with_its_result() -> None:
    output = said(
        {"phase": "adding", "devices": ["GPU:0", "GPU:1"]}, added("GPU:0"), added("GPU:1")
    )
    found = hello_devices("n", CARDS, output)
    assert words(found) == [("GPU:0", "NVIDIA A100", True), ("GPU:1", "NVIDIA A100", True)]
    assert found[0].text == "[1, 2, 3] + [4, 5, 6] = [5, 7, 9] in 1.0 ms"
    assert hello_finding(found[0]).level == "ok"


def test_that_a_gpu_that_tensorflow_does_not_see_is_a_problem() -> None:
    output = said({"phase": "adding", "devices": ["CPU:0"]}, added("CPU:0"))
    found = hello_devices("n", CARDS, output)
    assert words(found) == [
        ("GPU:0", "NVIDIA A100", False),
        ("GPU:1", "NVIDIA A100", False),
        ("CPU:0", "CPU", True),
    ]
    one = hello_finding(found[0])
    assert one.level == "problem"
    assert "does not see" in one.what
    assert "and-cuda" in one.remedy


def test_that_a_wrong_sum_is_not_taken_for_a_right_one() -> None:
    output = said(added("CPU:0"), added("CPU:0", [5.0, 7.0, 8.5]), added("CPU:0"))
    (found,) = hello_devices("n", (), output)
    assert not found.good
    (found,) = hello_devices("n", (), said(added("CPU:0", [5.0])))
    assert not found.good
    assert "wrong" in found.text


def test_that_a_hello_that_does_not_end_says_how_far_it_came() -> None:
    output = said({"phase": "importing TensorFlow"}, {"phase": "waiting for a:1"}, status=None)
    (found,) = hello_devices("n", (), output)
    assert found.text == "no answer in time while waiting for a:1"
    assert "open" in hello_finding(found).remedy


def test_that_a_hello_that_fails_gives_its_own_words() -> None:
    (found,) = hello_devices("n", (), said({"failed": "port 2220 is in use"}, status=69))
    assert found.text == "port 2220 is in use"
    output = said({"phase": "importing TensorFlow"}, status=-11, last=("Illegal instruction",))
    (found,) = hello_devices("n", (), output)
    assert found.text == "it ended with status -11 while importing TensorFlow: Illegal instruction"
    (found,) = hello_devices("n", (), None, "no space left")
    assert (found.good, found.text) == (False, "no space left")
