"""A node is sampled while runs go on, whoever watches, by one process that ends with them."""

import json
import os
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.link import AgentLink, KeptSamples
from remote.node import procs
from remote.node.meter import tick
from remote.node.samples import MAX_BYTES, SPACINGS, Row, SampleFile, read_rows, thin
from tests.support.local_node import LocalNode
from tests.support.waiting import until

SLEEP = "import time\ntime.sleep(3600)\n"
SMI = r"""#!/usr/bin/python3
import sys, time
fields = sys.argv[1].partition("=")[2].split(",")
values = {"index": "0", "uuid": "GPU-aaaa", "name": "TEST", "utilization.gpu": "42 %",
          "memory.used": "100 MiB", "memory.total": "1000 MiB", "temperature.gpu": "40",
          "power.draw": "50.00 W", "mig.mode.current": "[N/A]"}
print(", ".join(fields))
while True:
    print(", ".join(values[field] for field in fields), flush=True)
    if "-l" not in sys.argv:
        break
    time.sleep(1)
"""


@pytest.fixture
def gpu_node(node: LocalNode) -> Iterator[LocalNode]:
    tool = node.tools / "nvidia-smi"
    tool.write_text(SMI)
    tool.chmod(0o755)
    yield node
    until(lambda: samplers(node) == [] or stop_all(node))


def stop_all(node: LocalNode) -> bool:
    """The supervisors' end is the sampler's."""
    for run_id in node.run_ids:
        for pid in node.processes(run_id):
            os.kill(pid, 9)
    return False


def samplers(node: LocalNode) -> list[int]:
    return [
        pid
        for pid in procs.mine()
        if str(node.home) in procs.program(pid) and "sampler.main" in procs.program(pid)
    ]


def samples_of(node: LocalNode, run_id: str = "r-1") -> Path:
    return node.task_dir(run_id).parent / "samples.jsonl"


def start(node: LocalNode, *tasks: str, run_id: str = "r-1") -> AgentLink:
    found = node.connect()
    node.deploy(found.link)
    for task in tasks:
        found.link.start_task(node.launch(SLEEP, task=task, run_id=run_id))
    return found.link


def kept(link: AgentLink, node: LocalNode, after: int = 0) -> list[KeptSamples]:
    return list(link.kept_samples(root=node.root, run_id="r-1", after=after))


def test_that_one_process_samples_for_all_tasks_with_no_desktop_there(
    gpu_node: LocalNode,
) -> None:
    link = start(gpu_node, "ps:0", "worker:0", "worker:1")
    link.close()
    path = gpu_node.task_dir().parent / "samples.jsonl"
    until(lambda: len(read_rows(str(path))) >= 4)
    until(lambda: len(samplers(gpu_node)) == 1)
    assert not set(samplers(gpu_node)) & set(gpu_node.processes()), "it belongs to no run"
    assert os.getsid(samplers(gpu_node)[0]) != os.getsid(0)
    numbers = [row.number for row in read_rows(str(path))]
    assert numbers == list(range(1, len(numbers) + 1))
    again = gpu_node.connect().link
    (piece,) = kept(again, gpu_node)
    told = piece.samples[-1]
    assert [(g.uuid, g.utilization_percent) for g in told.gpus] == [("GPU-aaaa", 42.0)]
    assert (told.node, told.boot) == (gpu_node.name, procs.boot_id())
    assert abs(told.t - (time.time() - tick() + (told.tick or 0))) < 1.0
    later = kept(again, gpu_node, after=piece.number - 1)
    assert later[0].samples[0].tick == told.tick
    assert again.stop_run(root=gpu_node.root, run_id="r-1", grace_s=3) == []
    until(lambda: not samplers(gpu_node))
    assert kept(again, gpu_node)[0].number >= piece.number, "what was kept stays with the run"


