"""What tasks wrote to their standard output and error: as lines, with times, merged, searched."""

from remote.logs.levels import LEVELS, LineLevel, level_of
from remote.logs.merged import merged
from remote.logs.screen import CUT_NOTE, MAX_LINE, Line, Screen, Span
from remote.logs.task_log import LogRow, TaskLog, time_text

__all__ = [
    "CUT_NOTE",
    "LEVELS",
    "MAX_LINE",
    "Line",
    "LineLevel",
    "LogRow",
    "Screen",
    "Span",
    "TaskLog",
    "level_of",
    "merged",
    "time_text",
]
