"""Real sshd nodes on one machine: each with its own home, host name, accounts and processes.

Needs root. ``loop``: a node listens on its own 127.x.y.z, port 2222, and shares the network.
``netns``: it has a network namespace of its own behind a bridge, on port 22; its link can be cut.
Names and addresses are unique per instance, so that several suites run side by side.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal

from tests.support.node_processes import (
    Process,
    command_of,
    inner_pid,
    is_sshd,
    pids_inside,
    wait_until_gone,
)

Mode = Literal["loop", "netns"]
SSHD = "/usr/sbin/sshd"
READY_S = 90.0
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_CONFIG = """\
Port {port}
ListenAddress {ip}
{host_keys}
PidFile none
AuthorizedKeysFile {etc}/authorized_keys
StrictModes no
PermitRootLogin yes
PasswordAuthentication {password}
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PrintLastLog no
LogLevel VERBOSE
Subsystem sftp internal-sftp
AcceptEnv LANG LC_*
"""

# Runs as the first process of the node's own namespaces; every value arrives as an argument.
_INIT = r"""set -e
etc="$1"; home="$2"; name="$3"; tmpfs="$4"
mount --make-rprivate /
mount -t proc proc /proc
hostname "$name"
[ -z "$tmpfs" ] || mount -t tmpfs -o "size=$tmpfs" tmpfs "$home"
[ ! -e "$etc/bashrc" ] || cp "$etc/bashrc" "$home/.bashrc"
for file in passwd shadow; do
  [ ! -e "$etc/$file" ] || mount --bind "$etc/$file" "/etc/$file"
done
mkdir -p /run/sshd
cd /
exec /usr/sbin/sshd -D -e -f "$etc/sshd_config"
"""


def why_no_nodes() -> str | None:
    """Why sshd nodes cannot be started here; None when they can."""
    if sys.platform != "linux":
        return "sshd nodes need Linux namespaces"
    if os.geteuid() != 0:
        return "sshd nodes need root, to make namespaces"
    missing = [name for name in ("unshare", "ip", "ssh-keygen") if not shutil.which(name)]
    if not os.path.exists(SSHD):
        missing.append(SSHD)
    return f"sshd nodes need {', '.join(missing)}" if missing else None


@dataclass(frozen=True, kw_only=True)
class NodeOptions:
    """What is special about a node.

    ``shell``: path of root's login shell. ``password``: root's password; None: no passwords.
    ``config``: more lines for sshd_config. ``path_front``: a folder at the front of PATH.
    ``bashrc``: content of ~/.bashrc. ``home_tmpfs``: put the home on a file system of this size
    ("8m"). ``public_keys``: more lines of authorized_keys; ``client_key``: whether the shared
    client key is one of them. ``host_key_types``: for ssh-keygen. ``uid``: of the account, which is
    called root all the same; sshd treats others than 0 as most users are.
    """

    shell: str | None = None
    password: str | None = None
    config: tuple[str, ...] = ()
    path_front: Path | None = None
    bashrc: str | None = None
    home_tmpfs: str | None = None
    public_keys: tuple[str, ...] = ()
    client_key: bool = True
    host_key_types: tuple[str, ...] = ("ed25519",)
    uid: int = 0


@dataclass(kw_only=True)
class SshdNode:
    """One node: ``ssh -p PORT root@IP`` reaches it."""

    name: str
    ip: str
    port: int
    folder: Path
    user: str = "root"
    namespace: str | None = None
    link: str | None = None
    host_key_type: str = "ed25519"
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        """The process whose end is the end of the node."""
        assert self.process is not None
        return self.process.pid

    @property
    def home(self) -> Path:
        """The node's home as this machine sees it (empty where it is a tmpfs)."""
        return self.folder / "home"

    @property
    def log(self) -> str:
        return (self.folder / "sshd.log").read_text(errors="replace")

    def host_public_key(self, kind: str = "ed25519") -> str:
        """``type base64`` of the host key."""
        text = (self.folder / "etc" / f"host_{kind}.pub").read_text()
        return " ".join(text.split()[:2])

    @property
    def known_hosts_name(self) -> str:
        return self.ip if self.port == 22 else f"[{self.ip}]:{self.port}"


