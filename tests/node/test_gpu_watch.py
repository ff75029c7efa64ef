"""GPUs through a program named nvidia-smi on the node's PATH, in good and bad moods."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from remote.facts import NodeFacts
from remote.node import procs
from remote.node.gpu_watch import GpuWatch
from remote.updates import NodeSample
from tests.support.local_node import Connected, LocalNode
from tests.support.waiting import until

FIXTURES = Path(__file__).parents[1] / "fixtures" / "nvidia_smi"
# Behaves as the real one where it matters: -l, -i, the fields asked for. MODE is read anew in
# every round, and each start is counted.
FAKE = r"""
import os, sys, time
state = os.environ["SMI_STATE"]
def read(name, default=""):
    try:
        return open(os.path.join(state, name)).read()
    except OSError:
        return default
open(os.path.join(state, "starts"), "a").write(" ".join(sys.argv[1:]) + "\n")
args = sys.argv[1:]
fields = args[0].partition("=")[2].split(",")
mode = read("mode", "ok")
if "unknown:" in mode and mode.partition(":")[2] in fields:
    print('Field "%s" is not a valid field to query.\n' % mode.partition(":")[2]); sys.exit(2)
if mode.startswith("fail:"):
    status, _, text = mode[5:].partition(":")
    print(text); sys.exit(int(status))
only = int(args[args.index("-i") + 1]) if "-i" in args else None
lost = 1 if mode == "lost" else None
if lost is not None and only in (None, lost):
    print("Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error")
    sys.exit(1)
if only is not None and only > 3:
    print("No devices were found"); sys.exit(6)
def cells(index):
    values = {"index": index, "uuid": "GPU-%08d-aaaa" % index, "name": "TEST %d" % index,
              "mig.mode.current": "[N/A]", "utilization.gpu": "%d %%" % (10 * index + 7),
              "memory.used": "100 MiB", "memory.total": "1000 MiB", "temperature.gpu": "40",
              "power.draw": "50.00 W"}
    return ", ".join(str(values[field]) for field in fields)
units = {"utilization.gpu": " [%]", "memory.used": " [MiB]", "memory.total": " [MiB]",
         "power.draw": " [W]"}
print(", ".join(field + units.get(field, "") for field in fields))
while True:
    mode = read("mode", "ok")
    if mode == "stuck":
        import signal
        signal.signal(15, signal.SIG_IGN)
        sys.stdout.write("0, NVIDIA TE"); sys.stdout.flush()
        time.sleep(3600)
    if mode == "end":
        sys.exit(0)
    for index in [only] if only is not None else range(4):
        print(cells(index))
    sys.stdout.flush()
    if "-l" not in args:
        break
    time.sleep(int(args[args.index("-l") + 1]) * 0.3)
