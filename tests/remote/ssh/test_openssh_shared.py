"""One answer of OpenSSH serves all hosts that its config does not tell apart, and no others."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from remote.ssh.config_file import ConfigFiles, Options, all_lines
from remote.ssh.config_keywords import is_used
from remote.ssh.openssh import OpenSshError, query
from remote.ssh.openssh_shared import SharedAnswers
from tests.support.waiting import until

HOSTS = ("gpu01", "gpu02", "gpu-x.lab", "127.0.0.9", "GPU01", "login", "a", "fd00::1", "odd.")
CONFIGS = {
    "nothing": "ForwardAgent no\nHost gpu*\n  ControlPath ~/.ssh/%C\n",
    "all": "User ana\nPort 2200\nIdentityFile ~/.ssh/lab\nIdentitiesOnly yes\n",
    "patterns": "Host gpu* !gpu02\n  User eva\nHost Gpu0? login\n  Port 3\nHost *.lab\n  Port 4\n",
    "tokens": "Host gpu*\n  HostName %h.lab\nHost *\n  IdentityFile ~/.ssh/%n\n",
    "names": "Host gpu01\n  HostName 10.0.0.1\nHost gpu02\n  HostName 10.0.0.2\n",
    "jump": "Host * !login\n  ProxyJump ana@login:22\n",
    "command": "Host gpu*\n  ProxyCommand ssh -W %h:%p login\n",
    "match": "Match originalhost gpu01\n  User eva\nMatch host *.lab user root\n  Port 5\n",
    "canonical": "CanonicalizeHostname no\nHost gpu*\n  User eva\n",
    "included": "Host gpu0*\n  Include {folder}/more\nHost *\n  User zoe\n",
}


@dataclass
class Asking:
    """OpenSSH, and whom it was asked about."""

    config: Path
    hosts: list[str] = field(default_factory=list)

    def __call__(self, host: str) -> Options:
        self.hosts.append(host)
        return query(host, user=None, port=None, config=self.config)

    def through(self, shared: SharedAnswers, host: str) -> Options:
        files = ConfigFiles(home=Path.home(), user=self.config, system=None)
        return shared.options(host, given=(), lines=all_lines(files), ask=self)


@pytest.fixture
def asking(tmp_path: Path) -> Asking:
    if shutil.which("ssh") is None:
        pytest.skip("OpenSSH is not installed")
    (tmp_path / "more").write_text("Host gpu02\n  Port 7\n")
    return Asking(tmp_path / "config")


def used(options: Options) -> Options:
    """What matters here; what OpenSSH says where nobody said anything is left out."""
    dull, home = (["none"], ["no"], ["any"]), str(Path.home())
    found = {k: v for k, v in options.items() if is_used(k) and v not in dull}
    known = [text.replace("~", home) for text in options["userknownhostsfile"]]
    port = options.get("port", ["22"])
    return found | {"user": [], "port": port, "userknownhostsfile": known}


@pytest.mark.parametrize("name", CONFIGS)
def test_that_what_is_shared_is_what_openssh_says_of_each_host(
    asking: Asking, tmp_path: Path, name: str
) -> None:
    asking.config.write_text(CONFIGS[name].format(folder=tmp_path))
    shared = SharedAnswers()
    for host in HOSTS:
        found = asking.through(shared, host)
        said = query(host, user=None, port=None, config=asking.config)
        assert used(found) == used(said), host
        if "user" in found:
            assert found["user"] == said["user"], host


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("nothing", []),
        ("all", ["gpu01"]),
        ("patterns", ["gpu01", "gpu02"]),
        ("tokens", ["gpu01", "gpu02", "gpu03"]),
        ("match", ["gpu01", "gpu02", "gpu03"]),
        ("jump", ["gpu01"]),
    ],
)
def test_that_hosts_that_are_alike_are_asked_about_once(
    asking: Asking, name: str, asked: list[str]
) -> None:
    asking.config.write_text(CONFIGS[name])
    shared = SharedAnswers()
    for host in ("gpu01", "gpu02", "gpu03"):
        asking.through(shared, host)
    assert asking.hosts == asked


def test_that_a_file_that_changed_is_asked_about_again(asking: Asking) -> None:
    shared = SharedAnswers()
    for port in ("2200", "2201"):
        asking.config.write_text(f"Port {port}\n")
        assert asking.through(shared, "gpu01")["port"] == [port]
        assert asking.through(shared, "gpu02")["port"] == [port]
    assert asking.hosts == ["gpu01", "gpu01"]


def test_that_who_asks_meanwhile_waits_and_shares_also_a_refusal(asking: Asking) -> None:
    asking.config.write_text("Port 2200\n")
    shared, go_on, asked = SharedAnswers(), threading.Event(), list[str]()
    lines = list(all_lines(ConfigFiles(home=Path.home(), user=asking.config, system=None)))

    def refuse(host: str) -> Options:
        asked.append(host)
        go_on.wait()
        raise OpenSshError("no")

    def ask(host: str) -> Options:
        return shared.options(host, given=(), lines=lines, ask=refuse)

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(ask, "gpu0")
        until(lambda: asked == ["gpu0"])
        others = [threads.submit(ask, f"gpu{number}") for number in range(1, 4)]
        until(lambda: all(other.running() for other in others))
        go_on.set()
        for one in (first, *others):
            with pytest.raises(OpenSshError, match="no"):
                one.result()
    assert asking.through(shared, "gpu9")["port"] == ["2200"]
