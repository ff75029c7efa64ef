"""One cluster and the runs on it: prepare, launch, follow, stop, reattach; one outward queue.

::

    updates: SimpleQueue[Update] = SimpleQueue()
    session = ClusterSession(profile, history=History(), prompter=prompter, updates=updates)
    session.connect()
    if session.wait_ready(60):
        run = session.launch()          # progress, steps, samples, ... arrive in `updates`
        result = run.wait()
    session.close()

``replay(history, run_id)`` gives a recorded run as the same updates, in order of time, so that
whoever draws a live run can draw an old one.
"""

from remote.session.check_frame import CheckHandle
from remote.session.cluster import ClusterSession
from remote.session.control import claim
from remote.session.found import FoundRun
from remote.session.gathering import gather
from remote.session.handle import RunHandle
from remote.session.leftovers import stop_leftovers
from remote.session.replay import replay
from remote.session.upkeep import Unneeded, provision_all, remove, unneeded

__all__ = [
    "CheckHandle",
    "ClusterSession",
    "FoundRun",
    "RunHandle",
    "Unneeded",
    "claim",
    "gather",
    "provision_all",
    "remove",
    "replay",
    "stop_leftovers",
    "unneeded",
]
