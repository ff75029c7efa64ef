"""Launch to first step, against the same three processes started by a parallel ``ssh`` script.

Both start one ps and two workers on three sshd nodes, with the trainer and the data already
there, in turn. The script logs in with OpenSSH for each process; Clew is connected, as it is when
Launch is pressed. The end is the first step that a worker wrote.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from remote.plan import PlannedTask
from remote.practice.files import copy_digits
from remote.session import ClusterSession
from tests.bench.on_nodes import connected, make_profile
from tests.bench.report import Report, Row
from tests.support.sshd import SshdNodes, why_no_nodes
from trainer import events
from trainer.spec import TaskId, TaskSpec, to_json

ROUNDS = 5
STEPS = 200
BOUND = 1.15


def first_step(nodes: SshdNodes, run_id: str) -> float | None:
    """UTC epoch seconds of the earliest step in the run's event files."""
    times: list[float] = []
    for node in nodes.nodes:
        for file in node.home.glob(f".clew/runs/{run_id}/*/*/events.jsonl"):
            for line in file.read_bytes().splitlines():
                body = events.decode(line).body
                if isinstance(body, events.Steps):
                    times += body.times[:1]
    return min(times, default=None)


def launch_with_clew(nodes: SshdNodes, session: ClusterSession) -> tuple[float, str]:
    """Seconds from Launch to the first step, and the run's id."""
    begin = time.time()
    run = session.launch()
    result = run.wait(120)
    if result is None or result.state != "finished":
        raise SystemExit(f"launch: the run did not finish: {result}")
    first = first_step(nodes, run.run_id)
    assert first is not None
    return first - begin, run.run_id


def launch_with_ssh(
    nodes: SshdNodes, tasks: list[tuple[PlannedTask, TaskSpec]], number: int
) -> float:
    """Seconds from the start of the script to the first step."""
    run_id = f"script-{number}"
    script = []
    for planned, spec in tasks:
        node = next(node for node in nodes.nodes if node.name == planned.node)
        (app,) = (node.home / ".clew/app").iterdir()
        task = str(planned.task).replace(":", "-")
        folder = node.home / f".clew/runs/{run_id}/{node.name}/{task}"
        folder.mkdir(parents=True)
        text = json.dumps(
            {**to_json(spec), "run_id": run_id, "checkpoint_dir": str(folder / "saved")}
        )
        (folder / "spec.json").write_text(text)
        variables = {**planned.environment, "PYTHONPATH": str(app)}
        words = ["env", *(f"{k}={v}" for k, v in variables.items())]
        words += [sys.executable, "-m", "trainer", str(folder)]
        command = shlex.join(words) + f" > {folder}/log.txt 2>&1"
        options = f"-o UserKnownHostsFile={nodes.known_hosts} -i {nodes.client_key}"
        script.append(f"ssh {options} root@{node.ip} {shlex.quote(command)} &")
    begin = time.time()
    subprocess.run(["bash", "-c", "\n".join([*script, "wait"])], check=True, timeout=120)
    first = first_step(nodes, run_id)
    if first is None:
        logs = [
            p.read_text() for n in nodes.nodes for p in n.home.glob(f".clew/runs/{run_id}/*/*/log*")
        ]
        raise SystemExit("launch: the script's processes made no step:\n" + "\n".join(logs)[-2000:])
    return first - begin


def specs_of(session: ClusterSession, nodes: SshdNodes) -> list[tuple[PlannedTask, TaskSpec]]:
    """What the script tells each process: the plan and the folders that Clew's run used."""
    plan = session.plan()
    found = []
    for planned in plan.tasks:
        node = next(node for node in nodes.nodes if node.name == planned.node)
        data = list((node.home / ".clew/data").glob("*"))
        spec = TaskSpec(
            run_id="",
            task=TaskId(planned.task.role, planned.task.index),
            cluster=plan.cluster,
            training=session.profile.training,
            data_dir=str(data[0]) if data else None,
            checkpoint_dir="",
        )
        found.append((planned, spec))
    return found


def main() -> int:
    reason = why_no_nodes()
    if reason is not None:
        print(f"launch: cannot be measured here: {reason}")
        return 2
    report = Report("launch")
    report.begin()
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = Path(name)
        os.environ["CLEW_DATA_DIR"] = str(folder / "data")
        digits = folder / "digits"
        copy_digits(digits)
        with SshdNodes(folder / "nodes", count=3) as nodes:
            profile = make_profile(nodes, {"name": "digits", "path": str(digits)}, steps=STEPS)
            with connected(profile, folder / "data", nodes.known_hosts) as session:
                first, _ = launch_with_clew(nodes, session)
                tasks = specs_of(session, nodes)
                ratios, ours, script = [], [], []
                for number in range(ROUNDS):
                    ours.append(launch_with_clew(nodes, session)[0])
                    script.append(launch_with_ssh(nodes, tasks, number))
                    ratios.append(ours[-1] / script[-1])
    print(f"seconds: Clew {sorted(ours)}, script {sorted(script)}; first launch, which sends the")
    print(f"trainer and the data, {first:.2f}")
    report.add(Row(what="launch to first step / parallel ssh", samples=ratios, bound=BOUND))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
