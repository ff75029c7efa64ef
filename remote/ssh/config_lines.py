"""One line of an ssh_config file at a time: words, quotes, comments, encodings."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

# What follows these keywords is one text for a shell, quotes and number signs included.
_RAW = frozenset({"proxycommand", "localcommand", "remotecommand", "knownhostscommand"})
MAX_FILE_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class ConfigLine:
    """``keyword`` in lower case and its arguments, or a ``problem`` that cost this line.

    With a problem, ``words`` is the text behind the keyword as it stands.
    """

    path: Path
    number: int
    keyword: str
    words: tuple[str, ...]
    problem: str = ""


def read_lines(path: Path) -> list[ConfigLine]:
    """All lines that say something. UTF-8 with or without a mark, or UTF-16 with one.

    Raises:
        OSError: the file cannot be read, or is a pipe or a device, which might never end.
    """
    data = _read(path)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    parsed = (_parse(path, n, line) for n, line in enumerate(text.split("\n"), 1))
    found = [line for line in parsed if line is not None]
    if len(data) > MAX_FILE_BYTES:
        problem = f"the file is longer than {MAX_FILE_BYTES >> 20} MiB"
        found.append(ConfigLine(path, text.count("\n") + 1, "match", ("exec",), problem))
    return found


def _read(path: Path) -> bytes:
    # Opening a pipe that nobody writes to would wait for ever; with O_NONBLOCK it does not.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.path.samefile(file.fileno(), os.devnull):
            return b""
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not an ordinary file")
        return file.read(MAX_FILE_BYTES + 1)


def _parse(path: Path, number: int, text: str) -> ConfigLine | None:
    text = text.strip(" \t\r\f\v\0")
    if not text or text.startswith("#"):
        return None
    end = next((i for i, c in enumerate(text) if c in " \t\r="), len(text))
    keyword = text[:end].strip('"').lower()
    rest = text[end:].lstrip(" \t\r")
    rest = rest[1:].lstrip(" \t\r") if rest.startswith("=") else rest
    if keyword in _RAW:
        return ConfigLine(path, number, keyword, (rest,) if rest else ())
    try:
        return ConfigLine(path, number, keyword, tuple(split_words(rest)))
    except ValueError as error:
        return ConfigLine(path, number, keyword, (rest,), str(error))


def split_words(text: str) -> list[str]:
    """Words as OpenSSH's ``argv_split`` sees them; ``#`` at the start of a word ends the line.

    Raises:
        ValueError: a quote is not closed.
    """
    words: list[str] = []
    i = 0
    while i < len(text):
        if text[i] in " \t\r":
            i += 1
        elif text[i] == "#":
            break
        else:
            word, i = _word(text, i)
            words.append(word)
    return words


def _word(text: str, i: int) -> tuple[str, int]:
    word, quote = [], ""
    while i < len(text):
        c, after = text[i], text[i + 1 : i + 2]
        if c == "\\" and after and (after in "\"'\\" or (after == " " and not quote)):
            word.append(after)
            i += 1
        elif quote:
            if c == quote:
                quote = ""
            else:
                word.append(c)
        elif c in "\"'":
            quote = c
        elif c in " \t\r":
            break
        else:
            word.append(c)
        i += 1
    if quote:
        raise ValueError("a quote is not closed")
    return "".join(word), i
