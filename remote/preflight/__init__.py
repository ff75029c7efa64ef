"""What facts about nodes mean for a run: from surveys and dialling to findings. Pure."""

from remote.preflight.hello import hello_devices, hello_finding
from remote.preflight.nodes import Needs, node_findings
from remote.preflight.proxy import caught
from remote.preflight.queue import queue_findings
from remote.preflight.reach import pair, port_findings, reach_findings
from remote.preflight.routes import Listening, Route, any_routes, planned_routes, rounds
from remote.preflight.together import VERSIONS_DIFFER, home_findings, together_findings

__all__ = [
    "VERSIONS_DIFFER",
    "Listening",
    "Needs",
    "Route",
    "any_routes",
    "caught",
    "hello_devices",
    "hello_finding",
    "home_findings",
    "node_findings",
    "pair",
    "planned_routes",
    "port_findings",
    "queue_findings",
    "reach_findings",
    "rounds",
    "together_findings",
]
