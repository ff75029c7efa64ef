"""What the words of a program that broke mean: patterns of real messages, and where they count."""

from remote.causes.pattern import Known, Pattern
from remote.causes.scan import LogScan, Sighting, sightings_in
from remote.causes.table import PATTERNS, find_known

__all__ = [
    "PATTERNS",
    "Known",
    "LogScan",
    "Pattern",
    "Sighting",
    "find_known",
    "sightings_in",
]
