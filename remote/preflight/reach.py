"""What dialling between the nodes means, as one sentence for each way and one for each cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remote.checks import Finding, Pair
from remote.preflight.making import finding
from remote.preflight.routes import Listening, Route
from remote.survey import Dialled, PortRefused
from remote.wording import few, rate_text

SLOW_TRIP_S = 0.005
SLOW_BYTES_PER_S = 50e6


def pair(
    route: Route, found: Dialled, names: Sequence[str], bytes_per_second: float | None = None
) -> Pair:
    """One way as it is shown. ``names``: the check's nodes by their number."""
    return Pair(
        source=route.source,
        target=route.to.node,
        task=route.to.task,
        address=route.to.text,
        how=found.how,
        text=_sentence(route, found, names, bytes_per_second),
        rtt_s=found.rtt_s,
        bytes_per_second=bytes_per_second,
    )


def port_findings(
    refused: Mapping[str, Sequence[PortRefused]], listening: Sequence[Listening]
) -> list[Finding]:
    """Ports that a task would not get; one good word where all can be had."""
    found = []
    tasks = {(at.node, at.port): at.task for at in listening}
    for node, ports in refused.items():
        for port in ports:
            holder = f" by {port.holder}" if port.holder else ""
            task = tasks.get((node, port.port), "")
            what = f"port {port.port}{f' of {task}' if task else ''} cannot be had: {port.why}"
            remedy = "End that program, or set ports.first in the profile to another number."
            found.append(finding("ports", "problem", what + holder, remedy, node))
    if not found and listening:
        lowest, highest = min(at.port for at in listening), max(at.port for at in listening)
        ports_text = f"port {lowest}" if lowest == highest else f"ports {lowest} to {highest}"
        found.append(finding("ports", "ok", f"{ports_text}: every task gets the one it is to have"))
    return found


def reach_findings(
    dialled: Mapping[Route, Dialled], names: Sequence[str], pairs: Sequence[Pair]
) -> list[Finding]:
    """One finding for each cause, not for each way; then how fast it goes."""
    found = _failures(dialled, names) + _differing(dialled)
    good = [one for one in pairs if one.open]
    if good and len(good) == len(pairs):
        found.append(_all_open(good))
    slow = [one for one in good if one.source != one.target and _is_slow(one)]
    for one in slow[:5]:
        what = f"the way from {one.source} to {one.target} is slow: {_speed(one)}"
        remedy = "See that address names the fast network; that link bounds every step."
        found.append(finding("reach", "warning", what, remedy))
    return found


def _failures(dialled: Mapping[Route, Dialled], names: Sequence[str]) -> list[Finding]:
    groups: dict[tuple[str, str, str, int | None], list[Route]] = {}
    for route, one in dialled.items():
        if one.how != "open":
            key = (route.to.node, route.to.address, one.how, one.met)
            groups.setdefault(key, []).append(route)
    return [_failure(routes, dialled, names) for routes in groups.values()]


def _failure(
    routes: list[Route], dialled: Mapping[Route, Dialled], names: Sequence[str]
) -> Finding:
    first, one = routes[0], dialled[routes[0]]
    sources = list(dict.fromkeys(route.source for route in routes))
    ports = sorted({route.to.port for route in routes})
    listed = few([str(port) for port in ports], 6)
    what = f"{few(sources)} {_cause(first.to, one, names, listed, len(sources) > 1)}"
    back = [d.how == "open" for r, d in dialled.items() if _is_back(r, routes)]
    if back and all(back):
        what += f"; from {first.to.node} the way is open, so only this direction is closed"
    return finding("reach", "problem", what, _remedy(first.to, one, names, listed))


def _is_back(route: Route, routes: list[Route]) -> bool:
    sources = {r.source for r in routes}
    target = routes[0].to.node
    return route.source == target and route.to.node in sources - {target}


