"""Connecting to 32 sshd nodes and running a command, against other ways; and 64 nodes held idle.

All ways log in anew with the same key, check the same host keys, run ``true`` everywhere at once,
and take turns; what counts is Clew's time over the fastest of the others in the same round.
parallel-ssh takes part where it is installed. Idle: a session that is connected to 64 nodes and
samples each once a second; four of them have eight played GPUs.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import asyncssh

from remote.profile import build
from remote.ssh import Fields, HostKeys, NoPrompter, SshPool
from tests.bench.on_nodes import connected
from tests.bench.report import Report, Row
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes

CONNECTED, IDLE, WITH_GPUS = 32, 64, 4
ROUNDS = 7
IDLE_S = 20.0
LIMIT_S = 60
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
NVIDIA_SMI = """#!/usr/bin/python3
import sys, time
fields = sys.argv[1].partition("=")[2].split(",")
values = {"mig.mode.current": "[N/A]", "utilization.gpu": "97 %", "memory.used": "70000 MiB",
          "memory.total": "80000 MiB", "temperature.gpu": "61", "power.draw": "390.00 W"}
print(", ".join(fields))
while True:
    for n in range(8):
        own = {"index": str(n), "uuid": f"GPU-{n:08d}", "name": "NVIDIA H100"}
        print(", ".join(own.get(field) or values[field] for field in fields))
    sys.stdout.flush()
    if "-l" not in sys.argv:
        break
    time.sleep(int(sys.argv[sys.argv.index("-l") + 1]))