"""


class Smi:
    """The fake nvidia-smi of one node."""

    def __init__(self, node: LocalNode) -> None:
        self._state = node.home / "smi"
        self._state.mkdir()
        node.env["SMI_STATE"] = str(self._state)
        tool = node.tools / "nvidia-smi"
        tool.write_text("#!/usr/bin/python3\n" + FAKE)
        tool.chmod(0o755)

    def mode(self, text: str) -> None:
        part = self._state / "part"
        part.write_text(text)
        part.rename(self._state / "mode")

    def starts(self) -> list[str]:
        path = self._state / "starts"
        return path.read_text().splitlines() if path.exists() else []

    def running(self) -> list[int]:
        return [
            pid
            for pid in procs.mine()
            if str(self._state.parents[1]) in procs.program(pid)
            and "nvidia-smi" in procs.program(pid)
        ]


@pytest.fixture
def smi(node: LocalNode) -> Smi:
    return Smi(node)


def probe(found: Connected) -> NodeFacts:
    return found.link.probe(
        root="~/.clew", python=None, setup=[], variables={}, ports_from=2220, gpus="all"
    )


def last(found: Connected) -> NodeSample | None:
    samples = found.samples()
    return samples[-1].sample if samples else None


def utilization(found: Connected) -> list[float | None]:
    sample = last(found)
    return [gpu.utilization_percent for gpu in sample.gpus] if sample else []


def test_that_one_long_lived_query_serves_all_samples(node: LocalNode, smi: Smi) -> None:
    found = node.connect()
    found.link.telemetry(0.2)
    until(lambda: utilization(found) == [7, 17, 27, 37])
    sample = last(found)
    assert sample is not None
    assert (sample.node, sample.gpu_note) == (node.name, "")
    gpu = sample.gpus[2]
    assert (gpu.uuid, gpu.index, gpu.name) == ("GPU-00000002-aaaa", 2, "TEST 2")
    assert gpu.memory_used_bytes == 100 * 1024 * 1024
    assert (gpu.temperature_c, gpu.power_watts, gpu.warning) == (40, 50, "")
    assert found.samples()[0].sample.cpu_percent is None
    until(lambda: (s := last(found)) is not None and s.cpu_percent is not None)
    time.sleep(1)
    assert len(smi.starts()) == 1
    found.link.telemetry(None)
    until(lambda: not smi.running())
    count = len(found.samples())
    time.sleep(0.5)
    assert len(found.samples()) <= count + 1


def test_that_the_query_ends_with_its_agent_however_that_ends(node: LocalNode, smi: Smi) -> None:
    for kill in (True, False):
        found = node.connect()
        found.link.telemetry(0.2)
        until(lambda found=found: utilization(found))  # type: ignore[misc]
        assert len(smi.running()) == 1
        if kill:
            os.kill(found.link.hello.pid, 9)
        else:
            found.link.close()
        until(lambda: not smi.running())


def test_that_probe_lists_the_gpus_and_shares_the_one_query(node: LocalNode, smi: Smi) -> None:
    found = node.connect()
    facts = probe(found)
    assert [gpu.index for gpu in facts.gpus] == [0, 1, 2, 3]
    assert facts.gpus[1].memory_total_bytes == 1000 * 1024 * 1024
    assert facts.gpu_note == ""
    found.link.telemetry(0.2)
    until(lambda: utilization(found))
    starts = len(smi.starts())
    assert probe(found).gpus == facts.gpus
    assert len(smi.starts()) == starts


def test_that_the_profile_chooses_gpus_and_a_missing_one_is_fatal(
    node: LocalNode, smi: Smi
) -> None:
    link = node.connect().link
    ask: dict[str, Any] = {
        "root": "~/.clew",
        "python": None,
        "setup": (),
        "variables": {},
        "ports_from": 2220,
    }
    facts = link.probe(**ask, gpus=[1, 3])
    assert [gpu.uuid for gpu in facts.gpus] == ["GPU-00000001-aaaa", "GPU-00000003-aaaa"]
    facts = link.probe(**ask, gpus=[1, 9])
    assert any("asks for GPU 9" in problem.what and problem.fatal for problem in facts.problems)
    facts = link.probe(**ask, gpus="none")
    assert facts.gpus == ()
    assert facts.gpu_note


def test_that_a_field_unknown_to_the_driver_is_dropped_in_the_same_poll(
    node: LocalNode, smi: Smi
) -> None:
    smi.mode("unknown:power.draw")
    found = node.connect()
    assert len(probe(found).gpus) == 4
    found.link.telemetry(0.2)
    until(lambda: utilization(found) == [7, 17, 27, 37])
    sample = last(found)
    assert sample is not None
    assert all(gpu.power_watts is None for gpu in sample.gpus)
    assert len([start for start in smi.starts() if "power.draw" in start]) == 1


def test_that_the_same_holds_when_the_watch_meets_it_first(node: LocalNode, smi: Smi) -> None:
    smi.mode("unknown:mig.mode.current")
    found = node.connect()
    found.link.telemetry(0.2)
    until(lambda: utilization(found) == [7, 17, 27, 37])


@pytest.mark.parametrize(
    ("mode", "word"),
    [
        ("fail:18:Failed to initialize NVML: Driver/library version mismatch", "reboot"),
        ("fail:6:No devices were found", "no NVIDIA GPU here"),
        ("fail:9:NVIDIA-SMI has failed because it couldn't communicate", "not loaded"),
        ("fail:3:whatever", "whatever"),
    ],
)
def test_that_a_failing_tool_is_explained_and_recovers(
    node: LocalNode, smi: Smi, mode: str, word: str
) -> None:
    smi.mode(mode)
    found = node.connect()
    facts = probe(found)
    assert facts.gpus == ()
    assert word in facts.gpu_note
    assert facts.root, "the node stays usable"
    found.link.telemetry(0.2)
    until(lambda: (s := last(found)) is not None and word in s.gpu_note)
    sample = last(found)
    assert sample is not None
    assert sample.gpus == ()
    smi.mode("ok")
    until(lambda: utilization(found) == [7, 17, 27, 37])
    sample = last(found)
    assert sample is not None
    assert sample.gpu_note == ""


def test_that_a_lost_gpu_does_not_hide_the_others(node: LocalNode, smi: Smi) -> None:
    smi.mode("lost")
    found = node.connect()
    facts = probe(found)
    assert [gpu.index for gpu in facts.gpus] == [0, 1, 2, 3]
    assert [gpu.index for gpu in facts.live_gpus] == [0, 2, 3]
    assert "0000:0B:00.0 fell off the bus" in facts.gpus[1].warning
    found.link.telemetry(0.2)
    until(lambda: utilization(found) == [7, None, 27, 37])
    sample = last(found)
    assert sample is not None
    assert "0000:0B:00.0 fell off the bus" in sample.gpus[1].warning
    assert sample.gpus[0].warning == ""
    smi.mode("ok")
    until(lambda: utilization(found) == [7, 17, 27, 37])


def test_that_a_hanging_tool_is_one_process_and_its_values_age_out(
    node: LocalNode, smi: Smi
) -> None:
    found = node.connect()
    found.link.telemetry(0.2)
    until(lambda: utilization(found) == [7, 17, 27, 37])
    smi.mode("stuck")
    until(lambda: utilization(found) == [None] * 4)
    sample = last(found)
    assert sample is not None
    assert "not answering" in sample.gpu_note
    assert [gpu.name for gpu in sample.gpus] == [f"TEST {i}" for i in range(4)]
    began = time.monotonic()
    assert found.link.verify_path("/") == "/"
    probe(found)
    assert time.monotonic() - began < 10, "nothing else waits for the driver, which gets 12 s"
    assert len(smi.running()) == 1
    found.link.close()
    until(lambda: not smi.running())


def test_that_a_stuck_query_is_replaced_when_it_can_be_killed(
    node: LocalNode, smi: Smi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", node.env["PATH"])
    monkeypatch.setenv("SMI_STATE", node.env["SMI_STATE"])
    smi.mode("stuck")
    watch = GpuWatch(
        lambda target: threading.Thread(target=target, daemon=True).start(), hang_limit_s=1.0
    )
    watch.set_interval(1)
    try:
        until(lambda: len(smi.starts()) >= 1)
        smi.mode("ok")
        until(lambda: len(watch.snapshot()[0]) == 4)
        until(lambda: len(smi.running()) == 1)
    finally:
        watch.end()
    until(lambda: not smi.running())


def test_that_recorded_output_without_uuids_is_shown(node: LocalNode) -> None:
    tool = node.tools / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\ncat '{FIXTURES}/placeholders.csv'\n")
    tool.chmod(0o755)
    found = node.connect()
    facts = probe(found)
    assert [gpu.uuid for gpu in facts.gpus] == ["0", "1", "2", "3", "4", "5"]
    assert any("Unknown Error" in p.what and not p.fatal for p in facts.problems)
    found.link.telemetry(0.2)
    until(lambda: utilization(found) == [37, None, 100, None, 93, 12])


def test_that_a_node_without_the_tool_says_so(node: LocalNode) -> None:
    found = node.connect()
    found.link.telemetry(0.2)
    until(lambda: (s := last(found)) is not None and "no NVIDIA GPU here" in s.gpu_note)
    sample = last(found)
    assert sample is not None
    assert sample.memory_total_bytes
    assert sample.memory_used_bytes