def _cause(to: Listening, found: Dialled, names: Sequence[str], ports: str, many: bool) -> str:
    """The predicate of a sentence whose subject is who dialled."""
    port = f"port{'s' if ' ' in ports else ''} {ports} of {to.node}"
    at = f"{port} at {to.address}{_stands_for(to, found)}"
    says = {
        "refused": f"{'are' if many else 'is'} refused by {at}: a firewall rejects it, or the "
        "address is another machine's",
        "silent": f"{_gets(many)} no answer from {at}: a firewall drops it, or nothing is there",
        "unreachable": f"{'have' if many else 'has'} no way to {at} ({found.detail})",
        "unresolved": f"{'do' if many else 'does'} not know the name {to.address} ({found.detail})",
        "blocked": f"may not dial {at} ({found.detail})",
        "stranger": f"{_gets(many)} an answer from another program at {at}",
        "other": f"{_gets(many)} an answer from {_met(found, names)} instead of {to.node} "
        f"at {to.address}{_stands_for(to, found)}",
    }
    return says[found.how]


def _gets(many: bool) -> str:
    return "get" if many else "gets"


def _met(found: Dialled, names: Sequence[str]) -> str:
    known = found.met is not None and 0 <= found.met < len(names)
    return names[found.met] if known and found.met is not None else "another node"


def _stands_for(to: Listening, found: Dialled) -> str:
    others = [address for address in found.addresses if address != to.address]
    return f" ({few(others)})" if others else ""


def _remedy(to: Listening, found: Dialled, names: Sequence[str], ports: str) -> str:
    address = f"set address of {to.node} in the profile to one that the other nodes can reach"
    if found.how in ("refused", "silent", "unreachable", "blocked"):
        return f"Open TCP port {ports} between the nodes in the firewall, or {address}."
    if found.how == "stranger":
        return f"End that program, set ports.first to another number, or {address}."
    return f"{address[0].upper()}{address[1:]}, such as its IP address."


def _differing(dialled: Mapping[Route, Dialled]) -> list[Finding]:
    """Names that mean different machines to different nodes although all of them are reached."""
    seen: dict[tuple[str, str], dict[tuple[str, ...], str]] = {}
    for route, one in dialled.items():
        if one.how == "open" and one.addresses and route.source != route.to.node:
            by_meaning = seen.setdefault((route.to.node, route.to.address), {})
            by_meaning.setdefault(one.addresses, route.source)
    found = []
    for (node, address), meanings in seen.items():
        if len(meanings) > 1:
            each = ", ".join(f"{few(list(m))} on {source}" for m, source in meanings.items())
            what = f"{address} stands for {each}"
            remedy = f"Set address of {node} to an IP address if only one of the networks is meant."
            found.append(finding("reach", "warning", what, remedy))
    return found


def _all_open(pairs: Sequence[Pair]) -> Finding:
    between = [one for one in pairs if one.source != one.target]
    ways = (
        "the one way that the run needs is"
        if len(pairs) == 1
        else (f"all {len(pairs)} ways that the run needs are")
    )
    what = f"{ways} open"
    trips = [(one.rtt_s, one) for one in between if one.rtt_s is not None]
    if trips:
        trip, one = max(trips, key=lambda item: item[0])
        what += f"; longest round trip {trip * 1000:.2f} ms ({one.source} to {one.target})"
    rates = [(one.bytes_per_second, one) for one in between if one.bytes_per_second]
    if rates:
        rate, one = min(rates, key=lambda item: item[0])
        what += f", least throughput {rate_text(rate)} ({one.source} to {one.target})"
    return finding("reach", "ok", what)


def _is_slow(one: Pair) -> bool:
    rate = one.bytes_per_second
    late = one.rtt_s is not None and one.rtt_s > SLOW_TRIP_S
    return late or (rate is not None and rate < SLOW_BYTES_PER_S)


def _speed(one: Pair) -> str:
    parts = [f"round trip {one.rtt_s * 1000:.2f} ms" if one.rtt_s is not None else ""]
    parts.append(rate_text(one.bytes_per_second) if one.bytes_per_second else "")
    return ", ".join(filter(None, parts))


def _sentence(
    route: Route, found: Dialled, names: Sequence[str], bytes_per_second: float | None
) -> str:
    to = route.to
    if found.how != "open":
        return f"{route.source} {_cause(to, found, names, str(to.port), False)}"
    trip = f" in {found.rtt_s * 1000:.2f} ms" if found.rtt_s is not None else ""
    rate = f", {rate_text(bytes_per_second)}" if bytes_per_second else ""
    what = f"{to.task} on {to.node}" if to.task else to.node
    return f"{route.source} reaches {what} at {to.text}{trip}{rate}"
