"""A cluster to practise with: real SSH servers on this computer, each a node with its own home."""

from remote.practice.cluster import PracticeCluster, PracticeNode
from remote.practice.leftovers import RunningProcess

__all__ = ["PracticeCluster", "PracticeNode", "RunningProcess"]
