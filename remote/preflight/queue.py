"""What a profile asks of Slurm, held against the partition that it would go to. Pure."""

from __future__ import annotations

from remote.checks import Finding
from remote.link import Partition, SlurmLook
from remote.node.slurm import times
from remote.preflight.making import finding
from remote.profile.cluster import SlurmCluster

_UNITS_MB = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0 * 1024.0}
_MOST_NAMES = 12


def queue_findings(look: SlurmLook, asked: SlurmCluster) -> list[Finding]:
    """Whether the cluster has what is asked for, now or ever."""
    found = [_version(look)]
    chosen = [name for name in (asked.partition or "").split(",") if name]
    if not chosen:
        default = next((one for one in look.partitions if one.default), None)
        if default is None:
            what, remedy = "the cluster has no default partition", _named(look)
            return [*found, finding("queue", "problem", what, remedy)]
        return found + _fits(default, asked)
    known = {one.name: one for one in look.partitions}
    for name in chosen:
        if name in known:
            found += _fits(known[name], asked)
        else:
            what = f"there is no partition {name}"
            found.append(finding("queue", "problem", what, _named(look)))
    return found


def _version(look: SlurmLook) -> Finding:
    cluster = f", cluster {look.cluster}" if look.cluster else ""
    return finding("queue", "ok", f"Slurm {look.version} answers{cluster}")


def _named(look: SlurmLook) -> str:
    names = [one.name for one in look.partitions]
    more = ", …" if len(names) > _MOST_NAMES else ""
    return f"Set cluster.slurm.partition to one of: {', '.join(names[:_MOST_NAMES])}{more}."


def _fits(partition: Partition, asked: SlurmCluster) -> list[Finding]:
    """Everything in the way of a job in one partition; that it would fit, if there is nothing."""
    what = [*_size(partition, asked), *_gpus(partition, asked), *_time(partition, asked)]
    if not partition.up:
        text = f"partition {partition.name} is down"
        remedy = "A job waits there until it is up again; ask whoever runs the cluster."
        what.append(finding("queue", "warning", text, remedy))
    return what or [_good(partition, asked)]


def _good(partition: Partition, asked: SlurmCluster) -> Finding:
    free = f"{partition.nodes_free} of its {partition.nodes} nodes are free now"
    gpus = sum(partition.gpus_free.values())
    with_gpus = f", with {gpus} free GPUs" if asked.gpus_per_node else ""
    nodes = "a job of one node" if asked.nodes == 1 else f"a job of {asked.nodes} nodes"
    return finding("queue", "ok", f"partition {partition.name} takes {nodes}; {free}{with_gpus}")


def _size(partition: Partition, asked: SlurmCluster) -> list[Finding]:
    found, name = [], partition.name
    if asked.nodes > partition.nodes:
        what = f"{asked.nodes} nodes are asked for, and partition {name} has {partition.nodes}"
        found.append(finding("queue", "problem", what, "Lower cluster.slurm.nodes."))
    cpus = asked.cpus_per_task or 0
    if partition.cpus_per_node and cpus > partition.cpus_per_node:
        what = f"{cpus} CPUs of each node are asked for, and those of {name} have at most "
        what += str(partition.cpus_per_node)
        found.append(finding("queue", "problem", what, "Lower cluster.slurm.cpus_per_task."))
    memory = memory_mb(asked.memory) if asked.memory else 0.0
    if partition.memory_mb and memory > partition.memory_mb:
        what = f"{asked.memory} of memory are asked for, and the nodes of {name} have at most "
        what += f"{partition.memory_mb} MiB"
        found.append(finding("queue", "problem", what, "Lower cluster.slurm.memory."))
    return found


def _gpus(partition: Partition, asked: SlurmCluster) -> list[Finding]:
    if not asked.gpus_per_node:
        return []
    has = partition.gpus_per_node
    of_type = has.get(asked.gpu_type, 0) if asked.gpu_type else max(has.values(), default=0)
    if asked.gpus_per_node <= of_type:
        return []
    kinds = ", ".join(f"{count} {kind or 'GPU'}" for kind, count in has.items()) or "none"
    kind = f" of type {asked.gpu_type}" if asked.gpu_type else ""
    what = f"{asked.gpus_per_node} GPUs{kind} of each node are asked for, and a node of partition "
    what += f"{partition.name} has at most: {kinds}"
    return [finding("queue", "problem", what, "Correct gpus_per_node or gpu_type.")]


def _time(partition: Partition, asked: SlurmCluster) -> list[Finding]:
    if partition.time_limit_s is None or asked.time is None:
        return []
    wanted = times.limit(asked.time)[1]
    if wanted is not None and wanted <= partition.time_limit_s:
        return []
    hours = partition.time_limit_s / 3600
    what = f"the job's time limit is {asked.time}, and partition {partition.name} allows "
    what += f"{hours:.4g} hours"
    return [finding("queue", "problem", what, "Lower cluster.slurm.time.")]


def memory_mb(text: str) -> float:
    """MiB of a size as sbatch takes it: ``64G``, ``500M``, ``4000``."""
    unit = text[-1:].upper() if not text[-1:].isdigit() else ""
    return float(text[: len(text) - len(unit)]) * _UNITS_MB[unit]
