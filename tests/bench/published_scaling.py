"""Measured scaling of TensorFlow on parameter servers, as published, and the model's inputs for it.

*Inception-v3 and ResNet-50 on up to 64 K80* (GPUs; a card has two): TensorFlow's "Benchmarks",
section "Details for Amazon EC2 Distributed", May 2017 (``docs_src/performance/benchmarks.md`` of
TensorFlow 1.2). Synthetic data, 64 images a GPU, 8 GPUs in each p2.8xlarge, synchronous
(``distributed_replicated`` with ``cross_replica_sync``: a machine averages its GPUs, then pushes
once), ps on the workers' machines, as many as workers; 6 for Inception-v3 on 8 machines. The rates
of 1 GPU and of 8 in one machine are inputs: the model tells what is lost *between* machines.

*10.3x on 16 nodes*: Campos, Sastre, Yagues, Torres, Giro-i-Nieto, "Scaling a Convolutional Neural
Network for Classification of Adjective Noun Pairs with TensorFlow on GPU Clusters", CCGrid 2017,
abstract: on servers with 2 K80 cards (4 GPUs), a speedup of 10.3 with 16 nodes, counted from one
node. Network, number of ps and link are not in the abstract. Assumed here: ResNet-50, 32 images a
GPU at the rate of 4 GPUs in the benchmarks above, asynchronous between nodes, one ps on a machine
of its own, 10 Gbit/s. That these fit does not prove that they were so.

The same for all, and not published: p2.8xlarge's 10 Gbit/s are there in full, gradients leave
during the backward pass (2/3 of a step), and a step's time varies by 1 %.
"""

from __future__ import annotations

from dataclasses import dataclass

from remote.scaling import Links, StepCost, gigabits, simulate

LINK = gigabits(10)
OVERLAP = 2 / 3
JITTER = 0.01
BYTES = 4
"""Of one float32 parameter."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """One measured point and the simulated one.

    Attributes:
        what: model, machines and GPUs.
        measured: as published.
        simulated: by the model.
        unit: "%" of ideal scaling from one GPU, or "x" one node.
    """

    what: str
    measured: float
    simulated: float
    unit: str

    def values(self) -> list[tuple[str, float]]:
        return [("measured", self.measured), ("simulated", self.simulated)]


@dataclass(frozen=True, kw_only=True)
class _Model:
    name: str
    parameters: float
    one_gpu: float
    """Images per second."""
    one_machine: float
    machines: dict[int, tuple[int, float]]
    """By number of machines: ps, and images per second of all."""


_EC2 = (
    _Model(
        name="Inception-v3",
        parameters=23.8e6,
        one_gpu=29.7,
        one_machine=229,
        machines={2: (2, 459), 4: (4, 902), 8: (6, 1783)},
    ),
    _Model(
        name="ResNet-50",
        parameters=25.6e6,
        one_gpu=52.4,
        one_machine=378,
        machines={2: (2, 751), 4: (4, 1388), 8: (8, 2744)},
    ),
)
_GPUS = 8
_BATCH = 64


def on_ec2() -> list[Published]:
    """Percent of ideal scaling, counted from one GPU."""
    found = []
    for model in _EC2:
        for machines, (ps, measured) in model.machines.items():
            gpus = _GPUS * machines
            ideal = gpus * model.one_gpu
            cost = _cost(model.parameters, _GPUS * _BATCH / model.one_machine)
            links = Links(ps=ps, bytes_per_s=LINK, alongside=True)
            outcome = simulate(cost, links, machines, sync=True)
            simulated = outcome.efficiency * machines * model.one_machine
            found.append(
                Published(
                    what=f"{model.name}, {machines} machines, {gpus} K80, {ps} ps, sync",
                    measured=100 * measured / ideal,
                    simulated=100 * simulated / ideal,
                    unit="%",
                )
            )
    return found


def on_minotauro(
    nodes: int = 16, gpus: int = 4, batch: int = 32, gpus_rate: float = 184
) -> Published:
    """Speedup over one node."""
    cost = _cost(25.6e6, gpus * batch / gpus_rate)
    links = Links(ps=1, bytes_per_s=LINK)
    one, all_of_them = (simulate(cost, links, n, sync=False).steps_per_s for n in (1, nodes))
    return Published(
        what=f"ResNet-50, {nodes} nodes, {nodes * gpus} K80, 1 ps, async",
        measured=10.3,
        simulated=all_of_them / one,
        unit="x",
    )


def _cost(parameters: float, compute_s: float) -> StepCost:
    moved = BYTES * parameters
    return StepCost(
        pull_bytes=moved, push_bytes=moved, compute_s=compute_s, jitter=JITTER, overlap=OVERLAP
    )
