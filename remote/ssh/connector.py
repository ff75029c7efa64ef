"""One SSH connection to one node: dialled, checked, logged in, and closed in time."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import weakref

import paramiko

from remote.errors import ConnectError, LinkLost
from remote.ssh.auth import Login
from remote.ssh.bastions import Bastions, Lease
from remote.ssh.channel import SshChannel, open_channel
from remote.ssh.dial import Gates, ProxyProcess, dial
from remote.ssh.handshake import DroppedError, shake_hands, start_transport
from remote.ssh.host_keys import HostKeys
from remote.ssh.private_keys import OpenedKeys
from remote.ssh.prompts import Prompter
from remote.ssh.secret_cache import SecretCache
from remote.ssh.stop import Stop
from remote.ssh.target import SshTarget
from remote.ssh.transport import SshTransport

RETRIES = 3
_CLOSE_S = 0.8


class _Link:
    """The parts of one connection, closed together and only once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.stream: socket.socket | paramiko.Channel | None = None
        self.transport: SshTransport | None = None
        self.proxy: ProxyProcess | None = None
        self.lease: Lease[SshConnector] | None = None
        self.channels: weakref.WeakSet[SshChannel] = weakref.WeakSet()

    def close(self) -> None:
        """End it from any thread within a second, whatever it is doing.

        A part that came up while another thread closed is closed by the next call.
        """
        with self._lock:
            stream, self.stream = self.stream, None
            transport, self.transport = self.transport, None
            proxy, self.proxy = self.proxy, None
            lease, self.lease = self.lease, None
        for channel in list(self.channels):
            channel.abandon()
        if isinstance(stream, socket.socket):
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            # Closed before its reader has left, its number may be another file's by the time that
            # the system wakes the reader, which would wait for that.
            if transport is not None and transport.is_alive():
                transport.join(_CLOSE_S)
        elif stream is not None:
            stream.in_buffer.close()  # wakes the reader; the other side is told below
        if transport is not None:
            # The jump host's connection, which carries this one, may be closing at this moment.
            with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
                transport.close()
            if transport.is_alive() and not isinstance(stream, socket.socket):
                transport.join(_CLOSE_S)
        if stream is not None:
            with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
                stream.close()
        if proxy is not None:
            proxy.close()
        if lease is not None:
            lease.release()


class Shared:
    """What all connections of a session share; a connector on its own makes its own."""

    def __init__(self) -> None:
        self.gates = Gates()
        self.opened = OpenedKeys()
        self.bastions: Bastions[SshConnector] = Bastions()


