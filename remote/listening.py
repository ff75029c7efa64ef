"""The address and port that each task listens on; part of :mod:`remote.plan`, pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from remote.errors import Fault, PlanError
from remote.facts import PortHolder
from remote.placement import Placed, Site
from remote.profile.words import printable

_LAST_PORT = 65535
_LOOPBACK_NAMES = frozenset({"localhost", "ip6-localhost", "ip6-loopback"})


class Endpoint(NamedTuple):
    """Where one task listens; ``moved_from`` is who held the port that it would have had."""

    address: str
    port: int
    moved_from: PortHolder | None


def bracketed(address: str, port: int) -> str:
    """``gpu001:2220`` or ``[2001:db8::5]:2220``, as TensorFlow takes it."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def advertised(site: Site, addresses: Mapping[str, str]) -> str:
    """How other nodes reach this one: its ``address``, what its host is known as, or its host."""
    return site.config.address or addresses.get(site.name) or site.config.host


def check_addresses(sites: Sequence[Site], addresses: Mapping[str, str]) -> list[str]:
    """Warnings about public addresses, where TensorFlow's port is open to everybody.

    Raises:
        PlanError: an address that the other nodes cannot reach.
    """
    machines = {site.machine for site in sites}
    faults, warnings = [], []
    for site in sites:
        address = advertised(site, addresses)
        at = f"{printable(site.name)}: its address for the other nodes is {printable(address)}"
        if _is_loopback(address) and len(machines) > 1:
            remedy = "Set address of this node to a name that the others can reach"
            faults.append(Fault(f"{at}, which means each node itself. {remedy}", site.name))
        elif _ip(address) is not None and getattr(_ip(address), "is_unspecified", False):
            what = f"{at}, which is no address of a node. Set address of this node"
            faults.append(Fault(what, site.name))
        elif getattr(_ip(address), "is_global", False):
            danger = "TensorFlow's port has no password, so whoever reaches it can use it"
            warnings.append(f"{at}, a public one: {danger}; set address to a private one")
    if faults:
        raise PlanError.of(faults)
    return warnings


def assign_ports(
    placed: Iterable[Placed], all_sites: Sequence[Site], first: int, addresses: Mapping[str, str]
) -> tuple[list[Endpoint], list[str]]:
    """An endpoint for each task in order, and a sentence for each port that was not free.

    Ports go upward from ``first``. They are counted for each machine (nodes that share boot id
    and network namespace share ports), and no two tasks get the same address and port.

    Raises:
        PlanError: a machine has no port left.
    """
    held = _held_ports(all_sites)
    cursors: dict[tuple[str, str], int] = {}
    used: set[tuple[str, int]] = set()
    endpoints, warnings, faults = [], [], []
    for task, site, _ in placed:
        address = advertised(site, addresses)
        skipped = []
        port = cursors.get(site.machine, first)
        while port in held[site.machine] or (address, port) in used:
            if port in held[site.machine]:
                skipped.append(held[site.machine][port])
            port += 1
        cursors[site.machine] = port + 1
        if port > _LAST_PORT:
            what = f"{printable(site.name)}: no port from {first} on is free for {task}"
            faults.append(Fault(f"{what}. Set ports.first lower", site.name, task=str(task)))
            continue
        used.add((address, port))
        endpoints.append(Endpoint(address, port, skipped[0] if skipped else None))
        warnings += [_moved(site, holder, f"{task} uses {port}") for holder in skipped]
    if faults:
        raise PlanError.of(faults)
    return endpoints, warnings


def holder_words(holder: PortHolder) -> str:
    """Who holds a port, as far as is known, and how to get rid of it if it is ours."""
    if holder.run_id:
        run = printable(holder.run_id)
        return f"{printable(holder.task) or 'a task'} of run {run}: stop it with `clew stop {run}`"
    program = printable(holder.program)
    if holder.pid is not None:
        return f"pid {holder.pid}" + (f" ({program})" if program else "")
    return program or "a program of another account"


def _held_ports(sites: Sequence[Site]) -> dict[tuple[str, str], dict[int, PortHolder]]:
    held: dict[tuple[str, str], dict[int, PortHolder]] = {}
    for site in sites:
        ports = held.setdefault(site.machine, {})
        for holder in site.facts.ports_in_use:
            known = ports.get(holder.port)
            # Another account's agent may see the port without seeing who holds it.
            if known is None or (not known.run_id and known.pid is None):
                ports[holder.port] = holder
    return held


def _moved(site: Site, holder: PortHolder, instead: str) -> str:
    where = f"port {holder.port} on {printable(site.name)}"
    return f"{where} is held by {holder_words(holder)}; {instead}"


def _ip(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def _is_loopback(address: str) -> bool:
    ip = _ip(address)
    if ip is not None:
        return ip.is_loopback
    name = address.rstrip(".").casefold()
    return name in _LOOPBACK_NAMES or name.endswith((".localhost", ".localdomain"))
