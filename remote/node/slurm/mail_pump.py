"""Moves bytes between two descriptors and the files of a call; the same for both sides."""

import os
import select
from typing import Any, Dict, Optional

from remote.node.slurm.mail_files import Pauses, Peer, Reader, Side, Word, Writer

_PIECE_BYTES = 64 << 10


class Pump:
    """One side of one call; a single thread turns it with :meth:`step`.

    Args:
        me, peer: the sides' names.
        source: descriptor whose bytes go to ``stream_out``; it may block, and is only read when
            something is there.
        sink: descriptor that gets the bytes of ``stream_in``; made non-blocking.
    """

    def __init__(
        self,
        folder: str,
        me: str,
        peer: str,
        stream_out: str,
        stream_in: str,
        source: int,
        sink: int,
    ) -> None:
        self.peer = Peer(folder, peer)
        self._side = Side(folder, me)
        self._out, self._in = stream_out, stream_in
        self._writer, self._reader = Writer(folder, stream_out), Reader(folder, stream_in)
        self._source: Optional[int] = source
        self._sink: Optional[int] = sink
        self._pending = b""
        self._pauses = Pauses()
        self.extra: Dict[str, Any] = {}
        """What this side says besides its positions."""
        os.set_blocking(sink, False)

    @property
    def source_ended(self) -> bool:
        return self._source is None

    @property
    def delivered(self) -> bool:
        """Whether the other side's stream has ended, and all of it was passed on."""
        return bool(self.peer.word.get("end")) and self._sink is None

    @property
    def all_taken(self) -> bool:
        """Whether this side's stream has ended, and the other side has taken all of it."""
        taken = self.peer.position("took", self._out)
        return self.source_ended and taken >= self._writer.wrote

    def step(self) -> None:
        """Move what can be moved, say so, and wait a little where nothing was. Raises OSError."""
        busy = self.peer.look()
        busy = self._take_in() or busy
        room = self._writer.room(self.peer.position("took", self._out))
        pause_s = 0.0 if busy else self._pauses.after(False)
        busy = self._send(room, pause_s) or busy
        if busy:
            self._pauses.after(True)
        self.say()

    def say(self) -> None:
        """Publish this side's word. Raises OSError."""
        word: Word = dict(self.extra, end=self.source_ended)
        # What could not be passed on yet is not taken: that is how the other side is slowed down.
        took = self._reader.took - len(self._pending)
        word["wrote"], word["took"] = {self._out: self._writer.wrote}, {self._in: took}
        self._side.say(word)

    def close(self) -> None:
        """Close both descriptors."""
        self.end_source()
        self._end_sink()

    def end_source(self) -> None:
        """Send no more."""
        if self._source is not None:
            os.close(self._source)
            self._source = None

    def _end_sink(self) -> None:
        self._pending = b""
        if self._sink is not None:
            os.close(self._sink)
            self._sink = None

    def _take_in(self) -> bool:
        wrote = self.peer.position("wrote", self._in)
        if not self._pending:
            self._pending = self._reader.read(wrote)
        moved = self._pass_on() if self._pending else False
        if self.peer.word.get("end") and not self._pending and self._reader.took >= wrote:
            self._end_sink()
        return moved

    def _pass_on(self) -> bool:
        if self._sink is None:  # nobody wants it any more; the writer must not be held up
            self._pending = b""
            return True
        try:
            count = os.write(self._sink, self._pending[:_PIECE_BYTES])
        except BlockingIOError:
            return False
        except OSError:
            self._end_sink()
            return True
        self._pending = self._pending[count:]
        return True

    def _send(self, room: int, pause_s: float) -> bool:
        """Read what the source has, within the window; waits ``pause_s`` for it at most."""
        watched = [] if self._source is None or room <= 0 else [self._source]
        waiting = [] if self._sink is None or not self._pending else [self._sink]
        ready, _, _ = select.select(watched, waiting, [], pause_s)
        if not ready or self._source is None:
            return False
        data = os.read(self._source, min(room, _PIECE_BYTES))
        if data:
            self._writer.write(data)
        else:
            self.end_source()
        return True