"""


def with_clew(nodes: SshdNodes, folder: Path) -> None:
    """As a session does it: each node is looked up in the SSH configuration and has a thread."""
    known = HostKeys(folder / "own", extra=[nodes.known_hosts], openssh=())
    pool = SshPool(known=known, prompter=NoPrompter())

    def go(node: Fields) -> None:
        connector = pool.connector(pool.resolve(node))
        try:
            connector.connect()
            channel = connector.open("true")
            while channel.read(4096):
                pass
        finally:
            connector.close()

    fields = [
        Fields(host=n.ip, port=n.port, user=n.user, identity_file=str(nodes.client_key))
        for n in nodes.nodes
    ]
    with ThreadPoolExecutor(len(fields)) as threads:
        list(threads.map(go, fields))


def with_asyncssh(nodes: SshdNodes, folder: Path) -> None:
    async def go(host: str, port: int) -> None:
        async with asyncssh.connect(
            host,
            port,
            username="root",
            client_keys=[str(nodes.client_key)],
            known_hosts=str(nodes.known_hosts),
            agent_path=None,
            config=None,
        ) as connection:
            await connection.run("true", check=True)

    async def everywhere() -> None:
        await asyncio.gather(*(go(node.ip, node.port) for node in nodes.nodes))

    asyncio.run(everywhere())


def with_openssh(nodes: SshdNodes, folder: Path) -> None:
    """One process for each node, with the quickest exchange of keys that both sides have."""
    options = f"-F none -i {nodes.client_key} -o BatchMode=yes -o LogLevel=ERROR"
    options += f" -o UserKnownHostsFile={nodes.known_hosts} -o KexAlgorithms=curve25519-sha256"
    started = [
        subprocess.Popen(
            ["ssh", *options.split(), "-p", str(node.port), f"root@{node.ip}", "true"],
            stdin=subprocess.DEVNULL,
        )
        for node in nodes.nodes
    ]
    statuses = [process.wait(LIMIT_S) for process in started]
    if any(statuses):
        raise SystemExit("connect: ssh failed")


def with_parallel_ssh(nodes: SshdNodes, folder: Path) -> None:
    client = import_module("pssh.clients").ParallelSSHClient(
        [node.ip for node in nodes.nodes],
        user="root",
        port=nodes.nodes[0].port,
        pkey=str(nodes.client_key),
        pool_size=len(nodes.nodes),
        allow_agent=False,
    )
    client.join(client.run_command("true"))


Way = Callable[[SshdNodes, Path], None]


def ways() -> dict[str, Way]:
    found: dict[str, Way] = {"asyncssh": with_asyncssh, "OpenSSH": with_openssh}
    if find_spec("pssh") is not None:
        found["parallel-ssh"] = with_parallel_ssh
    return found


def measure_connecting(report: Report, folder: Path) -> None:
    others = ways()
    everyone: dict[str, Way] = {"Clew": with_clew, **others}
    taken: dict[str, list[float]] = {name: [] for name in everyone}
    spent: dict[str, list[float]] = {name: [] for name in everyone}
    with SshdNodes(folder / "nodes", mode="loop", count=CONNECTED) as nodes:
        for number in range(-1, ROUNDS):
            names = list(everyone)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                begin, cpu = time.monotonic(), _own_cpu()
                everyone[name](nodes, folder)
                if number >= 0:  # the first round warms up
                    taken[name].append(time.monotonic() - begin)
                    spent[name].append(_own_cpu() - cpu)
    for name in everyone:
        wall, cpu = sorted(taken[name])[ROUNDS // 2], sorted(spent[name])[ROUNDS // 2]
        print(f"  {name:<14} {wall:.2f} s, {cpu:.2f} s of CPU here")
    best = [min(taken[name][n] for name in others) for n in range(ROUNDS)]
    ratios = [ours / other for ours, other in zip(taken["Clew"], best, strict=True)]
    report.add(
        Row(what=f"connect and run on {CONNECTED} nodes / fastest other", samples=ratios, bound=1.0)
    )


def measure_idle(report: Report, folder: Path) -> None:
    tools = folder / "tools"
    tools.mkdir()
    (tools / "nvidia-smi").write_text(NVIDIA_SMI)
    (tools / "nvidia-smi").chmod(0o755)
    options = {n: NodeOptions(path_front=tools) for n in range(WITH_GPUS)}
    with SshdNodes(folder / "idle", mode="loop", count=IDLE, options=options) as nodes:
        profile = build(
            {
                "ssh": {"user": "root", "identity_file": str(nodes.client_key)},
                "nodes": [{"host": n.ip, "port": n.port, "name": n.name} for n in nodes.nodes],
                "environment": {"python": sys.executable},
                "training": {"dataset": {"name": "synthetic"}},
            }
        )
        with connected(profile, folder / "data", nodes.known_hosts):
            time.sleep(5)  # what starting has left to do
            begin, cpu, agents = time.monotonic(), time.process_time(), agents_cpu(nodes)
            time.sleep(IDLE_S)
            passed = time.monotonic() - begin
            used = (time.process_time() - cpu) / passed * 100
            after = agents_cpu(nodes)
    shares = [(after[n] - agents[n]) / passed * 100 for n in range(IDLE)]
    report.add(
        Row(
            what=f"desktop holding {IDLE} idle nodes, of a core",
            samples=[used],
            bound=5.0,
            unit="%",
        )
    )
    report.add(
        Row(what="agent with 8 GPUs, of one core", samples=shares[:WITH_GPUS], bound=1.0, unit="%")
    )
    report.add(Row(what="agent, of one core", samples=shares[WITH_GPUS:], bound=1.0, unit="%"))


def agents_cpu(nodes: SshdNodes) -> list[float]:
    """CPU seconds that each node's agent has used so far."""
    found = []
    for index in range(len(nodes.nodes)):
        running = [p.pid for p in nodes.processes(index) if "nvidia-smi" not in p.text]
        found.append(sum(_cpu_of(pid) for pid in running))
    return found


def _cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def _own_cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def main() -> int:
    reason = why_no_nodes()
    if reason is not None:
        print(f"connect: cannot be measured here: {reason}")
        return 2
    report = Report("connect")
    report.begin()
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = Path(name)
        os.environ["CLEW_DATA_DIR"] = str(folder / "data")
        os.environ.pop("SSH_AUTH_SOCK", None)
        measure_connecting(report, folder)
        measure_idle(report, folder)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
