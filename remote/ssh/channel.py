"""One process on a node as a byte channel over an SSH connection."""

from __future__ import annotations

import contextlib
import threading

import paramiko
from paramiko.common import cMSG_CHANNEL_REQUEST

from remote.errors import LinkLost, NodeError

RECEIVE_WINDOW = 4 << 20
"""Bytes that the node may send ahead of what was read."""
STDERR_TAIL = 4096
_OPEN_TIMEOUT_S = 20.0
_TELL_S = 0.3
_PIECE = 32 << 10
"""About what one packet carries; more would be copied only to be cut."""


class _Wake(threading.Event):
    """Set by paramiko's buffers when there is something; one of them may not clear it.

    A buffer that ran empty says nothing about the other one, so ``clear`` does nothing.
    """

    def clear(self) -> None:
        return None

    def reset(self) -> None:
        super().clear()


class SshChannel:
    """Standard input and output of a process; see :class:`remote.channel.Channel`.

    The reader also empties standard error, so that a process that complains a lot is not held up.
    """

    def __init__(self, channel: paramiko.Channel, node: str) -> None:
        self._channel = channel
        self._node = node
        self._closed = False
        self._wake = _Wake()
        self._tail = b""
        self._tail_lock = threading.Lock()
        channel.settimeout(None)
        channel.in_buffer.set_event(self._wake)
        channel.in_stderr_buffer.set_event(self._wake)

    def read(self, limit: int) -> bytes:
        """See :meth:`remote.channel.Channel.read`."""
        channel = self._channel
        while True:
            self._wake.reset()
            self._drain_stderr()
            # Looked at before the buffer: the last bytes and the end may arrive in between.
            at_end, gone = channel.eof_received, channel.closed
            if channel.recv_ready():
                return channel.recv(limit)
            if gone and not at_end and not self._closed and self._is_lost():
                raise self._lost()
            if at_end or gone or self._closed:
                return b""
            self._wake.wait()

    def write(self, data: bytes) -> None:
        """See :meth:`remote.channel.Channel.write`."""
        at = 0
        try:
            while at < len(data):
                sent = self._channel.send(data[at : at + _PIECE])
                if sent == 0:
                    raise self._lost()
                at += sent
        except (OSError, EOFError, paramiko.SSHException):
            raise self._lost() from None

    def stderr_tail(self) -> str:
        """See :meth:`remote.channel.Channel.stderr_tail`."""
        self._drain_stderr()
        with self._tail_lock:
            return self._tail.decode("utf-8", "replace")

    @property
    def closed(self) -> bool:
        """Whether it no longer counts as a session of its connection."""
        return self._channel.closed

    def close(self) -> None:
        """See :meth:`remote.channel.Channel.close`. The process is not waited for."""
        if self._closed:
            return
        self.abandon()
        # Telling the other side blocks while the link is silent and its buffers are full.
        telling = threading.Thread(target=self._tell_end, name="clew-ssh-close", daemon=True)
        telling.start()
        telling.join(_TELL_S)

    def kill(self) -> None:
        """See :meth:`remote.channel.Channel.kill`: a signal (RFC 4254, 6.9).

        OpenSSH kills the process group from version 7.9 on; an older one leaves it alone.
        """
        if self._closed:
            return
        order = paramiko.Message()
        order.add_byte(cMSG_CHANNEL_REQUEST)
        order.add_int(self._channel.remote_chanid)
        order.add_string("signal")
        order.add_boolean(False)
        order.add_string("KILL")
        with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
            # No public call of paramiko sends this request.
            self._channel.get_transport()._send_user_message(order)  # type: ignore[attr-defined]
        self.close()

    def abandon(self) -> None:
        """Let go without a word to the other side, whose connection is closed anyway."""
        self._closed = True
        self._wake.set()

    def _tell_end(self) -> None:
        with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
            self._channel.close()

    def _drain_stderr(self) -> None:
        with self._tail_lock:
            while self._channel.recv_stderr_ready():
                self._tail = (self._tail + self._channel.recv_stderr(1 << 16))[-STDERR_TAIL:]

    def _is_lost(self) -> bool:
        """Whether the whole connection ended, not just this process."""
        transport = self._channel.get_transport()
        return not transport.is_active()

    def _lost(self) -> LinkLost:
        if self._closed:
            what = "the connection was closed"
        elif self._is_lost():
            what = "the SSH connection broke"
        else:
            what = "the process at the other end is gone"
        return LinkLost(what, node=self._node, remedy="Connect again")


def open_channel(
    transport: paramiko.Transport, command: str, node: str, open_already: int
) -> SshChannel:
    """Start ``command`` through the login shell.

    Raises:
        LinkLost: the connection broke.
        NodeError: the server allows no more sessions, or no commands.
    """
    try:
        channel = transport.open_session(window_size=RECEIVE_WINDOW, timeout=_OPEN_TIMEOUT_S)
    except paramiko.ChannelException:
        raise _too_many(node, open_already) from None
    except (paramiko.SSHException, OSError, EOFError):
        raise LinkLost("the SSH connection broke", node=node, remedy="Connect again") from None
    try:
        channel.exec_command(command)
    except (paramiko.SSHException, OSError, EOFError):
        channel.close()
        if not transport.is_active():
            raise LinkLost("the SSH connection broke", node=node, remedy="Connect again") from None
        raise NodeError(
            "the server does not let this account run commands",
            node=node,
            remedy="Ask the administrator for an account with a shell",
        ) from None
    return SshChannel(channel, node)


def _too_many(node: str, open_already: int) -> NodeError:
    if open_already == 0:
        return NodeError(
            "the server allows no session on this connection",
            node=node,
            remedy="Raise MaxSessions in the node's sshd_config",
        )
    sessions = "session" if open_already == 1 else "sessions"
    return NodeError(
        f"the server allows only {open_already} {sessions} per connection",
        node=node,
        remedy="Close another use of this node, or raise MaxSessions in its sshd_config",
    )