class SshConnector:
    """Connects to one node; see :class:`remote.channel.Connector`.

    ``connect`` may be called again after the link was lost. ``close`` is final, and also how a
    connect in progress is cancelled.
    """

    def __init__(
        self,
        target: SshTarget,
        *,
        prompter: Prompter,
        known: HostKeys,
        secrets: SecretCache,
        shared: Shared | None = None,
        circle: str = "nodes",
    ) -> None:
        self.target = target
        self._prompter = prompter
        self._known = known
        self._secrets = secrets
        self._shared = shared or Shared()
        self._circle = circle
        self._stop = Stop()
        self._connecting = threading.Lock()
        self._link: _Link | None = None
        self.needs_user = False
        """Whether the login took a one-time code, so that it cannot be repeated silently."""

    @property
    def alive(self) -> bool:
        """Whether the connection stands, as far as this side knows."""
        transport = self._transport()
        return transport is not None and transport.is_active()

    def connect(self) -> None:
        """Dial, check the host key, log in. Returns at once when the connection stands.

        Raises:
            ConnectError: see its subclasses; one sentence with a remedy.
            Cancelled: ``close`` was called.
        """
        with self._stop.holding(self._connecting, self.target.name):
            if self.alive:
                return
            old, self._link = self._link, None
            if old is not None:
                old.close()
            for attempt in range(RETRIES + 1):
                try:
                    self._link = self._attempt()
                    return
                except DroppedError as error:
                    if attempt == RETRIES:
                        raise self._dropped(error) from None
                # Others may be logging in at this moment: come back at another time than they.
                self._stop.wait(random.uniform(0.1, 0.5) * 2**attempt)  # noqa: S311
                self._stop.check(self.target.name)

    def open(self, command: str) -> SshChannel:
        """Start ``command`` through the account's login shell.

        Raises:
            LinkLost: not connected, or the connection broke.
            NodeError: the server refuses sessions or commands.
        """
        link = self._link
        transport = self._transport()
        if link is None or transport is None:
            raise LinkLost("not connected", node=self.target.name, remedy="Connect again")
        count = len([channel for channel in link.channels if not channel.closed])
        channel = open_channel(transport, command, self.target.name, count)
        link.channels.add(channel)
        return channel

    def forward(self, host: str, port: int) -> paramiko.Channel:
        """A stream from this machine to ``host``, for a connection behind it.

        Raises:
            ConnectError: the machine cannot or may not reach ``host``.
        """
        transport = self._transport()
        if transport is None:
            raise LinkLost("not connected", node=self.target.name, remedy="Connect again")
        try:
            return transport.open_channel(
                "direct-tcpip",
                (host, port),
                ("127.0.0.1", 0),
                timeout=self.target.connect_timeout_s,
            )
        except paramiko.ChannelException as error:
            raise ConnectError(
                f"the jump host {self.target.host_name} cannot connect to {host} port {port}"
                f" ({error.text.lower() or 'refused'})",
                remedy="Check the host and the port, and that the jump host may forward"
                " (AllowTcpForwarding)",
            ) from None
        except (paramiko.SSHException, OSError, EOFError):
            raise ConnectError(
                f"{host} port {port} did not answer through the jump host"
                f" {self.target.host_name} within {self.target.connect_timeout_s:.0f} s",
                remedy="Check that the node is up",
            ) from None

    def close(self) -> None:
        """End the connection, or the attempt to make one, within a second. Tasks go on."""
        self._stop.set()
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _transport(self) -> paramiko.Transport | None:
        link = self._link
        return link.transport if link is not None else None

    def _attempt(self) -> _Link:
        target, stop = self.target, self._stop
        link = _Link()
        address = f"{target.jump.login if target.jump else ''}>{target.host_name}:{target.port}"
        with stop.calling(link.close), self._shared.gates.passing(address, target.name, stop):
            try:
                transport = start_transport(self._dial(link), target, self._known)
                link.transport = transport
                shake_hands(transport, target, self._known, self._prompter, stop)
                self._log_in(transport)
                stop.check(target.name)
                transport.rest()
            except (paramiko.SSHException, EOFError, OSError) as error:
                link.close()
                stop.check(target.name)
                raise DroppedError(str(error) or type(error).__name__) from None
            except DroppedError as error:
                ending = link.proxy.failure() if link.proxy is not None else ""
                words = link.proxy.last_words() if link.proxy is not None else ""
                link.close()
                stop.check(target.name)
                raise DroppedError(str(error), said=words, ending=ending) from None
            except BaseException:
                link.close()
                raise
        return link

    def _dial(self, link: _Link) -> socket.socket | paramiko.Channel:
        target = self.target
        stream: socket.socket | paramiko.Channel
        if target.jump is not None:
            lease = self._shared.bastions.lease(target.jump, self._make_bastion, self._stop)
            link.lease = lease
            try:
                stream = lease.connector.forward(target.host_name, target.port)
            except ConnectError as error:
                raise type(error)(error.what, node=target.name, remedy=error.remedy) from None
        elif target.proxy_command is not None:
            link.proxy = ProxyProcess(target.proxy_command, target.name)
            stream = link.proxy.socket
        else:
            stream = dial(target, self._stop)
        link.stream = stream
        return stream

    def _make_bastion(self, target: SshTarget) -> SshConnector:
        return SshConnector(
            target,
            prompter=self._prompter,
            known=self._known,
            secrets=self._secrets,
            shared=self._shared,
            circle=target.login,
        )

    def _log_in(self, transport: SshTransport) -> None:
        login = Login(
            transport,
            self.target,
            prompter=self._prompter,
            secrets=self._secrets,
            opened=self._shared.opened,
            stop=self._stop,
            circle=self._circle,
        )
        try:
            login.run()
        finally:
            self.needs_user |= login.used_code

    def _dropped(self, error: DroppedError) -> ConnectError:
        target = self.target
        if error.ending:
            return ConnectError(
                f"the ProxyCommand {error.ending}"
                + (f" (it said: {error.said})" if error.said else ""),
                node=target.name,
                remedy="Run ssh with this host in a terminal, and correct ProxyCommand in"
                " ~/.ssh/config",
            )
        return ConnectError(
            f"{target.host_name} port {target.port} dropped the connection {RETRIES + 1} times"
            f" ({error})",
            node=target.name,
            remedy="Try again in a while; if it stays, the server allows too few logins at once"
            " (MaxStartups) or blocks this computer",
        )