def test_that_it_serves_several_runs_and_ends_with_the_last(gpu_node: LocalNode) -> None:
    link = start(gpu_node, "worker:0")
    start(gpu_node, "worker:0", run_id="r-2")
    until(lambda: all(read_rows(str(samples_of(gpu_node, run))) for run in ("r-1", "r-2")))
    until(lambda: len(samplers(gpu_node)) == 1)
    link.stop_run(root=gpu_node.root, run_id="r-1", grace_s=3)
    ended = len(read_rows(str(samples_of(gpu_node, "r-1"))))
    seen = len(read_rows(str(samples_of(gpu_node, "r-2"))))
    until(lambda: len(read_rows(str(samples_of(gpu_node, "r-2")))) >= seen + 3)
    assert len(read_rows(str(samples_of(gpu_node, "r-1")))) <= ended + 2
    link.stop_run(root=gpu_node.root, run_id="r-2", grace_s=3)
    until(lambda: not samplers(gpu_node))
    assert not list(Path(gpu_node.root, "sampler").glob("*/*.json")), "nobody is on the list"


def test_that_a_sampler_that_was_killed_is_started_again_by_whoever_asks(
    gpu_node: LocalNode,
) -> None:
    link = start(gpu_node, "worker:0")
    path = samples_of(gpu_node)
    until(lambda: read_rows(str(path)))
    until(lambda: len(samplers(gpu_node)) == 1)
    os.kill(samplers(gpu_node)[0], 9)
    until(lambda: not samplers(gpu_node))
    with path.open("ab") as file:
        file.write(b'{"n": 3, "torn')
    before = kept(link, gpu_node)[-1].number
    until(lambda: kept(link, gpu_node)[-1].number >= before + 2)
    until(lambda: len(samplers(gpu_node)) == 1)
    numbers = [row.number for row in read_rows(str(path))]
    assert numbers == sorted(set(numbers))
    (path.parent / "other").write_bytes(b"")
    os.replace(path.parent / "other", path)  # somebody emptied it: its numbers begin anew


def a_sample(at: float, boot: str = "b") -> dict[str, Any]:
    values = {"cpu_percent": 1.0, "memory_used_bytes": 1, "memory_total_bytes": 2}
    return {"t": at, "boot": boot, "tick": at, "gpus": [], "gpu_note": "", **values}


def test_that_a_file_goes_on_where_it_was_and_survives_a_disk_that_is_away(
    tmp_path: Path,
) -> None:
    path = tmp_path / "gone ü" / "samples.jsonl"
    kept_file = SampleFile(str(path))
    kept_file.add(a_sample(1.0))  # there is no such folder
    path.parent.mkdir()
    for second in range(2, 70):
        kept_file.add(a_sample(float(second)))
    numbers = [row.number for row in read_rows(str(path))]
    assert numbers == list(range(1, 70)), "what could not be written was written later"
    SampleFile(str(path)).add(a_sample(70.0))
    assert read_rows(str(path))[-1].number == 70


@given(
    ages=st.lists(st.floats(0, 1e6), min_size=1, max_size=300),
    other=st.integers(0, 50),
    size=st.integers(100, 2000),
)
def test_that_thinning_keeps_the_newest_whole_and_the_oldest_in_parts(
    ages: list[float], other: int, size: int
) -> None:
    now = 2e6
    ticks = sorted(now - age for age in ages)
    line = json.dumps({"x": "y" * size}).encode()
    rows = [Row(n, "before", float(n), line) for n in range(other)]
    rows += [Row(other + n, "now", at, line) for n, at in enumerate(ticks)]
    limit = 40_000
    thinned = thin(rows, "now", now, limit)
    assert [row for row in rows if row in thinned] == thinned, "none is new, and in order"
    assert sum(len(row.line) for row in thinned) <= max(limit, (len(SPACINGS) + 2) * len(line))
    assert thinned[0] == rows[0]
    if sum(len(row.line) for row in rows) <= limit:
        near = [row for row in rows if row.boot == "now" and now - row.tick <= 300]
        slots = {int(row.tick / SPACINGS[0][1]) for row in near}
        assert len([row for row in thinned if row in near]) >= len(slots)


def test_that_a_month_with_eight_gpus_stays_within_a_few_megabytes() -> None:
    line, rows, now = b"x" * 900, list[Row](), 0.0
    for _ in range(30):
        rows += [Row(0, "b", now + second, line) for second in range(0, 86_400, 30)]
        now += 86_400.0
        rows = thin(rows, "b", now)
    assert sum(len(row.line) for row in rows) <= MAX_BYTES
    gaps = [b.tick - a.tick for a, b in pairwise(rows)]
    assert rows[0].tick < 3600.0
    assert max(gaps) <= 4 * 3600.0, "the oldest are thin, not gone"
    assert gaps[-1] < 600
