"""Whether gRPC would send a connection to a proxy, by gRPC's own rules.

gRPC core takes the first of ``grpc_proxy``, ``https_proxy`` and ``http_proxy`` that is set, in
lower case, and leaves it out for hosts that end in an entry of ``no_grpc_proxy`` or else of
``no_proxy``; an entry may also be a network such as ``10.0.0.0/8``
(gRPC core, ``HttpProxyMapper``).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
_EXCEPTIONS = ("no_grpc_proxy", "no_proxy")


def proxy_variable(proxies: Mapping[str, str]) -> str:
    """The variable that gRPC would take; empty: there is none."""
    return next((name for name in _PROXIES if proxies.get(name)), "")


def is_exempt(address: str, proxies: Mapping[str, str]) -> bool:
    """Whether ``address`` (no port) is reached without the proxy."""
    name = next((name for name in _EXCEPTIONS if proxies.get(name)), "")
    entries = (entry.strip() for entry in proxies.get(name, "").split(","))
    return any(_covers(entry, address) for entry in entries if entry)


def exceptions(proxies: Mapping[str, str]) -> tuple[str, str]:
    """The variable that exceptions go into, and what it holds now."""
    name = next((name for name in _EXCEPTIONS if proxies.get(name)), "no_proxy")
    return name, proxies.get(name, "")


class Caught(NamedTuple):
    """Connections that a proxy would get, in words."""

    what: str
    remedy: str


def caught(proxies: Mapping[str, str], addresses: Sequence[str]) -> Caught | None:
    """Which of ``addresses`` would be dialled through a proxy; None: all are dialled directly."""
    name = proxy_variable(proxies)
    bad = [address for address in addresses if not is_exempt(address, proxies)]
    if not name or not bad:
        return None
    where, now = exceptions(proxies)
    value = ",".join(dict.fromkeys([*filter(None, now.split(",")), *bad]))
    more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
    dialled = ", ".join(bad[:3]) + more
    what = f"{name} is set for tasks, so TensorFlow would dial {dialled} through that proxy"
    return Caught(what, f'Set environment.variables in the profile to {{{where}: "{value}"}}.')


def _covers(entry: str, address: str) -> bool:
    if "/" in entry:
        try:
            return ipaddress.ip_address(address) in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    return address.casefold().endswith(entry.casefold())
