"""One ``ssh -G`` for all the hosts that the config files do not tell apart, and none for files
that say nothing of use here, as a system's often do.

A process for each of many nodes costs more than logging in to it. Which hosts are alike is decided
on the safe side: where a line may make a difference in a way not listed here, each host is asked
about by itself.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from remote.ssh.config_file import Options
from remote.ssh.config_keywords import has_no_effect, is_used
from remote.ssh.config_lines import ConfigLine
from remote.ssh.patterns import matches

_PLAIN = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
"""Names and IPv4 addresses that OpenSSH repeats as they are."""
_MOST = 64

_DEFAULTS: Options = {
    "userknownhostsfile": ["~/.ssh/known_hosts ~/.ssh/known_hosts2"],
    "globalknownhostsfile": ["/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"],
}
Ask = Callable[[str], Options]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, asked or being asked."""

    host: str
    answer: Future[Options] = field(default_factory=Future)


class SharedAnswers:
    """What OpenSSH said, for as long as the files say the same. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[Hashable, _Asked] = {}

    def options(
        self, host: str, *, given: Hashable, lines: Iterable[ConfigLine], ask: Ask
    ) -> Options:
        """The options of ``host``; ``ask`` gets them from OpenSSH, and is only called if need be.

        ``given``: what else the question depends on. ``lines``: all lines of all files that OpenSSH
        would read. Raises what ``ask`` raises.
        """
        every = tuple(lines)
        if not _may_share(host, every):
            return ask(host)
        if all(_says_nothing(line) for line in every):
            return {"host": [host], "hostname": [host], **_DEFAULTS}
        likeness = tuple(
            matches(host, word.removeprefix("!"))
            for line in every
            if line.keyword == "host"
            for word in line.words
        )
        key = (given, every, likeness)
        with self._lock:
            asked = self._asked.get(key)
            mine = asked is None
            if asked is None:
                if len(self._asked) >= _MOST:
                    self._asked.clear()
                asked = self._asked[key] = _Asked(host)
        if mine:
            self._ask(key, asked, ask)
        found = asked.answer.result()
        if host == asked.host:
            return found
        if found["hostname"] != [asked.host]:  # changed in a way that is not understood here
            return ask(host)
        return {**found, "host": [host], "hostname": [host]}

    def _ask(self, key: Hashable, asked: _Asked, ask: Ask) -> None:
        try:
            asked.answer.set_result(ask(asked.host))
        except BaseException as error:
            # Those who wait now fare alike, and whoever comes later tries again.
            with self._lock:
                if self._asked.get(key) is asked:
                    del self._asked[key]
            asked.answer.set_exception(error)


def _may_share(host: str, lines: tuple[ConfigLine, ...]) -> bool:
    """Whether no line but a Host line can tell this host from another."""
    return _PLAIN.fullmatch(host) is not None and not any(
        _is_about(host, line) for line in lines if line.keyword != "host" or line.problem
    )


def _says_nothing(line: ConfigLine) -> bool:
    return line.keyword in ("host", "include") or has_no_effect(line.keyword)


def _is_about(host: str, line: ConfigLine) -> bool:
    """Whether a line's effect may depend on the host's name, other than by a Host line above it."""
    keyword, text = line.keyword, " ".join(line.words)
    if line.problem or keyword == "match" or keyword.startswith("canonical"):
        return True
    if keyword == "include":
        # Found here as OpenSSH finds it only where it is written plainly.
        return any(mark in text for mark in "%$") or re.search(r"(^|\s)~[^/]", text) is not None
    if keyword == "proxyjump":
        return "%" in text or host in text.lower()  # a host is not reached through itself
    return is_used(keyword) and "%" in text
