"""Names from a profile or a config that would like to be options, commands or other paths."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from remote.errors import ConnectError, ProfileError
from remote.profile import build
from remote.ssh import ConfigSource, Fields, resolve

HOSTILE = [
    "-oProxyCommand=touch ran",
    "--",
    "-",
    "a -oProxyCommand=x",
    "$(touch ran)",
    "`touch ran`",
    "a;touch ran",
    "a\ntouch ran",
    "a\r\nHost *",
    "a|b",
    "a&b",
    "${HOME}",
    "$HOME",
    "~root",
    "'",
    '"',
    "'; touch ran; '",
    "%h%r%n",
    "%%",
    "../../etc",
    "a\x00b",
    "\u202egpj",
    "*",
    "!a",
    "\\",
    "ä'數\"",
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.sampled_from("ab-%$`'\"\\;|&<>(){}[]*?!~/.,:@# \t\r\n\0é"), max_size=12),
    st.tuples(st.sampled_from(HOSTILE), st.sampled_from(HOSTILE)).map("".join),
)
FAKE_SSH = """#!/bin/sh
for word in "$@"; do printf '%s\\0' "$word"; done >> "{log}"
exit 255
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with an ``ssh`` that writes down its words, and nothing else on PATH."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "bin").mkdir()
    program = folder / "bin" / "ssh"
    program.write_text(FAKE_SSH.format(log=folder / "words"))
    program.chmod(0o755)
    (folder / "config").write_text("Host *\n  ProxyCommand printf '%%s/%%s' %h %r\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
        patch.chdir(folder)
        yield folder
    assert not (folder / "ran").exists()


def one_line(error: ConnectError) -> None:
    assert "\n" not in str(error)


def words_of(desk: Path) -> list[str]:
    log = desk / "words"
    found = log.read_bytes().split(b"\0")[:-1] if log.exists() else []
    log.unlink(missing_ok=True)
    return [word.decode("utf-8", "surrogateescape") for word in found]


@settings(max_examples=120, deadline=None)
@given(host=texts, user=st.one_of(st.none(), texts))
@example(host="-oProxyCommand=touch ran", user=None)
@example(host="gpu", user="a -oProxyCommand=x")
def test_that_ssh_sees_a_name_or_nothing(desk: Path, host: str, user: str | None) -> None:
    words_of(desk)
    source = ConfigSource(user_file=desk / "config")
    try:
        target = resolve(Fields(host=host, name="node", user=user), None, source)
    except ConnectError as error:
        one_line(error)
        target = None
    words = words_of(desk)
    if words:
        expected = ["-G", "-F", str(desk / "config"), *([] if user is None else ["-l", user])]
        assert words == [*expected, "--", host]
        assert not host.startswith("-")
    if target is not None:
        assert target.proxy_command is not None
        said = subprocess.run(
            ["/bin/sh", "-c", target.proxy_command], capture_output=True, text=True
        )
        assert said.stdout == f"{target.host_name}/{target.user}"
        assert not said.stderr


@settings(max_examples=100, deadline=None)
@given(jump=texts)
@example(jump="x@-oProxyCommand=touch ran")
@example(jump="good,-oProxyCommand=touch ran")
def test_that_no_jump_host_is_an_option(desk: Path, jump: str) -> None:
    words_of(desk)
    try:
        resolve(Fields(host="gpu", name="n", jump=jump), None, ConfigSource())
    except ConnectError as error:
        one_line(error)
    words = words_of(desk)
    hosts = [words[at + 1] for at, word in enumerate(words) if word == "--"]
    assert all(not host.startswith("-") for host in hosts)


@settings(max_examples=60, deadline=None)
@given(host=texts, user=texts)
def test_that_a_config_cannot_smuggle_a_name_in(desk: Path, host: str, user: str) -> None:
    """What a config's HostName and User say is looked at like what a profile says."""
    file = desk / "smuggler"
    line = f"Host gpu\n  HostName {_word(host)}\n  User {_word(user)}\n  ProxyCommand echo %h %r\n"
    file.write_bytes(line.encode("utf-8", "surrogateescape"))
    try:
        target = resolve(Fields(host="gpu", name="n"), None, ConfigSource(user_file=file))
    except ConnectError:
        return
    command = target.proxy_command
    if command is None:  # a line end in a value made another line of it
        return
    said = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    assert said.stdout.split() == f"{target.host_name} {target.user}".split()


def _word(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@settings(max_examples=100, deadline=None)
@given(value=texts, key=st.sampled_from(["host", "user", "jump", "identity_file", "address"]))
def test_that_what_a_profile_takes_can_be_resolved_or_is_an_error_in_words(
    desk: Path, value: str, key: str
) -> None:
    node = {"host": "gpu", key: value}
    try:
        profile = build({"nodes": [node]})
    except ProfileError:
        return
    try:
        target = resolve(profile.nodes[0], profile.ssh, ConfigSource(user_file=desk / "config"))
    except ConnectError as error:
        one_line(error)
    else:
        assert all(os.path.isabs(path) for path in target.identity_files)
        assert not target.host_name.startswith("-")
    words_of(desk)
