"""What a YAML parser's error means to somebody who never heard of tokens."""

from __future__ import annotations

import re
from typing import Any

import yaml

from remote.errors import Issue
from remote.profile.words import show

_QUOTES = "put this value in quotes"
_VALUE = re.compile(r"(?P<before>\s*(?:- +)*(?:[\w.-]+:[ ]+)?)(?P<value>\S.*)")


def explain(error: yaml.MarkedYAMLError, lines: list[str]) -> Issue:
    """One sentence with the line, the character and what to do."""
    mark: Any = error.problem_mark or error.context_mark
    number, column = (mark.line, mark.column) if mark else (0, 0)
    line = lines[number] if number < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    character = line[column] if column < len(line) else ""
    if "\t" in indent:
        message = f"line {number + 1} starts with a tab; use blanks"
    elif character == "\t":
        message = f"line {number + 1} has a tab before the value; use a blank"
    else:
        number, column, message = _explain(error, number, column, line)
    return Issue(number + 1, column + 1, "", message)


def blanked(text: str, issue: Issue) -> str | None:
    """``text`` with the value that needs quotes replaced, to find what else is wrong; or None."""
    if not issue.message.endswith(_QUOTES):
        return None
    lines = re.split("(\r\n|\r|\n)", text)
    at = 2 * (issue.line - 1)
    match = _VALUE.fullmatch(lines[at]) if at < len(lines) else None
    if match is None or match["value"] == '""':
        return None
    lines[at] = match["before"] + '""'
    return "".join(lines)


def _explain(
    error: yaml.MarkedYAMLError, number: int, column: int, line: str
) -> tuple[int, int, str]:
    problem, context = error.problem or "", error.context or ""
    begin: Any = error.context_mark
    if "cannot start any token" in problem or "alias" in context or "anchor" in context:
        value = _VALUE.fullmatch(line)
        what = show(value["value"] if value else line[column:])
        return (
            number,
            column,
            f"{what} begins with a character that means something to YAML; {_QUOTES}",
        )
    if "mapping values are not allowed" in problem:
        return (
            number,
            column,
            f'a text with ": " in it confuses YAML; check the indentation, or {_QUOTES}',
        )
    if "quoted scalar" in context and "end of stream" in problem and begin:
        return begin.line, begin.column, "the quote that opens here is never closed; close it"
    if "expected ':'" in problem and begin:
        return begin.line, begin.column, "this is not a key with a value; write key: value"
    if "escape" in problem or "escape" in context:
        message = "a backslash in \"double quotes\" begins an escape; use 'single quotes' for it"
        return number, column, message
    if "flow" in context and begin:
        kind, end = ("list", "]") if "sequence" in context else ("mapping", "}")
        message = f"the {kind} that opens in line {begin.line + 1} needs a comma or {end} here"
        return number, column, message
    if "block" in context:
        message = "the indentation does not fit the lines above; align it with its neighbours"
        return number, column, message
    return number, column, f"is not YAML here ({show(problem)[1:-1]}); check quotes and indentation"
