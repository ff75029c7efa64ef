"""From a file's bytes to text that a YAML parser can take, with a line for whatever cannot be."""

from __future__ import annotations

import codecs
import re

from remote.errors import Issue
from remote.profile.words import code_point

MAX_BYTES = 1 << 20
"""A profile of 4096 nodes is a quarter of this; more is another kind of file."""
_MOST_ISSUES = 20

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FORBIDDEN = re.compile(
    # U+0085, U+2028 and U+2029 are line ends to YAML 1.1 and none to YAML 1.2 or an editor.
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
)
_ODD_BLANKS = "\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff"
ODD_BLANK = re.compile(f"[{_ODD_BLANKS}]")
"""Characters that look like a blank, or like nothing, and are not one to YAML."""
_MISLEADING = re.compile(f"[ \t]*(?:- +)*(?:[A-Za-z_][\\w-]*:[ \t]*(?=[{_ODD_BLANKS}]))?")
_LINE_END = re.compile("\r\n|\r|\n")


class Unreadable(Exception):
    """The text is not a profile at all; ``issues`` says why."""

    def __init__(self, *issues: Issue) -> None:
        super().__init__()
        self.issues = issues


def decode(data: bytes, encoding: str | None = None) -> str:
    """Text of a profile's bytes: UTF-8, or UTF-16 and UTF-32 by their mark, or as told.

    Raises:
        Unreadable: too long, not in that encoding, or with characters that YAML forbids.
    """
    if len(data) > MAX_BYTES:
        message = f"is larger than {MAX_BYTES >> 20} MiB: this is not a profile"
        raise Unreadable(Issue(0, 0, "", message))
    mark, found = next(((m, e) for m, e in _BOMS if data.startswith(m)), (b"", _guess(data)))
    codec = encoding or found
    try:
        text = data[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        raise Unreadable(_not_decodable(data, len(mark) + error.start, codec)) from None
    return checked(text)


def checked(text: str) -> str:
    """``text`` without a leading byte order mark.

    Raises:
        Unreadable: it has characters that YAML forbids, or blanks that only look like blanks.
    """
    text = text.removeprefix("\ufeff")
    issues: list[Issue] = []
    for number, line in enumerate(lines(text), 1):
        issues += _line_issues(number, line)
        if len(issues) >= _MOST_ISSUES:
            break
    if issues:
        raise Unreadable(*issues)
    return text


def lines(text: str) -> list[str]:
    """Lines without their ends, as an editor counts them."""
    return _LINE_END.split(text)


def _guess(data: bytes) -> str:
    """UTF-16 without a mark shows by the zero byte beside the first letter (YAML 1.2, 5.2)."""
    if len(data) >= 2 and data[1] == 0 != data[0]:
        return "utf-16-le"
    if len(data) >= 2 and data[0] == 0 != data[1]:
        return "utf-16-be"
    return "utf-8"


def _not_decodable(data: bytes, offset: int, codec: str) -> Issue:
    before = data[:offset]
    line, start = before.count(b"\n") + 1, before.rfind(b"\n") + 1
    what = f"not {codec.upper()} (byte {offset + 1}, line {line})"
    end = data.find(b"\n", offset)
    seen = data[start : end if end >= 0 else None].decode("latin-1").strip()
    if codec != "utf-8" or _FORBIDDEN.search(seen):
        return Issue(line, 1, "", f"{what}: save the file as UTF-8 in your editor")
    advice = "save the file as UTF-8, or open it as Latin-1"
    return Issue(
        line, offset - start + 1, "", f'{what}: read as Latin-1 the line is "{seen[:60]}"; {advice}'
    )


def _line_issues(number: int, line: str) -> list[Issue]:
    forbidden = _FORBIDDEN.search(line)
    if forbidden:
        character = forbidden[0]
        message = f"line {number} holds the control character {code_point(character)}: remove it"
        if ord(character) < 0x100:
            written = f"\\x{ord(character):02x}"
            message += f", or put the value in double quotes and write {written}"
        return [Issue(number, forbidden.start() + 1, "", message)]
    ahead = _MISLEADING.match(line)
    end = ahead.end() if ahead else 0
    if end < len(line) and ODD_BLANK.match(line[end]) and line[end:].strip(" \t"):
        what = f"line {number} has {_blank_name(line[end])} ({code_point(line[end])})"
        return [Issue(number, end + 1, "", f"{what} where an ordinary blank belongs; replace it")]
    return []


def _blank_name(character: str) -> str:
    if character in "\u00a0\u202f":
        return "a no-break blank"
    return "an invisible character" if character in "\u200b\ufeff" else "an unusual blank"
