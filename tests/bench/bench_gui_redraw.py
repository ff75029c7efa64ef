"""What a redraw costs with many GPUs after an hour at 1 Hz, and whether memory stays flat.

The dashboard of the program, offscreen at 1200 x 700: loss, throughput, and a heat map of 512 and
of 8,192 GPUs. Only drawing is timed, in CPU time of this process, so that other work on the machine
does not count; each redraw has one new second of samples.
"""

from __future__ import annotations

import os
import resource
import sys
import time

from remote.updates import GpuSample, NodeSample, RateUpdate, StepsUpdate
from tests.bench.report import Report, Row
from trainer.spec import TaskId

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HOUR = 3600
REDRAWS = 200
WARM_UP = 10
MOST_MS = 16.0
MOST_GROWTH = 1.15
T0 = 1_700_000_000.0
PER_NODE = 8


def main() -> int:
    from PySide6.QtWidgets import QApplication

    app = QApplication([])  # noqa: F841 (must stay alive)
    report = Report("Redraw after one hour at 1 Hz")
    report.begin()
    for gpus in (512, 8192):
        times, growth = measure(gpus)
        report.add(
            Row(
                what=f"{gpus:,} GPUs, p99",
                samples=times,
                bound=MOST_MS,
                unit="ms",
                quantile=0.99,
            )
        )
        report.add(
            Row(
                what=f"{gpus:,} GPUs, memory at the end / half way",
                samples=[growth],
                bound=MOST_GROWTH,
            )
        )
    return report.finish()


def measure(gpus: int) -> tuple[list[float], float]:
    """Milliseconds of each redraw, and resident memory at the end over that of half way."""
    from gui.dashboard import Dashboard
    from gui.device_model import DeviceModel
    from gui.run_model import RunModel

    run = RunModel("bench", started_at=T0)
    devices = DeviceModel()
    dashboard = Dashboard()
    dashboard.resize(1200, 700)
    dashboard.show()
    dashboard.show_models(run, devices)
    half = 0.0
    for second in range(HOUR):
        feed(run, devices, gpus, second)
        if second == HOUR // 2:
            for number in range(WARM_UP):
                redraw(dashboard, second + number / WARM_UP)
            half = resident_mib()
    times = []
    for second in range(HOUR, HOUR + REDRAWS):
        feed(run, devices, gpus, second)
        times.append(redraw(dashboard, second))
    growth = resident_mib() / half
    dashboard.close()
    dashboard.deleteLater()
    return times, growth


def redraw(dashboard: object, second: float) -> float:
    """Draw the state of ``second`` and paint it; returns milliseconds of CPU time."""
    from PySide6.QtWidgets import QApplication

    from gui.dashboard import Dashboard

    assert isinstance(dashboard, Dashboard)
    began = time.process_time()
    dashboard.refresh(T0 + second, force=True)
    QApplication.processEvents()  # the painting itself
    return (time.process_time() - began) * 1e3


def feed(run: object, devices: object, gpus: int, second: int) -> None:
    """One second of a run on ``gpus`` GPUs."""
    from gui.device_model import DeviceModel
    from gui.run_model import RunModel

    assert isinstance(run, RunModel)
    assert isinstance(devices, DeviceModel)
    for worker in range(4):
        run.apply(
            StepsUpdate(
                run_id="bench",
                task=TaskId("worker", worker),
                steps=tuple(range(second * 10, second * 10 + 10)),
                losses=tuple(2.0 / (1 + second / 100) + 0.01 * i for i in range(10)),
                times=tuple(T0 + second + i / 10 for i in range(10)),
            )
        )
    rates = {TaskId("worker", worker): 1000.0 + worker for worker in range(4)}
    run.apply(RateUpdate(run_id="bench", t=T0 + second, total=4000.0, per_worker=rates))
    for node in range(gpus // PER_NODE):
        devices.add(sample(node, second))


def sample(node: int, second: int) -> NodeSample:
    return NodeSample(
        node=f"n{node}",
        t=T0 + second,
        cpu_percent=50.0,
        memory_used_bytes=None,
        memory_total_bytes=None,
        gpus=tuple(
            GpuSample(
                uuid=f"{node}-{index}",
                index=index,
                name="A100",
                utilization_percent=float((node * 7 + index * 13 + second * 3) % 101),
                memory_used_bytes=None,
                memory_total_bytes=None,
                temperature_c=None,
                power_watts=None,
            )
            for index in range(PER_NODE)
        ),
    )


def resident_mib() -> float:
    """Memory this process uses now, MiB."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


if __name__ == "__main__":
    sys.exit(main())