class SshdNodes:
    """``count`` nodes for as long as the ``with`` block lasts.

    Args:
        folder: an empty folder; its path must not contain a blank (sshd_config has no quoting).
        options: for all nodes, or by index from 0.
    """

    def __init__(
        self,
        folder: Path,
        *,
        mode: Mode = "netns",
        count: int = 3,
        options: NodeOptions | Mapping[int, NodeOptions] | None = None,
    ) -> None:
        self.folder = folder
        self.mode = mode
        self._count = count
        self._options = options
        self._tag = secrets.token_hex(2)
        self._bridge: str | None = None
        self.nodes: list[SshdNode] = []
        self.client_key = folder / "client_key"
        self.known_hosts = folder / "known_hosts"

    def __enter__(self) -> SshdNodes:
        try:
            self.up()
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()

    def node(self, index: int) -> SshdNode:
        """The node with this index, from 0."""
        return self.nodes[index]

    def up(self) -> None:
        """Start all nodes and wait until each answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        make_key(self.client_key)
        network = self._make_network()
        for index in range(self._count):
            self.nodes.append(self._start(index, network))
        for node in self.nodes:
            _wait_until_ready(node)
        lines = [f"{n.known_hosts_name} {n.host_public_key(n.host_key_type)}\n" for n in self.nodes]
        self.known_hosts.write_text("".join(lines))

    def down(self) -> None:
        """End every node and undo the network; does nothing the second time."""
        inside: list[int] = []
        for node in self.nodes:
            if node.process is not None and node.process.poll() is None:
                inside += pids_inside(node.pid)
                node.process.send_signal(signal.SIGKILL)  # unshare ignores SIGTERM
        for node in self.nodes:
            if node.process is not None:
                node.process.wait(READY_S)
        wait_until_gone(inside)  # the kernel ends a namespace a moment after its first process
        for node in self.nodes:
            if node.namespace is not None:
                _ip("netns", "delete", node.namespace, check=False)
                node.namespace = None
        if self._bridge is not None:
            _ip("link", "delete", self._bridge, check=False)
            self._bridge = None

    def cut_link(self, index: int) -> None:
        """Let nothing through to the node or back, without anybody being told (netns only)."""
        self._set_link(index, "down")

    def restore_link(self, index: int) -> None:
        self._set_link(index, "up")

    def kill_connections(self, index: int) -> int:
        """Break every SSH connection of a node by killing its sshd sessions; how many."""
        count = 0
        for pid in self._sessions(index):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                count += 1
        return count

    def wait_for_no_connection(self, index: int, limit_s: float = READY_S) -> bool:
        """Whether every connection of a node ends in time."""
        deadline = time.monotonic() + limit_s
        while self._sessions(index):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _sessions(self, index: int) -> list[int]:
        pids = pids_inside(self.nodes[index].pid)
        return [pid for pid in pids if is_sshd(pid) and inner_pid(pid) > 1]

    def processes(self, index: int) -> list[Process]:
        """What runs on a node besides sshd."""
        found = []
        for pid in pids_inside(self.nodes[index].pid):
            if not is_sshd(pid):
                command = command_of(pid)
                if command:
                    found.append(Process(pid=pid, command=command))
        return found

    def _set_link(self, index: int, state: str) -> None:
        link = self.nodes[index].link
        if link is None:
            raise ValueError("only nodes of mode 'netns' have a link")
        _ip("link", "set", link, state)

    def _make_network(self) -> str:
        """The first three bytes of the nodes' addresses."""
        if self.mode == "loop":
            return f"127.{secrets.randbelow(250) + 2}.{secrets.randbelow(254) + 1}"
        taken = _ip("-4", "-o", "addr").stdout
        free = [n for n in range(1, 255) if f" 10.77.{n}." not in taken]
        network = f"10.77.{secrets.choice(free)}"
        bridge = f"cb{self._tag}"
        _ip("link", "add", bridge, "type", "bridge")
        self._bridge = bridge
        _ip("addr", "add", f"{network}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        return network

    def _start(self, index: int, network: str) -> SshdNode:
        options = self._options
        if not isinstance(options, NodeOptions):
            options = (options or {}).get(index, NodeOptions())
        node = SshdNode(
            name=f"gpu{index + 1:03d}",
            ip=f"{network}.{10 + index}",
            port=2222 if self.mode == "loop" else 22,
            folder=self.folder / f"n{index + 1}",
            host_key_type=options.host_key_types[0],
        )
        self._write_files(node, options)
        if self.mode == "netns":
            self._add_namespace(node, index)
        enter = ["ip", "netns", "exec", node.namespace] if node.namespace else []
        unshare = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child"]
        arguments = [str(node.folder / "etc"), str(node.home), node.name, options.home_tmpfs or ""]
        with (node.folder / "sshd.log").open("ab") as log:
            node.process = subprocess.Popen(
                [*enter, *unshare, "bash", "-c", _INIT, "init", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return node

    def _add_namespace(self, node: SshdNode, index: int) -> None:
        name, link = f"clew-{self._tag}-{index}", f"cv{self._tag}{index}"
        _ip("netns", "add", name)
        node.namespace = name
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        node.link = link
        assert self._bridge is not None
        _ip("link", "set", link, "master", self._bridge, "up")
        _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", name, "addr", "add", f"{node.ip}/24", "dev", "eth0")
        _ip("-n", name, "link", "set", "eth0", "up")

    def _write_files(self, node: SshdNode, options: NodeOptions) -> None:
        etc = node.folder / "etc"
        etc.mkdir(parents=True)
        node.home.mkdir()
        os.chown(node.home, options.uid, -1)
        for kind in options.host_key_types:
            make_key(etc / f"host_{kind}", kind)
        keys = [Path(f"{self.client_key}.pub").read_text()] if options.client_key else []
        keys += [f"{line.strip()}\n" for line in options.public_keys]
        (etc / "authorized_keys").write_text("".join(keys))
        config = _CONFIG.format(
            port=node.port,
            ip=node.ip,
            etc=etc,
            host_keys="\n".join(f"HostKey {etc}/host_{kind}" for kind in options.host_key_types),
            password="yes" if options.password is not None else "no",
        )
        if options.path_front is not None:
            config += f'SetEnv "PATH={options.path_front}:{DEFAULT_PATH}"\n'
        (etc / "sshd_config").write_text(config + "\n".join((*options.config, "")))
        if options.bashrc is not None:
            (etc / "bashrc").write_text(options.bashrc)
        _write_accounts(node, etc, options)


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    """A key pair at ``path`` and ``path.pub``; one that is there stays."""
    if not path.exists():
        extra = ["-b", "2048"] if kind == "rsa" else []
        command = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", path.name, "-f"]
        subprocess.run([*command, str(path), *extra], check=True, capture_output=True)
    return path


def _write_accounts(node: SshdNode, etc: Path, options: NodeOptions) -> None:
    """Copies of passwd and shadow in which root has the node's home, another shell or password."""
    lines = Path("/etc/passwd").read_text().splitlines()
    accounts = [_root_of_node(line, node, options) for line in lines]
    (etc / "passwd").write_text("\n".join(accounts) + "\n")
    if options.password is not None:
        command = ["openssl", "passwd", "-6", "-stdin"]
        hashed = subprocess.run(
            command, input=options.password, text=True, capture_output=True, check=True
        ).stdout.strip()
        shadowed = Path("/etc/shadow").read_text().splitlines()
        rest = [line for line in shadowed if not line.startswith("root:")]
        shadow = etc / "shadow"
        shadow.write_text("\n".join([f"root:{hashed}:19000:0:99999:7:::", *rest]) + "\n")
        shadow.chmod(0o640)


def _root_of_node(account: str, node: SshdNode, options: NodeOptions) -> str:
    fields = account.split(":")
    if fields[0] == "root":
        fields[5] = str(node.home)
        fields[2] = str(options.uid)
        fields[6] = options.shell or "/bin/bash"
    return ":".join(fields)


def _wait_until_ready(node: SshdNode) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        with contextlib.suppress(OSError), socket.create_connection((node.ip, node.port), 1) as s:
            if s.recv(4) == b"SSH-":
                return
        assert node.process is not None
        if node.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{node.name} did not start: {node.log[-2000:]}")
        time.sleep(0.02)


def _ip(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["ip", *words], text=True, capture_output=True, check=False, timeout=READY_S
    )
    if check and done.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done
